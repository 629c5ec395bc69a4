import MovieBox

/// Where a track is to stand among those of its kind.
package struct TrackPlacement: Hashable, Sendable {
  package let trackID: UInt32
  /// Whether the track is to be offered beside those of its kind.
  package var isNew: Bool
  /// 0 for no group; `nil` for the group that it is in, or for that of its kind.
  package var alternateGroup: UInt16?
  package var isEnabled: Bool?
  package var isDefault: Bool

  package init(
    trackID: UInt32, isNew: Bool = false, alternateGroup: UInt16? = nil, isEnabled: Bool? = nil, isDefault: Bool = false
  ) {
    self.trackID = trackID
    self.isNew = isNew
    self.alternateGroup = alternateGroup
    self.isEnabled = isEnabled
    self.isDefault = isDefault
  }
}

extension MovieEdit {
  /// Puts tracks into groups, and enables those that are to be.
  ///
  /// Groups come first, whatever the order of the placements: what is enabled in a group is known when all members are
  /// in it. Throws ``SubtitleAddition.Conflict/enabledTwice(trackIDs:group:)`` where two are to be enabled in one
  /// group.
  package mutating func place(_ placements: [TrackPlacement]) throws {
    for placement in placements {
      if let number = placement.alternateGroup { try setAlternateGroup(number, of: placement.trackID) }
    }
    for placement in placements {
      if placement.isNew {
        try addAlternative(placement.trackID, asDefault: placement.isDefault)
      } else if placement.isDefault {
        try makeDefault(placement.trackID)
      }
    }
    for placement in placements {
      if let isEnabled = placement.isEnabled { try setEnabled(isEnabled, of: placement.trackID) }
    }
    // Of a group one track is enabled (QTFF "Alternate Groups").
    var enabled: [UInt16: UInt32] = [:]
    for placement in placements where placement.isDefault || placement.isEnabled == true {
      guard let group = tracks.first(where: { $0.id == placement.trackID })?.alternateGroup, group != 0 else {
        continue
      }
      if let other = enabled.updateValue(placement.trackID, forKey: group), other != placement.trackID {
        throw SubtitleAddition.Conflict.enabledTwice(trackIDs: [other, placement.trackID], group: group)
      }
    }
  }
}

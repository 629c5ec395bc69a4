import MovieBox
import MovieWriter

// What a command line asks of several tracks at once: all of it holds in the result, or it is refused.
extension EditBuilder {
  /// Where a track is to stand among those of its kind.
  struct Placement {
    let trackID: UInt32
    /// What the command line calls the track: a file, a selector.
    let subject: String
    /// Whether the track is to be offered beside those of its kind.
    var isNew = false
    var alternateGroup: UInt16?
    var isEnabled: Bool?
    var isDefault = false
    /// Whether nothing but the name of the file asks for that.
    var isDefaultByName = false

    /// The words that enable the track; `nil` where none do.
    fileprivate var enablingWords: String? {
      if isEnabled == true { return "--enabled on for \(subject)" }
      guard isDefault else { return nil }
      return isDefaultByName ? "the name \(subject)" : "--default for \(subject)"
    }
  }

  /// A reference that is asked for.
  struct RequestedReference {
    let type: FourCC
    let trackID: UInt32
    let target: UInt32
    /// The words that ask for it.
    let description: String
  }

  /// Puts tracks into groups, and enables those that are to be.
  ///
  /// Groups come first, whatever the order of the command line: what is enabled in a group is known when all members
  /// are in it. Two tracks that are to be enabled in one group are refused.
  mutating func place(_ placements: [Placement]) throws {
    try editing { builder in
      for placement in placements {
        if let number = placement.alternateGroup { try builder.edit.setAlternateGroup(number, of: placement.trackID) }
      }
      for placement in placements {
        if placement.isNew {
          try builder.edit.addAlternative(placement.trackID, asDefault: placement.isDefault)
        } else if placement.isDefault {
          try builder.edit.makeDefault(placement.trackID)
        }
      }
      for placement in placements {
        if let isEnabled = placement.isEnabled { try builder.edit.setEnabled(isEnabled, of: placement.trackID) }
      }
      try builder.requireOneEnabled(of: placements)
    }
  }

  /// Of a group one track is enabled (QTFF "Alternate Groups").
  private func requireOneEnabled(of placements: [Placement]) throws(UsageError) {
    var enabled: [UInt16: (placement: Placement, description: String)] = [:]
    for placement in placements {
      guard let description = placement.enablingWords,
        let group = edit.tracks.first(where: { $0.id == placement.trackID })?.alternateGroup, group != 0
      else { continue }
      if let other = enabled[group], other.placement.trackID != placement.trackID {
        let areNames = other.placement.isDefaultByName && placement.isDefaultByName
        throw UsageError.contradiction(
          other.description, description, "one track of group \(group) is enabled",
          way: areNames ? "--default after one of them chooses it" : "choose one")
      }
      enabled[group] = (placement, description)
    }
  }

  /// Remembers a reference that was just made as it was asked for, and refuses it where it undid another one.
  mutating func keep(_ reference: RequestedReference) throws(UsageError) {
    requestedReferences.append(reference)
    try requireRequestedReferences(after: reference.description)
  }

  /// Refuses what `words` did where it undid a reference that was asked for.
  func requireRequestedReferences(after description: String) throws(UsageError) {
    for asked in requestedReferences {
      let references = edit.tracks.first { $0.id == asked.trackID }?.references[asked.type] ?? []
      guard !references.contains(asked.target) else { continue }
      throw UsageError.contradiction(
        asked.description, description, "track \(asked.trackID) cannot refer (\(asked.type)) as both ask")
    }
  }
}

extension UsageError {
  /// Two wishes of one command line that cannot both hold.
  static func contradiction(
    _ one: String, _ other: String, _ reason: String, way: String = "choose one"
  ) -> UsageError {
    UsageError(.conflict, "\(one) and \(other): \(reason); \(way)")
  }
}

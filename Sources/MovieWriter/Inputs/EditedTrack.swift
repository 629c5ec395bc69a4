import MovieBox

/// A track as an edit will leave it.
struct EditedTrack: Sendable {
  /// Where the track comes from.
  enum Origin: Sendable {
    case movie(Track)
    case new(NewTrack)
  }

  let origin: Origin
  var isEnabled: Bool
  var alternateGroup: UInt16
  /// The IDs by type of reference; empty slots are left out.
  var references: [FourCC: [UInt32]]

  init(_ track: Track) {
    origin = .movie(track)
    isEnabled = track.isEnabled
    alternateGroup = track.alternateGroup
    references = Self.references(of: track)
  }

  init(_ track: NewTrack) {
    origin = .new(track)
    isEnabled = false
    alternateGroup = 0
    references = [:]
  }

  var id: UInt32 {
    switch origin {
    case .movie(let track): track.id
    case .new(let track): track.id
    }
  }

  var mediaType: MediaType {
    switch origin {
    case .movie(let track): track.mediaType
    case .new(let track): track.input.mediaType
    }
  }

  var language: LanguageTag? {
    switch origin {
    case .movie(let track): track.language
    case .new(let track): track.input.languageTag
    }
  }

  var containsOnlyForcedSubtitles: Bool {
    switch origin {
    case .movie(let track): track.containsOnlyForcedSubtitles
    case .new(let track): track.input.containsOnlyForcedSubtitles
    }
  }

  var taggedCharacteristics: [MediaCharacteristic] {
    switch origin {
    case .movie(let track): track.taggedCharacteristics
    case .new(let track): track.input.mediaCharacteristics
    }
  }

  /// Whether the track is new or differs from what the movie has.
  var hasChanged: Bool {
    guard case .movie(let track) = origin else { return true }
    return hasChangedHeader || references != Self.references(of: track)
  }

  var hasChangedHeader: Bool {
    guard case .movie(let track) = origin else { return false }
    return isEnabled != track.isEnabled || alternateGroup != track.alternateGroup
  }

  static func references(of track: Track) -> [FourCC: [UInt32]] {
    Dictionary(grouping: track.references, by: \.type).mapValues { $0.flatMap(\.trackIDs).filter { $0 != 0 } }
      .filter { !$0.value.isEmpty }
  }
}

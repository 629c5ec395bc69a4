import MovieBox

/// What QuickTime movies alone say of a movie and its tracks (QTFF "Movie Atoms", "Track Atoms").
enum QuickTimeAtoms {
  /// What such an atom of a movie holds, in words; `nil` for others.
  static func inMovie(_ type: FourCC) -> String? {
    ["clip", "ctab", "prfl", "rmra", "matt"].contains(type) ? words[type] : nil
  }

  /// What such an atom of a track holds, in words; `nil` for others.
  static func inTrack(_ type: FourCC) -> String? {
    ["clip", "matt", "load", "imap", "prfl"].contains(type) ? words[type] : nil
  }

  private static let words: [FourCC: String] = [
    "clip": "clipping region", "ctab": "color table", "prfl": "profile", "rmra": "list of other movies",
    "matt": "matte", "load": "load settings", "imap": "input map",
  ]
}

import MovieBox

/// What QuickTime movies alone say of a movie and its tracks (QTFF "Movie Atoms", "Track Atoms").
enum QuickTimeAtoms {
  /// The name of such an atom of a movie; `nil` for others.
  static func inMovie(_ type: FourCC) -> String? {
    ["clip", "ctab", "prfl", "rmra", "matt"].contains(type) ? names[type] : nil
  }

  /// The name of such an atom of a track; `nil` for others.
  static func inTrack(_ type: FourCC) -> String? {
    ["clip", "matt", "load", "imap", "prfl"].contains(type) ? names[type] : nil
  }

  private static let names: [FourCC: String] = [
    "clip": "clipping region", "ctab": "color table", "prfl": "profile", "rmra": "reference movie list",
    "matt": "matte", "load": "load settings", "imap": "input map",
  ]
}

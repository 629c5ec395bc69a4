import MovieBox

extension MovieEdit {
  /// What a new file cannot keep true: positions of vendors' own that nobody rewrites.
  public var warningsForNewFile: [EditNotice] {
    var messages: [String] = []
    if movie.tree.child(of: movie.tree.root, "gps ") != nil {
      messages.append("the camera's own table of positions (gps in moov) is copied as it is")
    }
    if hasCanonPositions {
      messages.append("the camera's own table of positions (CTBO in moov/uuid) is copied as it is")
    }
    if let trailing = movie.layout.trailing, changes.sharing == nil {
      messages.append(
        "\(trailing.count) bytes at the end of the file are copied as they are; file offsets in them may be wrong now")
    }
    if let hidden = ItemLocations.firstHidden(in: movie.tree) {
      messages.append(
        "\(movie.tree.path(of: hidden)) has positions of items (iloc) among bytes that are not atoms; they may be wrong now"
      )
    }
    return messages.map { EditNotice(.vendorPosition, isWarning: true, $0) }
  }

  /// Whether `moov` holds Canon's `uuid` atom with a `CTBO` in it: positions and sizes of top-level atoms,
  /// counted from its start (as in CR3 files and the movies of the same cameras).
  private var hasCanonPositions: Bool {
    movie.tree.children(of: movie.tree.root, "uuid").contains { uuid in
      let payload = movie.tree.payload(of: uuid)
      return payload.slice(at: 0, count: 16) == Self.canon && AtomList(payload, from: 16).contains { $0.type == "CTBO" }
    }
  }

  private static let canon = Bytes([
    0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
  ])
}

/// The header of a track: the `tkhd` atom, versions 0 and 1 (QTFF "Track Header Atoms").
package struct TrackHeader {
  /// The version: 0, or 1 if times and duration have 64 bits.
  package var version: UInt8
  /// The 24 bits of flags: 0x1 if enabled, 0x2 if in the movie, 0x4 if in the preview, 0x8 if in the poster.
  package var flags: UInt32
  /// The creation time, in seconds since the start of 1904.
  package var creationTime: UInt64
  /// The modification time, in seconds since the start of 1904.
  package var modificationTime: UInt64
  /// The track ID, unique in the movie and never 0.
  package var trackID: UInt32
  package var reserved1: UInt32 = 0
  /// The duration of all edits, in movie ticks.
  package var duration: UInt64
  package var reserved2: UInt64 = 0
  /// The layer of the track. Lower layers are in front of higher layers.
  package var layer: Int16
  /// The alternate group, or 0 for no group. Players use one track of a group at a time.
  package var alternateGroup: UInt16
  /// The volume, as an 8.8 number. It is usually 0x100 for sound and 0 for other media.
  package var volume: Int16
  package var reserved3: UInt16 = 0
  /// The matrix that places the track in the movie.
  package var matrix: Matrix
  /// The width before the transformation, as a 16.16 number.
  package var width: UInt32
  /// The height before the transformation, as a 16.16 number.
  package var height: UInt32
  package var tail = Bytes()

  /// Creates a header. The version defaults to the lowest version that can store the times and the duration.
  package init(
    version: UInt8? = nil, flags: UInt32, creationTime: UInt64 = 0, modificationTime: UInt64 = 0, trackID: UInt32,
    duration: UInt64, layer: Int16 = 0, alternateGroup: UInt16 = 0, volume: Int16 = 0, matrix: Matrix = .identity,
    width: UInt32 = 0, height: UInt32 = 0
  ) {
    self.version = version ?? PayloadVersion.lowestVersion(for: creationTime, modificationTime, duration)
    self.flags = flags
    self.creationTime = creationTime
    self.modificationTime = modificationTime
    self.trackID = trackID
    self.duration = duration
    self.layer = layer
    self.alternateGroup = alternateGroup
    self.volume = volume
    self.matrix = matrix
    self.width = width
    self.height = height
  }

  /// Whether all bits of the duration are set. This value represents an unknown duration.
  package var isDurationUnknown: Bool { PayloadVersion.isUnknown(duration, version: version) }

  /// Whether the track is enabled (flag 0x1). Players use an enabled track unless the user selects another track.
  package var isEnabled: Bool {
    get { hasFlag(0x1) }
    set { setFlag(0x1, to: newValue) }
  }

  /// Whether the track is used in the movie (flag 0x2).
  package var isInMovie: Bool {
    get { hasFlag(0x2) }
    set { setFlag(0x2, to: newValue) }
  }

  /// Whether the track is used in the preview (flag 0x4).
  package var isInPreview: Bool {
    get { hasFlag(0x4) }
    set { setFlag(0x4, to: newValue) }
  }

  private func hasFlag(_ flag: UInt32) -> Bool { flags & flag != 0 }

  private mutating func setFlag(_ flag: UInt32, to isSet: Bool) {
    flags = isSet ? flags | flag : flags & ~flag
  }
}

extension TrackHeader: FieldedPayload {
  package static var placeholder: TrackHeader { TrackHeader(flags: 0, trackID: 0, duration: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 1, flagsText: Self.text(ofFlags:))
    try visitor.field(&creationTime, "created", .date(version))
    try visitor.field(&modificationTime, "modified", .date(version))
    try visitor.field(&trackID, "track ID", .number)
    try visitor.field(&reserved1, nil, .number)
    try visitor.field(&duration, "duration", .duration(version))
    try visitor.field(&reserved2, nil, .number)
    try visitor.field(&layer, "layer", .number)
    try visitor.field(&alternateGroup, "alternate group", .number)
    try visitor.field(&volume, "volume", .fixed8)
    try visitor.field(&reserved3, nil, .number)
    try visitor.field(&matrix, "matrix", .matrix)
    try visitor.field(&width, "width", .fixed16)
    try visitor.field(&height, "height", .fixed16)
    try visitor.field(&tail, nil, .rest)
  }

  private static func text(ofFlags flags: UInt32) -> String {
    let names = [(0x1, "enabled"), (0x2, "in movie"), (0x4, "in preview"), (0x8, "in poster")] as [(UInt32, String)]
    let set = names.filter { flags & $0.0 != 0 }.map(\.1)
    return Quantity.hexadecimal(flags) + (set.isEmpty ? "" : " (\(set.joined(separator: ", ")))")
  }
}

/// The tracks that a track refers to by one reference type: a child of `tref` (QTFF "Track Reference Atoms").
package struct TrackReference {
  /// The IDs of the tracks. An ID of 0 is an unused slot.
  package var trackIDs: [UInt32]
  /// Up to three bytes after the last complete ID.
  package var tail = Bytes()

  package init(trackIDs: [UInt32]) {
    self.trackIDs = trackIDs
  }
}

extension TrackReference: FieldedPayload {
  package static var placeholder: TrackReference { TrackReference(trackIDs: []) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&trackIDs, "tracks", .trackIDs)
    try visitor.field(&tail, nil, .rest)
  }
}

extension FieldFormat<[UInt32]> {
  /// The track IDs up to the end of the atom.
  fileprivate static var trackIDs: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in
        var ids: [UInt32] = []
        while reader.remaining >= 4 { ids.append(try reader.read()) }
        return ids
      },
      write: { ids, writer in for id in ids { writer.write(id) } },
      text: { ids in ids.map(String.init).joined(separator: ", ") })
  }
}

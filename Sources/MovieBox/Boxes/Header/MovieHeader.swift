/// The header of a movie: the `mvhd` atom, versions 0 and 1 (QTFF "Movie Header Atoms").
package struct MovieHeader {
  /// The version: 0, or 1 if times and duration have 64 bits.
  package var version: UInt8
  package var flags: UInt32
  /// The creation time, in seconds since the start of 1904.
  package var creationTime: UInt64
  /// The modification time, in seconds since the start of 1904.
  package var modificationTime: UInt64
  /// The number of movie ticks per second.
  package var timeScale: UInt32
  /// The duration of the longest track, in movie ticks.
  package var duration: UInt64
  /// The preferred rate, as a 16.16 number.
  package var rate: Int32
  /// The preferred volume, as an 8.8 number.
  package var volume: Int16
  package var reserved = Bytes.zeros(10)
  /// The transformation matrix of the movie.
  package var matrix: Matrix
  /// The 24 bytes of preview, poster, selection and current times in QuickTime files, or zeros in ISO files.
  package var predefined = Bytes.zeros(24)
  /// A number above every track ID. If all its bits are set, writers must search for an unused ID.
  package var nextTrackID: UInt32
  package var tail = Bytes()

  /// Creates a header. The version defaults to the lowest version that can store the times and the duration.
  package init(
    version: UInt8? = nil, flags: UInt32 = 0, creationTime: UInt64 = 0, modificationTime: UInt64 = 0,
    timeScale: UInt32, duration: UInt64, rate: Int32 = 0x1_0000, volume: Int16 = 0x100, matrix: Matrix = .identity,
    nextTrackID: UInt32
  ) {
    self.version = version ?? PayloadVersion.lowestVersion(for: creationTime, modificationTime, duration)
    self.flags = flags
    self.creationTime = creationTime
    self.modificationTime = modificationTime
    self.timeScale = timeScale
    self.duration = duration
    self.rate = rate
    self.volume = volume
    self.matrix = matrix
    self.nextTrackID = nextTrackID
  }

  /// Whether all bits of the duration are set. This value represents an unknown duration.
  package var isDurationUnknown: Bool { PayloadVersion.isUnknown(duration, version: version) }
}

extension MovieHeader: FieldedPayload {
  package static var placeholder: MovieHeader { MovieHeader(timeScale: 0, duration: 0, nextTrackID: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 1)
    try visitor.field(&creationTime, "created", .date(version))
    try visitor.field(&modificationTime, "modified", .date(version))
    try visitor.field(&timeScale, "time scale", .number)
    try visitor.field(&duration, "duration", .duration(version))
    try visitor.field(&rate, "rate", .fixed16)
    try visitor.field(&volume, "volume", .fixed8)
    try visitor.field(&reserved, nil, .bytes(10))
    try visitor.field(&matrix, "matrix", .matrix)
    try visitor.field(&predefined, nil, .bytes(24))
    try visitor.field(&nextTrackID, "next track ID", .number)
    try visitor.field(&tail, nil, .rest)
  }
}

/// What holds for a whole movie: the `mvhd` atom, versions 0 and 1 (QTFF "Movie Header Atoms").
public struct MovieHeader {
  /// 0, or 1 with times and duration of 64 bits.
  public var version: UInt8
  /// 24 bits of flags; 0.
  public var flags: UInt32
  /// When the movie was made, in seconds since the start of 1904.
  public var creationTime: UInt64
  /// When the movie was changed, in seconds since the start of 1904.
  public var modificationTime: UInt64
  /// How many ticks of the movie make a second.
  public var timeScale: UInt32
  /// The duration of the longest track, in movie ticks.
  public var duration: UInt64
  /// The preferred rate, 16.16.
  public var rate: Int32
  /// The preferred volume, 8.8.
  public var volume: Int16
  /// 10 bytes, zero.
  public var reserved: Bytes
  /// The matrix of the movie.
  public var matrix: Matrix
  /// 24 bytes: preview, poster, selection and current times in QuickTime files, zero in ISO files.
  public var predefined: Bytes
  /// A number above every track ID; all ones means that a free one has to be looked for.
  public var nextTrackID: UInt32
  /// What follows the known fields.
  public var tail: Bytes

  /// A header of these values; without a version, the lowest that holds them.
  public init(
    version: UInt8? = nil, flags: UInt32 = 0, creationTime: UInt64 = 0, modificationTime: UInt64 = 0,
    timeScale: UInt32, duration: UInt64, rate: Int32 = 0x1_0000, volume: Int16 = 0x100, matrix: Matrix = .identity,
    nextTrackID: UInt32, tail: Bytes = Bytes()
  ) {
    self.version = version ?? PayloadVersion.holding(creationTime, modificationTime, duration)
    self.flags = flags
    self.creationTime = creationTime
    self.modificationTime = modificationTime
    self.timeScale = timeScale
    self.duration = duration
    self.rate = rate
    self.volume = volume
    self.reserved = .zeros(10)
    self.matrix = matrix
    self.predefined = .zeros(24)
    self.nextTrackID = nextTrackID
    self.tail = tail
  }

  /// Whether the duration is all ones, so that nobody knows it.
  public var isDurationUnknown: Bool { PayloadVersion.isUnknown(duration, version: version) }
}

extension MovieHeader: FieldedPayload {
  /// Parses `mvhd`. Throws when the bytes end early, and for versions above 1.
  public init(payload: Bytes) throws(MovieError) {
    self = try Self.reading(payload)
  }

  /// Writes `mvhd`. Times and duration must fit the version.
  public func write(to writer: inout ByteWriter) {
    writeFields(to: &writer)
  }

  static var unread: MovieHeader { MovieHeader(timeScale: 0, duration: 0, nextTrackID: 0) }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 1)
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

/// Time scale, duration and language of a track's media: the `mdhd` atom, versions 0 and 1 (QTFF "Media Header Atoms").
package struct MediaHeader {
  /// 0, or 1 with times and duration of 64 bits.
  package var version: UInt8
  /// 24 bits of flags; 0.
  package var flags: UInt32
  /// When the media was made, in seconds since the start of 1904.
  package var creationTime: UInt64
  /// When the media was changed, in seconds since the start of 1904.
  package var modificationTime: UInt64
  /// How many ticks of the media make a second.
  package var timeScale: UInt32
  /// The duration of all samples, in media ticks.
  package var duration: UInt64
  /// The language as it stands: a Macintosh code below 0x400, 0x7FFF for none, else three packed letters.
  package var languageCode: UInt16
  /// The playback quality in QuickTime files, 0 in ISO files.
  package var quality: UInt16
  /// What follows the known fields.
  package var tail: Bytes

  /// A header of these values; without a version, the lowest that holds them.
  package init(
    version: UInt8? = nil, flags: UInt32 = 0, creationTime: UInt64 = 0, modificationTime: UInt64 = 0,
    timeScale: UInt32, duration: UInt64, languageCode: UInt16, quality: UInt16 = 0, tail: Bytes = Bytes()
  ) {
    self.version = version ?? PayloadVersion.holding(creationTime, modificationTime, duration)
    self.flags = flags
    self.creationTime = creationTime
    self.modificationTime = modificationTime
    self.timeScale = timeScale
    self.duration = duration
    self.languageCode = languageCode
    self.quality = quality
    self.tail = tail
  }

  /// Whether the duration is all ones, so that nobody knows it.
  package var isDurationUnknown: Bool { PayloadVersion.isUnknown(duration, version: version) }
}

extension MediaHeader: FieldedPayload {
  package static var unread: MediaHeader { MediaHeader(timeScale: 0, duration: 0, languageCode: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 1)
    try visitor.field(&creationTime, "created", .date(version))
    try visitor.field(&modificationTime, "modified", .date(version))
    try visitor.field(&timeScale, "time scale", .number)
    try visitor.field(&duration, "duration", .duration(version))
    try visitor.field(&languageCode, "language", .language)
    try visitor.field(&quality, "quality", .number)
    try visitor.field(&tail, nil, .rest)
  }
}

/// The index of a segment's pieces by bytes and time: the `sidx` atom, versions 0 and 1 (ISO/IEC 14496-12 8.16.3).
package struct SegmentIndex {
  /// One piece: a run of fragments, or another index.
  package struct Reference: Hashable, Sendable {
    /// Whether the bytes are another index, not media.
    package var isIndex: Bool
    /// The distance from the first byte of this piece to the first of the next, in bytes; 31 bits.
    package var byteCount: UInt32
    /// The duration of the piece, in ticks of ``timeScale``.
    package var duration: UInt32
    /// 1 bit whether it starts with a stream access point, 3 bits of its type, 28 bits of its time after the start.
    package var accessPoint: UInt32

    /// A piece; `byteCount` keeps its low 31 bits.
    package init(isIndex: Bool = false, byteCount: UInt32, duration: UInt32, accessPoint: UInt32 = 0) {
      self.isIndex = isIndex
      self.byteCount = byteCount & 0x7FFF_FFFF
      self.duration = duration
      self.accessPoint = accessPoint
    }
  }

  /// 0, or 1 with a time and an offset of 64 bits.
  package var version: UInt8
  package var flags: UInt32
  /// The stream that times are of: a track ID.
  package var referenceID: UInt32
  /// The number of ticks per second.
  package var timeScale: UInt32
  /// The earliest presentation time of the first piece, in ticks.
  package var earliestPresentationTime: UInt64
  /// The number of bytes between the end of this atom and the first piece.
  package var firstOffset: UInt64
  package var reserved: UInt16 = 0
  /// The pieces, one after the other; at most 65535.
  package var references: [Reference]
  package var tail = Bytes()

  /// An index of these values; without a version, the lowest that holds them.
  package init(
    version: UInt8? = nil, flags: UInt32 = 0, referenceID: UInt32, timeScale: UInt32,
    earliestPresentationTime: UInt64, firstOffset: UInt64 = 0, references: [Reference]
  ) {
    self.version = version ?? PayloadVersion.holding(earliestPresentationTime, firstOffset)
    self.flags = flags
    self.referenceID = referenceID
    self.timeScale = timeScale
    self.earliestPresentationTime = earliestPresentationTime
    self.firstOffset = firstOffset
    self.references = references
  }
}

extension SegmentIndex: FieldedPayload {
  package static var unread: SegmentIndex {
    SegmentIndex(referenceID: 0, timeScale: 0, earliestPresentationTime: 0, references: [])
  }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 1)
    try visitor.field(&referenceID, "reference ID", .number)
    try visitor.field(&timeScale, "time scale", .number)
    try visitor.field(&earliestPresentationTime, "earliest time", .versioned(version))
    try visitor.field(&firstOffset, "first offset", .versioned(version))
    try visitor.field(&reserved, nil, .number)
    try visitor.entries(&references, "piece", countedBy: UInt16.self, version: version)
    try visitor.field(&tail, nil, .rest)
  }
}

extension SegmentIndex.Reference: FieldedEntry {
  package static var unread: SegmentIndex.Reference { SegmentIndex.Reference(byteCount: 0, duration: 0) }
  package static func byteCount(version: UInt8) -> Int { 12 }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor, version: UInt8) throws(Visitor.Failure) {
    var word = (isIndex ? 0x8000_0000 : 0) | byteCount & 0x7FFF_FFFF
    try visitor.field(&word, nil, .number)
    (isIndex, byteCount) = (word >> 31 != 0, word & 0x7FFF_FFFF)
    try visitor.field(&duration, nil, .number)
    try visitor.field(&accessPoint, nil, .number)
  }

  package var text: String { "\(byteCount) bytes of \(isIndex ? "another index" : "media"), for \(duration)" }
}

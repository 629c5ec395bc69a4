/// The index of a segment by bytes and time: the `sidx` atom, versions 0 and 1 (ISO/IEC 14496-12 8.16.3).
package struct SegmentIndex {
  /// An entry of the index. It refers to a subsegment of fragments, or to another index.
  package struct Reference: Hashable, Sendable {
    /// Whether the entry refers to another index instead of media.
    package var isIndex: Bool
    /// The number of bytes from the start of the referenced subsegment to the start of the next subsegment. The file
    /// stores 31 bits.
    package var byteCount: UInt32
    /// The duration of the referenced subsegment, in ticks of ``SegmentIndex/timeScale``.
    package var duration: UInt32
    /// The stream access point (SAP) of the subsegment.
    ///
    /// The top bit is set if the subsegment starts with a SAP. The next three bits contain the type of the SAP. The low
    /// 28 bits contain the time from the start of the subsegment to the SAP.
    package var accessPoint: UInt32

    /// Creates an entry. Only the low 31 bits of `byteCount` are used.
    package init(isIndex: Bool = false, byteCount: UInt32, duration: UInt32, accessPoint: UInt32 = 0) {
      self.isIndex = isIndex
      self.byteCount = byteCount & 0x7FFF_FFFF
      self.duration = duration
      self.accessPoint = accessPoint
    }
  }

  /// The version: 0, or 1 if the time and offset have 64 bits.
  package var version: UInt8
  package var flags: UInt32
  /// The ID of the indexed track.
  package var referenceID: UInt32
  /// The number of ticks per second.
  package var timeScale: UInt32
  /// The earliest presentation time in the first subsegment, in ticks.
  package var earliestPresentationTime: UInt64
  /// The number of bytes between the end of this atom and the first subsegment.
  package var firstOffset: UInt64
  package var reserved: UInt16 = 0
  /// The entries of the index, in file order. There are at most 65535 entries.
  package var references: [Reference]
  package var tail = Bytes()

  /// Creates an index. The version defaults to the lowest version that can store the values.
  package init(
    version: UInt8? = nil, flags: UInt32 = 0, referenceID: UInt32, timeScale: UInt32,
    earliestPresentationTime: UInt64, firstOffset: UInt64 = 0, references: [Reference]
  ) {
    self.version = version ?? PayloadVersion.lowestVersion(for: earliestPresentationTime, firstOffset)
    self.flags = flags
    self.referenceID = referenceID
    self.timeScale = timeScale
    self.earliestPresentationTime = earliestPresentationTime
    self.firstOffset = firstOffset
    self.references = references
  }
}

extension SegmentIndex: FieldedPayload {
  package static var placeholder: SegmentIndex {
    SegmentIndex(referenceID: 0, timeScale: 0, earliestPresentationTime: 0, references: [])
  }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 1)
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
  package static var placeholder: SegmentIndex.Reference { SegmentIndex.Reference(byteCount: 0, duration: 0) }
  package static func byteCount(version: UInt8) -> Int { 12 }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor, version: UInt8) throws(Visitor.Failure) {
    var word = (isIndex ? 0x8000_0000 : 0) | byteCount & 0x7FFF_FFFF
    try visitor.field(&word, nil, .number)
    (isIndex, byteCount) = (word >> 31 != 0, word & 0x7FFF_FFFF)
    try visitor.field(&duration, nil, .number)
    try visitor.field(&accessPoint, nil, .number)
  }

  package var text: String {
    "\(byteCount) bytes of \(isIndex ? "another index" : "media") with a duration of \(duration)"
  }
}

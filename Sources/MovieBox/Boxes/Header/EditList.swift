/// The edits that map a track's media to the movie's timeline: the `elst` atom, versions 0 and 1 (QTFF "Edit List
/// Atoms").
package struct EditList {
  package struct Entry: Hashable, Sendable {
    /// The duration of the edit, in movie ticks. ``EditList/isOpen(at:)`` and ``hasUnknownDuration`` interpret special
    /// values.
    package var segmentDuration: UInt64
    /// The start of the edit in the media, in media ticks, or -1 for an empty edit.
    package var mediaTime: Int64
    /// The playback rate, as a 16.16 number.
    package var mediaRate: Int32

    package init(segmentDuration: UInt64, mediaTime: Int64, mediaRate: Int32 = 0x1_0000) {
      self.segmentDuration = segmentDuration
      self.mediaTime = mediaTime
      self.mediaRate = mediaRate
    }

    /// Whether the edit presents no media.
    package var isEmptyEdit: Bool { mediaTime == -1 }

    /// Whether all bits of the duration are set. In `mvhd`, `tkhd` and `mdhd`, this value represents an unknown
    /// duration.
    package var hasUnknownDuration: Bool { [UInt64(UInt32.max), .max].contains(segmentDuration) }

    /// The duration of the edit, in movie ticks, or 0 if it is unknown.
    package var knownDuration: UInt64 { hasUnknownDuration ? 0 : segmentDuration }
  }

  /// The version: 0, or 1 if durations and times have 64 bits.
  package var version: UInt8
  package var flags: UInt32
  /// The edits, in presentation order.
  package var entries: [Entry]
  package var tail: Bytes

  /// Creates a list. The version defaults to the lowest version that can store the edits.
  package init(version: UInt8? = nil, flags: UInt32 = 0, entries: [Entry], tail: Bytes = Bytes()) {
    let fitsVersion0 = entries.allSatisfy {
      UInt32(exactly: $0.segmentDuration) != nil && Int32(exactly: $0.mediaTime) != nil
    }
    self.version = version ?? (fitsVersion0 ? 0 : 1)
    self.flags = flags
    self.entries = entries
    self.tail = tail
  }

  /// Whether an edit presents all remaining media. This is the case for the last edit if it is not an empty edit and
  /// its duration is 0 or unknown.
  ///
  /// ISO/IEC 14496-12, 8.6.6 defines this rule for fragmented movies. The rule is applied to other movies too, because
  /// an edit without a duration would have no effect.
  package func isOpen(at index: Int) -> Bool {
    guard index == entries.count - 1, let last = entries.last else { return false }
    return last.knownDuration == 0 && last.mediaTime >= 0
  }

  /// Whether the last edit presents all remaining media.
  package var isOpen: Bool { isOpen(at: entries.count - 1) }

  /// The total duration of the edits, in movie ticks. Open edits and edits of unknown duration are not counted. The
  /// value is `UInt64.max` if the sum overflows.
  package var durationInMovieTicks: UInt64 { entries.durationInMovieTicks }

  /// The start of the first sample, in movie ticks. It is the total duration of the leading empty edits, or
  /// `UInt64.max` if the sum overflows.
  package var presentationStartInMovieTicks: UInt64 { entries.prefix(while: \.isEmptyEdit).durationInMovieTicks }
}

extension Sequence<EditList.Entry> {
  fileprivate var durationInMovieTicks: UInt64 { reduce(0) { $0.addingClamped($1.knownDuration) } }
}

extension EditList: FieldedPayload {
  package static var placeholder: EditList { EditList(entries: []) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 1)
    try visitor.entries(&entries, "edit", countedBy: UInt32.self, version: version)
    try visitor.field(&tail, nil, .rest)
  }
}

extension EditList.Entry: FieldedEntry {
  package static var placeholder: EditList.Entry { EditList.Entry(segmentDuration: 0, mediaTime: 0) }
  package static func byteCount(version: UInt8) -> Int { version == 0 ? 12 : 20 }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor, version: UInt8) throws(Visitor.Failure) {
    try visitor.field(&segmentDuration, nil, .versioned(version))
    if version == 0 {
      var time = Int32(truncatingIfNeeded: mediaTime)
      precondition(Int64(time) == mediaTime, "a media time beyond 32 bits needs version 1")
      try visitor.field(&time, nil, .number)
      mediaTime = Int64(time)
    } else {
      try visitor.field(&mediaTime, nil, .number)
    }
    try visitor.field(&mediaRate, nil, .number)
  }

  package var text: String {
    let start = isEmptyEdit ? "nothing" : "media from \(mediaTime)"
    return "\(start), for \(segmentDuration), rate \(FieldText.fixedPoint(mediaRate, 16))"
  }
}

/// Time scale, duration and language of a track's media: the `mdhd` atom, versions 0 and 1 (QTFF "Media Header Atoms").
package struct MediaHeader {
  /// 0, or 1 with times and duration of 64 bits.
  package var version: UInt8
  package var flags: UInt32
  /// The creation time, in seconds since the start of 1904.
  package var creationTime: UInt64
  /// The modification time, in seconds since the start of 1904.
  package var modificationTime: UInt64
  /// The number of media ticks per second.
  package var timeScale: UInt32
  /// The duration of all samples, in media ticks.
  package var duration: UInt64
  /// The language as it stands: a Macintosh code below 0x400, 0x7FFF for none, else three packed letters.
  package var languageCode: UInt16
  /// The playback quality in QuickTime files, 0 in ISO files.
  package var quality: UInt16
  package var tail = Bytes()

  /// A header of these values; without a version, the lowest that holds them.
  package init(
    version: UInt8? = nil, flags: UInt32 = 0, creationTime: UInt64 = 0, modificationTime: UInt64 = 0,
    timeScale: UInt32, duration: UInt64, languageCode: UInt16, quality: UInt16 = 0
  ) {
    self.version = version ?? PayloadVersion.holding(creationTime, modificationTime, duration)
    self.flags = flags
    self.creationTime = creationTime
    self.modificationTime = modificationTime
    self.timeScale = timeScale
    self.duration = duration
    self.languageCode = languageCode
    self.quality = quality
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

/// The language of a track as a BCP 47 tag: the `elng` atom (QTFF "Extended Language Tag Atom").
///
/// Some writers leave out version and flags, or the NUL; both are read and written back.
package struct ExtendedLanguage {
  /// Version 0 and flags 0; `nil` where the file has none.
  package var header: FullAtomHeader?
  /// The tag as it stands.
  package var storedTag: TerminatedString
  package var tail = Bytes()

  /// The atom for `tag`, which is ASCII.
  package init(tag: String) {
    header = FullAtomHeader()
    storedTag = TerminatedString(tag)
    tail = Bytes()
  }

  /// The tag; empty, and so not valid, where the bytes are not ASCII. Setting it ends it with a NUL.
  package var tag: String {
    get { storedTag.asciiText }
    set { storedTag = TerminatedString(newValue) }
  }
}

extension ExtendedLanguage: FieldedPayload {
  /// A tag begins with a letter, which is not a version. Fewer than four bytes are a tag of two letters and its NUL, as
  /// old versions of mp4ff wrote them.
  private static func hasHeader(_ payload: Bytes) -> Bool {
    guard payload.count >= 4 else { return false }
    switch payload[0] {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): return false
    default: return true
    }
  }

  package static var unread: ExtendedLanguage { ExtendedLanguage(tag: "") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    if let unread = visitor.unreadBytes { header = Self.hasHeader(unread) ? FullAtomHeader() : nil }
    if var present = header {
      try visitor.fullAtomHeader(&present.version, &present.flags, newest: 0)
      header = present
    }
    try visitor.field(&storedTag, "tag", .string.shown { $0.asciiText })
    try visitor.field(&tail, nil, .rest)
  }
}

extension TerminatedString {
  /// The text; empty where the bytes are not ASCII.
  fileprivate var asciiText: String { bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : "" }
}

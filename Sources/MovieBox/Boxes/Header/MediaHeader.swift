/// The time scale, duration and language of a track's media: the `mdhd` atom, versions 0 and 1 (QTFF "Media Header
/// Atoms").
package struct MediaHeader {
  /// The version: 0, or 1 if times and duration have 64 bits.
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
  /// The language as stored: a Macintosh code below 0x400, 0x7FFF if unspecified, or a packed ISO 639-2 code.
  package var languageCode: UInt16
  /// The playback quality in QuickTime files, or 0 in ISO files.
  package var quality: UInt16
  package var tail = Bytes()

  /// Creates a header. The version defaults to the lowest version that can store the times and the duration.
  package init(
    version: UInt8? = nil, flags: UInt32 = 0, creationTime: UInt64 = 0, modificationTime: UInt64 = 0,
    timeScale: UInt32, duration: UInt64, languageCode: UInt16, quality: UInt16 = 0
  ) {
    self.version = version ?? PayloadVersion.lowestVersion(for: creationTime, modificationTime, duration)
    self.flags = flags
    self.creationTime = creationTime
    self.modificationTime = modificationTime
    self.timeScale = timeScale
    self.duration = duration
    self.languageCode = languageCode
    self.quality = quality
  }

  /// Whether all bits of the duration are set. This value represents an unknown duration.
  package var isDurationUnknown: Bool { PayloadVersion.isUnknown(duration, version: version) }
}

extension MediaHeader: FieldedPayload {
  package static var placeholder: MediaHeader { MediaHeader(timeScale: 0, duration: 0, languageCode: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newestVersion: 1)
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
/// Some writers omit the version and flags, or the NUL. Such atoms are accepted and are written back unchanged.
package struct ExtendedLanguage {
  /// The version and flags, both 0, or `nil` if the file omits them.
  package var header: FullAtomHeader?
  package var storedTag: TerminatedString
  package var tail = Bytes()

  /// Creates the atom for an ASCII tag.
  package init(tag: String) {
    header = FullAtomHeader()
    storedTag = TerminatedString(tag)
    tail = Bytes()
  }

  /// The tag, or an empty string if the bytes are not ASCII. Setting the tag appends a NUL.
  package var tag: String {
    get { storedTag.asciiText }
    set { storedTag = TerminatedString(newValue) }
  }
}

extension ExtendedLanguage: FieldedPayload {
  /// Whether the payload begins with a version and flags. A letter is not a valid version, so a payload that begins
  /// with a letter begins with the tag. A payload of fewer than four bytes is a two-letter tag with its NUL, as old
  /// versions of mp4ff write it.
  private static func hasHeader(_ payload: Bytes) -> Bool {
    guard payload.count >= 4 else { return false }
    switch payload[0] {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): return false
    default: return true
    }
  }

  package static var placeholder: ExtendedLanguage { ExtendedLanguage(tag: "") }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    if let unread = visitor.unreadBytes { header = Self.hasHeader(unread) ? FullAtomHeader() : nil }
    if var presentHeader = header {
      try visitor.fullAtomHeader(&presentHeader.version, &presentHeader.flags, newestVersion: 0)
      header = presentHeader
    }
    try visitor.field(&storedTag, "tag", .string.withText { $0.asciiText })
    try visitor.field(&tail, nil, .rest)
  }
}

extension TerminatedString {
  /// The text, or an empty string if the bytes are not ASCII.
  fileprivate var asciiText: String { bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : "" }
}

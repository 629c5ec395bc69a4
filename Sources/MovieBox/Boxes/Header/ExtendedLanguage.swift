/// The language of a track as a BCP 47 tag: the `elng` atom (QTFF "Extended Language Tag Atom").
///
/// Some writers leave out version and flags, or the NUL; both are read and written back.
public struct ExtendedLanguage {
  /// Version 0 and flags 0; `nil` where the file has none.
  public var header: FullAtomHeader?
  /// The tag as it stands.
  public var storedTag: TerminatedString
  /// What follows the NUL.
  public var tail: Bytes

  /// The atom for `tag`, which is ASCII.
  public init(tag: String) {
    header = FullAtomHeader()
    storedTag = TerminatedString(tag)
    tail = Bytes()
  }

  /// The tag; empty, and so not valid, where the bytes are not ASCII. Setting it ends it with a NUL.
  public var tag: String {
    get { storedTag.bytes.allSatisfy { $0 < 0x80 } ? String(decoding: storedTag.bytes, as: UTF8.self) : "" }
    set { storedTag = TerminatedString(newValue) }
  }
}

extension ExtendedLanguage: AtomPayload {
  /// Parses `elng`. Throws for versions above 0.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    header = Self.hasHeader(payload) ? try reader.readFullAtomHeader(upTo: 0) : nil
    storedTag = try reader.readTerminatedString()
    tail = reader.readRest()
  }

  /// Writes `elng`.
  public func write(to writer: inout ByteWriter) {
    if let header { writer.write(header) }
    writer.write(storedTag)
    writer.write(tail)
  }

  /// A tag begins with a letter, which is not a version. Fewer than four bytes are a tag of two letters and its NUL, as
  /// old versions of mp4ff wrote them.
  private static func hasHeader(_ payload: Bytes) -> Bool {
    guard payload.count >= 4 else { return false }
    switch payload[0] {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): return false
    default: return true
    }
  }
}

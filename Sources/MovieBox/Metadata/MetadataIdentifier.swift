/// What a metadata item is about: a key in the key space of one vocabulary, written `space/key` as AVFoundation does.
///
///     let title = MetadataIdentifier("udta/©nam")
///     print(title!.description)  // udta/%A9nam
public struct MetadataIdentifier: Hashable, Sendable {
  /// A vocabulary, and so a form in which items stand in a file. Open: raw values are what identifiers begin with.
  public struct Space: RawRepresentable, Hashable, Sendable {
    /// The name, such as `mdta`.
    public let rawValue: String

    /// A space of this name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// QuickTime metadata: keys in reverse domain notation (`meta` with the handler `mdta`).
    public static let quickTimeMetadata = Space(rawValue: "mdta")
    /// QuickTime user data: four-character codes, most with `©` (`udta`).
    public static let quickTimeUserData = Space(rawValue: "udta")
    /// User data of ISO and 3GPP files: four-character codes (`udta`).
    public static let isoUserData = Space(rawValue: "uiso")
    /// iTunes metadata: four-character codes (`meta` with the handler `mdir` in `udta`).
    public static let iTunes = Space(rawValue: "itsk")
    /// iTunes metadata with names of their own (`----`): keys are `mean.name`.
    public static let iTunesLongForm = Space(rawValue: "itlk")
    /// Frames of ID3 version 2 (`ID32`).
    public static let id3 = Space(rawValue: "id3")
    /// Packets of XMP, as a whole.
    public static let xmp = Space(rawValue: "xmp")
    /// Windows' items (`Xtra`).
    public static let windows = Space(rawValue: "xtra")
    /// Facts of Sony's cameras, in an XML document beside the movie atom (`meta` with the handler `nrtm`).
    public static let sonyXML = Space(rawValue: "nrtm")
    /// Other XML documents beside the movie atom, as a whole.
    public static let xml = Space(rawValue: "xml")
    /// The merged view of facts that several spaces know; nothing is stored in it.
    public static let common = Space(rawValue: "common")

    /// Whether keys are four bytes.
    var hasFourByteKeys: Bool { [.quickTimeUserData, .isoUserData, .iTunes, .id3].contains(self) }
  }

  /// The vocabulary.
  public let space: Space
  /// The key. Where keys are four bytes, bytes other than letters, digits, `-`, `.`, `_` and `~` are written `%` and
  /// two hexadecimal digits.
  public let key: String

  /// An identifier of a key as it is written after the slash.
  package init(_ space: Space, key: String) {
    self.space = space
    self.key = key
  }

  /// An identifier of a four-character code.
  init(_ space: Space, _ type: FourCC) {
    self.space = space
    key = Self.escaped(type)
  }

  /// Reads `space/key`; `©` stands for its byte in a key of four. `nil` where a part is empty, or a key of a space of
  /// four-byte keys has another length.
  public init?(_ text: some StringProtocol) {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    let space = Space(rawValue: String(text[..<slash]))
    let key = String(text[text.index(after: slash)...])
    guard !space.rawValue.isEmpty, !key.isEmpty else { return nil }
    guard space.hasFourByteKeys else {
      self.init(space, key: key)
      return
    }
    guard let bytes = Self.unescaped(key), bytes.count == 4 else { return nil }
    self.init(space, FourCC(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) }))
  }

  /// The four-character code of a space that has them.
  package var type: FourCC? {
    guard space.hasFourByteKeys, let bytes = Self.unescaped(key), bytes.count == 4 else { return nil }
    return FourCC(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// Whether the identifier matches a pattern such as `mdta/com.apple.*`, in which `*` stands for any text.
  public func matches(_ pattern: String) -> Bool {
    let wanted = MetadataIdentifier(pattern)?.description ?? pattern  // `©nam` in the spelling of identifiers.
    return Self.matches(Array(description.utf8)[...], Array(wanted.utf8))
  }

  /// One pass, which goes back to the last `*` where the text does not go on as the pattern does.
  private static func matches(_ text: ArraySlice<UInt8>, _ pattern: [UInt8]) -> Bool {
    var (position, place) = (text.startIndex, 0)
    var star: (place: Int, position: Int)?
    while position < text.endIndex {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        star = (place, position)
        place += 1
      } else if place < pattern.count, pattern[place] == text[position] {
        position += 1
        place += 1
      } else if let last = star {
        star = (last.place, last.position + 1)
        (position, place) = (last.position + 1, last.place + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  private static func escaped(_ type: FourCC) -> String {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: type.rawValue >> ($0 as UInt32)) }
    return PercentEncoding.encoded(bytes, where: PercentEncoding.isUnreserved)
  }

  private static func unescaped(_ key: String) -> [UInt8]? {
    let scalars = key.unicodeScalars
    guard scalars.count <= 12, scalars.allSatisfy({ $0.isASCII || $0 == "©" }) else { return nil }
    return PercentEncoding.decoded(scalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }
}

extension MetadataIdentifier: CustomStringConvertible {
  /// `space/key`.
  public var description: String { space.rawValue + "/" + key }
}

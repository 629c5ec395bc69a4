// The place of media in another file, by URL, Macintosh alias or reference movie. Paths that lead out of the movie's
// folder are never followed.

import Subtitles

/// The location of media, as a data reference declares it. No file is opened.
package enum MediaLocation: Hashable, Sendable {
  /// In the file of the reference itself.
  case sameFile
  /// In the folder of the movie, or below it: the names of folders, if any, and of the file.
  case besideMovie([String])
  /// At a path from the root of a file system.
  case absolute(String)
  /// A path that leaves the folder of the movie, or a network address; as written.
  case elsewhere(String)
  /// In a resource fork of the classic Macintosh, which other file systems lose.
  case resourceFork
  /// Nowhere that could be understood.
  case unknown
}

extension MediaLocation: CustomStringConvertible {
  /// The path or URL, or why there is none.
  package var description: String {
    switch self {
    case .sameFile: "this file"
    case .besideMovie(let names): names.joined(separator: "/")
    case .absolute(let path), .elsewhere(let path): path
    case .resourceFork: "a resource fork"
    case .unknown: "a file that is not named"
    }
  }
}

extension DataReference.Entry {
  /// The location of the media, by the URL or alias (QTFF "Data Reference Atoms"; RFC 3986 for URLs).
  ///
  /// An alias that does not say how its file lies to the movie names a file beside it: so QuickTime looks for one that
  /// it does not find.
  package var location: MediaLocation {
    if isSelfContained { return .sameFile }
    switch type {
    case "url ": return Self.location(ofURL: data)
    case "alis":
      guard let alias = AliasRecord(data) else { return .unknown }
      guard alias.levelsUp ?? 1 == 1 else {
        let up = String(repeating: "../", count: (alias.levelsUp ?? 1) - 1)
        return .elsewhere(up + alias.names.joined(separator: "/"))
      }
      return Self.location(ofPath: alias.names)
    case "rsrc": return .resourceFork
    default: return .unknown
    }
  }

  private static func location(ofURL data: Bytes) -> MediaLocation {
    let bytes = Array(data.prefix { $0 != 0 })
    guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else { return .unknown }
    if let scheme = scheme(of: bytes) {
      guard scheme == "file", let path = absolutePath(bytes.dropFirst(scheme.utf8.count + 1)) else {
        return .elsewhere(text)
      }
      return .absolute(path)
    }
    if bytes.starts(with: "//".utf8) { return .elsewhere(text) }
    if bytes.first == UInt8(ascii: "/") { return decoded(bytes[...]).map { .absolute($0) } ?? .unknown }
    // Divided before escapes are decoded: an escaped slash divides nothing.
    var names: [String] = []
    for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true) {
      guard let name = decoded(part) else { return .unknown }
      names.append(name)
    }
    return location(ofPath: names)
  }

  /// A path by its names; one that goes up, even if it came back, is not followed.
  private static func location(ofPath names: [String]) -> MediaLocation {
    let names = names.filter { $0 != "." }
    guard !names.isEmpty, names.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) }) else { return .unknown }
    let isInside = names.allSatisfy { $0 != ".." && !$0.utf8.contains(UInt8(ascii: "/")) }
    return isInside ? .besideMovie(names) : .elsewhere(names.joined(separator: "/"))
  }

  /// The letters before a colon that no slash comes before, in lower case.
  private static func scheme(of bytes: [UInt8]) -> String? {
    let head = bytes.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
    guard head.count < bytes.count, bytes[head.count] == UInt8(ascii: ":"), !head.isEmpty else { return nil }
    return String(decoding: head, as: UTF8.self).lowercased()
  }

  /// The path of a file URL whose scheme is cut off; `nil` where it names another computer.
  private static func absolutePath(_ rest: ArraySlice<UInt8>) -> String? {
    guard rest.starts(with: "//".utf8) else {
      return rest.first == UInt8(ascii: "/") ? decoded(rest) : nil
    }
    let rest = rest.dropFirst(2)
    let host = rest.prefix { $0 != UInt8(ascii: "/") }
    guard host.isEmpty || String(decoding: host, as: UTF8.self).lowercased() == "localhost" else { return nil }
    return decoded(rest.dropFirst(host.count))
  }

  /// Text with its escapes decoded, as it stands where one of them is none; `nil` where it is no text, or has a NUL.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    let plain = PercentEncoding.decoded(bytes) ?? Array(bytes)
    return plain.contains(0) ? nil : String(validating: plain, as: UTF8.self)
  }
}

/// A movie that a reference movie names, for some players: `rdrf` in `rmda` (QTFF "Reference Movie Data Reference
/// Atoms").
struct AlternateMovie {
  /// The location of the alternate movie.
  let location: MediaLocation

  /// Parses `rdrf`: flags, the type of the reference, its size, the reference. Throws when it ends early.
  init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let flags = try reader.read(UInt32.self)
    let type = try reader.readFourCC()
    let byteCount = try reader.read(UInt32.self)
    let data = try reader.readBytes(Int(clamping: byteCount))
    location = DataReference.Entry(type: type, flags: flags & 0x1, data: data).location
  }

  /// Returns the error for a reference movie, which lists alternate movies and has no tracks; `nil` for a movie atom
  /// without such a list. The error names the alternates.
  static func refusal(of tree: AtomTree) -> MovieError? {
    guard let list = tree.child(of: tree.root, "rmra") else { return nil }
    return error(list, tree, "a reference movie, which has no media and names other movies", "; take one of those")
  }

  /// Returns the finding for a movie that lists alternates beside its own media.
  static func finding(in tree: AtomTree) -> MovieError? {
    guard let list = tree.child(of: tree.root, "rmra") else { return nil }
    return error(list, tree, "names other movies, of which players may take one instead", "")
  }

  private static func error(_ rmra: Int, _ tree: AtomTree, _ start: String, _ end: String) -> MovieError {
    var names: [String] = []
    for rmda in tree.children(of: rmra, "rmda") {
      for rdrf in tree.children(of: rmda, "rdrf") where names.count < 8 {
        do throws(MovieError) {
          names.append(try AlternateMovie(payload: tree.payload(of: rdrf)).location.description)
        } catch {
          names.append("one that cannot be read")
        }
      }
    }
    let list = names.isEmpty ? "" : ": " + names.joined(separator: ", ")
    return tree.error(.unsupported, at: rmra, start + list + end)
  }
}

/// The file that a Macintosh alias names: the data of an `alis` data reference.
///
/// 150 bytes, big-endian, then tagged fields (Apple's Aliases.h describes how they are used; the layout is as Apple
/// systems write it):
///
/// | at | bytes | |
/// |---|---|---|
/// | 6 | 2 | version, 2 |
/// | 8 | 2 | kind: 0 a file, 1 a folder |
/// | 50 | 64 | name of the file, a Pascal string |
/// | 130 | 2 | levels up from the alias to the folder that both are in; -1 where nobody said, 1 for its own folder |
/// | 132 | 2 | levels down from there to the file |
/// | 150 | | fields: tag 2, length 2, value, a byte more where the length is odd; tag -1 ends them |
struct AliasRecord {
  /// The number of folders between the alias's own and the common one, counted from 1; `nil` if it is unknown.
  let levelsUp: Int?
  /// The folders below that, and the file, as far as levels are known; else the file's name alone.
  let names: [String]

  /// Parses the data of a data reference; `nil` where it names no file, or in another version.
  init?(_ data: Bytes) {
    guard data.load(at: 6, as: UInt16.self) == 2, data.load(at: 8, as: UInt16.self) == 0,
      let up = data.load(at: 130, as: Int16.self), let down = data.load(at: 132, as: Int16.self),
      let length = data.slice(at: 50, count: 64)?.first,
      var name = data.slice(at: 51, count: Int(Swift.min(length, 63))).map({ MacRoman.decode($0) })
    else { return nil }
    let fields = Self.fields(data.dropFirst(150))
    // Longer and with all letters.
    if let text = fields[14], let units = text.load(at: 0, as: UInt16.self),
      let bytes = text.slice(at: 2, count: Int(units) * 2)
    {
      name = String(utf16: bytes, .bigEndian)
    }
    guard !name.isEmpty else { return nil }
    name = Self.posixName(name)
    guard up > 0, down > 0 else {
      (levelsUp, names) = (nil, [name])
      return
    }
    levelsUp = Int(up)
    let path = Self.path(fields)
    guard down == 1 || path.count >= down else { return nil }
    names = down == 1 ? [name] : Array(path.suffix(Int(down)))
  }

  /// By tag, the first of each.
  private static func fields(_ bytes: Bytes) -> [Int16: Bytes] {
    var fields: [Int16: Bytes] = [:]
    var position = 0
    while let tag = bytes.load(at: position, as: Int16.self), tag != -1,
      let length = bytes.load(at: position + 2, as: UInt16.self),
      let value = bytes.slice(at: position + 4, count: Int(length))
    {
      if fields[tag] == nil { fields[tag] = value }
      position += 4 + Int(length) + Int(length & 1)
    }
    return fields
  }

  /// The folders of the file's volume that lead to it, and its name: the path as newer systems write it (18), or the
  /// one of old, which begins with the volume (2). Some writers end folders there with a NUL beside the colon.
  private static func path(_ fields: [Int16: Bytes]) -> [String] {
    if let path = fields[18] {
      return path.utf8OrMacRomanText.split(separator: "/").map(String.init)
    }
    guard let path = fields[2] else { return [] }
    let parts = path.split { $0 == UInt8(ascii: ":") || $0 == 0 }
    return parts.dropFirst().map { posixName(MacRoman.decode($0)) }
  }

  /// Names of HFS may contain `/`, but not `:`, which divides its paths: `/` becomes `:`, and nothing becomes `/`.
  private static func posixName(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { $0 == "/" ? ":" : $0 }))
  }
}

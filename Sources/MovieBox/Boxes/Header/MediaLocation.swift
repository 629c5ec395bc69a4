// References to media in other files: URLs, Macintosh aliases and reference movies. A path that leads out of the
// movie's folder is never followed.

import Subtitles

/// The location of media that a data reference declares. No file is opened to determine the location.
package enum MediaLocation: Hashable, Sendable {
  /// The file that contains the reference.
  case sameFile
  /// A file in the movie's folder or one of its subfolders. The array contains the names of the subfolders, if any, and
  /// the name of the file.
  case inMovieFolder([String])
  /// An absolute path.
  case absolute(String)
  /// A path that leads out of the movie's folder, or a network address. The text is the path or address as stored.
  case elsewhere(String)
  /// A resource fork of classic Mac OS. Other file systems do not preserve resource forks.
  case resourceFork
  /// A file that the reference does not identify.
  case unknown
}

extension MediaLocation: CustomStringConvertible {
  /// The path or URL, or a description if the location has no path.
  package var description: String {
    switch self {
    case .sameFile: "this file"
    case .inMovieFolder(let names): names.joined(separator: "/")
    case .absolute(let path), .elsewhere(let path): path
    case .resourceFork: "a resource fork"
    case .unknown: "an unidentified file"
    }
  }
}

extension DataReference.Entry {
  /// The location of the media, from the URL or alias (QTFF "Data Reference Atoms"; RFC 3986 for URLs).
  ///
  /// An alias without a relative path refers to a file in the movie's folder, because QuickTime searches that folder
  /// for missing files.
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
    // The path is split before it is decoded, because an escaped slash is not a separator.
    var names: [String] = []
    for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true) {
      guard let name = decoded(part) else { return .unknown }
      names.append(name)
    }
    return location(ofPath: names)
  }

  /// Returns the location for the components of a path. A path with `..` is not followed, even if it leads back into
  /// the movie's folder.
  private static func location(ofPath names: [String]) -> MediaLocation {
    let names = names.filter { $0 != "." }
    guard !names.isEmpty, names.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) }) else { return .unknown }
    let isInside = names.allSatisfy { $0 != ".." && !$0.utf8.contains(UInt8(ascii: "/")) }
    return isInside ? .inMovieFolder(names) : .elsewhere(names.joined(separator: "/"))
  }

  /// Returns the URL scheme in lower case, or `nil` if a slash precedes the first colon or there is no colon.
  private static func scheme(of bytes: [UInt8]) -> String? {
    let head = bytes.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
    guard head.count < bytes.count, bytes[head.count] == UInt8(ascii: ":"), !head.isEmpty else { return nil }
    return String(decoding: head, as: UTF8.self).lowercased()
  }

  /// Returns the path of a file URL, or `nil` if the URL names another computer. `rest` is the URL without its scheme.
  private static func absolutePath(_ rest: ArraySlice<UInt8>) -> String? {
    guard rest.starts(with: "//".utf8) else {
      return rest.first == UInt8(ascii: "/") ? decoded(rest) : nil
    }
    let rest = rest.dropFirst(2)
    let host = rest.prefix { $0 != UInt8(ascii: "/") }
    guard host.isEmpty || String(decoding: host, as: UTF8.self).lowercased() == "localhost" else { return nil }
    return decoded(rest.dropFirst(host.count))
  }

  /// Returns the percent-decoded text, or the original text if an escape is invalid. Returns `nil` if the text is not
  /// UTF-8 or contains a NUL.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
    let decodedBytes = PercentEncoding.decoded(bytes) ?? Array(bytes)
    return decodedBytes.contains(0) ? nil : String(validating: decodedBytes, as: UTF8.self)
  }
}

/// A movie that a reference movie offers as an alternate: `rdrf` in `rmda` (QTFF "Reference Movie Data Reference
/// Atoms").
struct AlternateMovie {
  /// The location of the alternate movie.
  let location: MediaLocation

  /// Parses the flags, type, size and data of the reference in `rdrf`. Throws if the payload ends too early.
  init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let flags = try reader.read(UInt32.self)
    let type = try reader.readFourCC()
    let byteCount = try reader.read(UInt32.self)
    let data = try reader.readBytes(Int(clamping: byteCount))
    location = DataReference.Entry(type: type, flags: flags & 0x1, data: data).location
  }

  /// Returns the error for a reference movie, or `nil` if the movie atom lists no alternate movies. A reference movie
  /// has no tracks. The error names the alternate movies.
  static func referenceMovieError(of tree: AtomTree) -> MovieError? {
    guard let list = tree.child(of: tree.root, "rmra") else { return nil }
    return error(
      at: list, in: tree, fault: "is a reference movie, which contains no media and refers to other movies",
      advice: "; open one of these movies instead")
  }

  /// Returns a finding about the alternate movies that a movie with media lists, or `nil` if the movie lists none.
  static func finding(in tree: AtomTree) -> MovieError? {
    guard let list = tree.child(of: tree.root, "rmra") else { return nil }
    return error(at: list, in: tree, fault: "refers to other movies, which players may open instead", advice: "")
  }

  private static func error(at rmra: Int, in tree: AtomTree, fault: String, advice: String) -> MovieError {
    var names: [String] = []
    for rmda in tree.children(of: rmra, "rmda") {
      for rdrf in tree.children(of: rmda, "rdrf") where names.count < 8 {
        do throws(MovieError) {
          names.append(try AlternateMovie(payload: tree.payload(of: rdrf)).location.description)
        } catch {
          names.append("an unreadable reference")
        }
      }
    }
    let list = names.isEmpty ? "" : ": " + names.joined(separator: ", ")
    return tree.error(.unsupported, at: rmra, fault + list + advice)
  }
}

/// The file that a Macintosh alias refers to, from the data of an `alis` data reference.
///
/// An alias consists of 150 bytes in big-endian order and tagged fields. Apple's Aliases.h describes their use. The
/// layout was derived from files that Apple's systems wrote:
///
/// | at | bytes | |
/// |---|---|---|
/// | 6 | 2 | version, 2 |
/// | 8 | 2 | kind: 0 a file, 1 a folder |
/// | 50 | 64 | name of the file, a Pascal string |
/// | 130 | 2 | levels up from the alias to the common folder; -1 if unknown, 1 for the alias's own folder |
/// | 132 | 2 | levels down from the common folder to the file |
/// | 150 | | fields: tag 2, length 2, value, a padding byte after an odd length; tag -1 ends them |
struct AliasRecord {
  /// The number of levels from the alias up to the common folder, or `nil` if it is unknown. The alias's own folder is
  /// level 1.
  let levelsUp: Int?
  /// The names of the folders below the common folder, and then the name of the file. If the levels are unknown, the
  /// array contains only the file name.
  let names: [String]

  /// Parses the data of a data reference. Returns `nil` if the data names no file or has an unknown version.
  init?(_ data: Bytes) {
    guard data.load(at: 6, as: UInt16.self) == 2, data.load(at: 8, as: UInt16.self) == 0,
      let up = data.load(at: 130, as: Int16.self), let down = data.load(at: 132, as: Int16.self),
      let length = data.slice(at: 50, count: 64)?.first,
      var name = data.slice(at: 51, count: Int(Swift.min(length, 63))).map({ MacRoman.decode($0) })
    else { return nil }
    let fields = Self.fields(data.dropFirst(150))
    // Prefer the Unicode name, because the Pascal string may be shortened and lacks letters outside Mac Roman.
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

  /// Returns the tagged fields. If a tag occurs more than once, its first field is used.
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

  /// Returns the path of the file in its volume. Newer systems write a POSIX path (tag 18). Older systems write an
  /// HFS path, which begins with the volume (tag 2). Some writers add a NUL next to each colon of an HFS path.
  private static func path(_ fields: [Int16: Bytes]) -> [String] {
    if let path = fields[18] {
      return path.utf8OrMacRomanText.split(separator: "/").map(String.init)
    }
    guard let path = fields[2] else { return [] }
    let parts = path.split { $0 == UInt8(ascii: ":") || $0 == 0 }
    return parts.dropFirst().map { posixName(MacRoman.decode($0)) }
  }

  /// Returns an HFS name with each `/` replaced by `:`. HFS names may contain `/` but not `:`, which separates HFS
  /// paths.
  private static func posixName(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { $0 == "/" ? ":" : $0 }))
  }
}

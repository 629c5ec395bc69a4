import Subtitles

/// How a Macintosh alias names a file: the data of an `alis` data reference.
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
  /// How many folders up from the alias's own, counted from 1; `nil` where it does not say.
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

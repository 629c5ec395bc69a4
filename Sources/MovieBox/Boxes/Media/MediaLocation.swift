/// Where a data reference says that media lies. Nothing has been looked for.
package enum MediaLocation: Hashable, Sendable {
  /// In the file of the reference itself.
  case sameFile
  /// In the folder of the movie, or below it: the names of folders, if any, and of the file.
  case besideMovie([String])
  /// At a path from the root of a file system.
  case absolute(String)
  /// Where a path leads that leaves the folder of the movie, or a network; as it stands.
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
  /// Where the media lies, by the URL or alias (QTFF "Data Reference Atoms"; RFC 3986 for URLs).
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

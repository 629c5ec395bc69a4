package import MovieBox

/// The lines of an existing playlist. Text renditions can be added to the playlist and removed from it.
///
/// Only the lines that change are edited, so that the tags of other programs and their order are kept.
package struct PlaylistText: Sendable {
  /// The media type of playlists (RFC 8216, 4).
  static let mediaType = "application/vnd.apple.mpegurl"

  /// The nonempty lines.
  package private(set) var lines: [String]

  /// Parses a playlist. Throws if the bytes are not a playlist.
  package init(_ bytes: Bytes) throws(MovieError) {
    // Lines end with LF or CR LF (RFC 8216, 4.1). Other line separators may be part of a name.
    lines = bytes.split(separator: UInt8(ascii: "\n")).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }.filter { !$0.isEmpty }
    guard lines.first == "#EXTM3U" else {
      throw MovieError(.malformed, at: 0, "the file is not a playlist: #EXTM3U is missing")
    }
  }

  /// The text of the file.
  package var text: String { lines.joined(separator: "\n") + "\n" }

  /// Returns the attributes of a tag, without quotation marks.
  ///
  /// Searches UTF-8 bytes, because a quotation mark and a following combining accent are one character, and a name may
  /// start with an accent.
  package static func attributes(_ line: String) -> [String: String] {
    let (comma, mark) = (UInt8(ascii: ","), UInt8(ascii: "\""))
    var attributes: [String: String] = [:]
    var rest = line.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let name = String(Substring(rest[..<equals].drop { $0 == comma || $0 == UInt8(ascii: " ") }))
      rest = rest[rest.index(after: equals)...]
      let isQuoted = rest.first == mark
      if isQuoted { rest = rest.dropFirst() }
      let value = rest.prefix { $0 != (isQuoted ? mark : comma) }
      rest = rest[value.endIndex...].dropFirst()
      if attributes[name] == nil { attributes[name] = String(Substring(value)) }
    }
    return attributes
  }

  /// Returns the attributes of all tags with a name, and the indices of their lines.
  package func tags(_ name: String) -> [(line: Int, attributes: [String: String])] {
    lines.indices.filter { lines[$0].hasPrefix("#\(name):") }.map { ($0, Self.attributes(lines[$0])) }
  }

  /// The times in the comment of a playlist that this library wrote, or `nil` for other playlists.
  package var clock: MultivariantPlaylist.Clock? {
    lines.lazy.compactMap { MultivariantPlaylist.Clock($0) }.first
  }

  /// The durations of the segments in microseconds, or `nil` if a duration is not a number.
  package var durations: [UInt64]? {
    var microseconds: [UInt64] = []
    for line in lines where line.hasPrefix("#EXTINF:") {
      let number = line.dropFirst("#EXTINF:".count).prefix { $0 != "," }
      let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      let fraction = parts.count == 2 ? String(parts[1].prefix(6)) : ""
      // A duration of more than two years is rejected, so that the sum of all durations fits in 64 bits.
      guard let seconds = UInt64(parts[0]), seconds < 1 << 26,
        let micro = UInt64(fraction + String(repeating: "0", count: 6 - fraction.count))
      else { return nil }
      microseconds.append(seconds * 1_000_000 + micro)
    }
    return microseconds
  }

  /// The declared target duration in seconds, or `nil` if it is missing or exceeds two years.
  package var targetDuration: UInt64? {
    let tag = "#EXT-X-TARGETDURATION:"
    let seconds = lines.first { $0.hasPrefix(tag) }.flatMap { UInt64($0.dropFirst(tag.count)) }
    return seconds.flatMap { $0 < 1 << 26 ? $0 : nil }
  }

  /// The paths of the segments, in order.
  package var segmentPaths: [String] { lines.filter { !$0.hasPrefix("#") }.map(Self.path) }

  /// Returns the path in a URI reference (RFC 3986, 2.1).
  package static func path(_ reference: String) -> String {
    String(decoding: PercentEncoding.decoded(reference.utf8, isStrict: false) ?? [], as: UTF8.self)
  }

  /// Returns the components of a path. Searches UTF-8 bytes, because a slash and a following combining accent are one
  /// character in Swift but two in the file system.
  static func pathComponents(_ path: some StringProtocol) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Inserts a text rendition into all groups, and makes every variant refer to a group.
  ///
  /// - Parameters:
  ///   - replaced: the indices of the lines to remove. In each group, the new line replaces the first of these lines.
  ///   - groups: the text groups, which all have the same entries (RFC 8216, 4.3.4.1.1).
  ///   - rates: the highest bit rates of text before and after the change. The bit rates of variants include the old
  ///     rates.
  package mutating func put(
    _ rendition: MultivariantPlaylist.Rendition, inPlaceOf replaced: Set<Int>, groups: [String],
    rates: (old: BitRates, new: BitRates)
  ) {
    let texts = tags("EXT-X-MEDIA").filter { $0.attributes["TYPE"] == "SUBTITLES" }
    let members = Dictionary(grouping: texts) { $0.attributes["GROUP-ID"] ?? "" }
    var new: [Int: [String]] = [:]
    for group in groups {
      var copy = rendition
      copy.group = group
      new[insertionIndex(for: copy, among: members[group] ?? [], inPlaceOf: replaced), default: []].append(copy.line)
    }
    var changedLines: [String] = []
    for index in 0...lines.count {
      changedLines += new[index] ?? []
      if index < lines.count, !replaced.contains(index) { changedLines.append(lines[index]) }
    }
    lines = changedLines
    updateVariants(referringTo: groups.first ?? rendition.group, rates)
  }

  /// Removes the lines of text renditions, and the references of variants to groups that become empty.
  ///
  /// - Parameter rates: the highest bit rates of text before and after the change. The bit rates of variants include
  ///   the old rates.
  mutating func remove(_ removed: Set<Int>, rates: (old: BitRates, new: BitRates)) {
    lines = lines.indices.filter { !removed.contains($0) }.map { lines[$0] }
    let groups = Set(
      tags("EXT-X-MEDIA").filter { $0.attributes["TYPE"] == "SUBTITLES" }.compactMap { $0.attributes["GROUP-ID"] })
    for index in lines.indices where lines[index].hasPrefix("#EXT-X-STREAM-INF:") {
      let attributes = Self.attributes(lines[index])
      changeAttribute("BANDWIDTH", (rates.old.peak, rates.new.peak), in: index, attributes)
      changeAttribute("AVERAGE-BANDWIDTH", (rates.old.average, rates.new.average), in: index, attributes)
      guard let group = attributes["SUBTITLES"], !groups.contains(group) else { continue }
      if let range = lines[index].firstRange(of: ",SUBTITLES=\"\(group)\"") {
        lines[index].removeSubrange(range)
      } else if let range = lines[index].firstRange(of: ":SUBTITLES=\"\(group)\",") {
        lines[index].replaceSubrange(range, with: ":")
      }
    }
  }

  /// Returns the index of the line before which a rendition is inserted. A rendition takes the place of the line that
  /// it replaces. Otherwise, it follows the last rendition with the same or a lower rank, and precedes renditions of
  /// its language with a higher rank.
  private func insertionIndex(
    for rendition: MultivariantPlaylist.Rendition, among members: [(line: Int, attributes: [String: String])],
    inPlaceOf replaced: Set<Int>
  ) -> Int {
    let rank = Self.rank(Self.attributes(rendition.line))
    let remainingMembers = members.filter { !replaced.contains($0.line) }
    let firstLessGeneral = remainingMembers.first { _, attributes in
      attributes["LANGUAGE"] ?? "und" == rendition.language && Self.rank(attributes) > rank
    }
    let replacedLine = members.first { replaced.contains($0.line) }?.line
    let lastEquallyGeneralLine = remainingMembers.last { Self.rank($0.attributes) <= rank }?.line
    let index = replacedLine ?? lastEquallyGeneralLine.map { $0 + 1 } ?? remainingMembers.first?.line ?? endOfMedia
    return min(index, firstLessGeneral?.line ?? index)
  }

  /// Returns the rank of subtitles: 0 for plain subtitles, 1 for subtitles with characteristics, 2 for forced
  /// subtitles. The most general subtitles have the lowest rank (HLS Authoring Specification 9.17).
  private static func rank(_ attributes: [String: String]) -> Int {
    if attributes["FORCED"] == "YES" { return 2 }
    return attributes["CHARACTERISTICS"] == nil && attributes["AUTOSELECT"] != "NO" ? 0 : 1
  }

  /// The index after the last rendition of any kind.
  private var endOfMedia: Int {
    lines.lastIndex { $0.hasPrefix("#EXT-X-MEDIA:") }.map { $0 + 1 }
      ?? lines.firstIndex { $0.hasPrefix("#EXT-X-STREAM-INF:") } ?? lines.count
  }

  /// Makes every variant refer to a text group. In the bit rates of the variants, replaces the old rates of text with
  /// the new rates of text.
  private mutating func updateVariants(referringTo group: String, _ rates: (old: BitRates, new: BitRates)) {
    for index in lines.indices where lines[index].hasPrefix("#EXT-X-STREAM-INF:") {
      let attributes = Self.attributes(lines[index])
      if attributes["SUBTITLES"] == nil { lines[index] += ",SUBTITLES=\"\(group)\"" }
      changeAttribute("BANDWIDTH", (rates.old.peak, rates.new.peak), in: index, attributes)
      changeAttribute("AVERAGE-BANDWIDTH", (rates.old.average, rates.new.average), in: index, attributes)
    }
  }

  /// Updates the value of an attribute after one of its summands changed. A value that cannot include the old summand
  /// is unchanged.
  private mutating func changeAttribute(
    _ name: String, _ part: (old: UInt64, new: UInt64), in index: Int, _ attributes: [String: String]
  ) {
    guard let old = attributes[name].flatMap({ UInt64($0) }), old >= part.old || part.new >= part.old else { return }
    let new = part.new >= part.old ? old.addingClamped(part.new - part.old) : old - (part.old - part.new)
    for mark in [":", ","] {
      guard let range = lines[index].firstRange(of: "\(mark)\(name)=\(old)") else { continue }
      lines[index].replaceSubrange(range, with: "\(mark)\(name)=\(new)")
    }
  }
}

/// The attributes of a tag in the order of writing (RFC 8216, 4.2).
package struct PlaylistAttributes: Hashable, Sendable {
  private(set) var parts: [String] = []

  package init() {}

  /// Adds an enumerated string or a number.
  package mutating func add(_ name: String, _ value: String?) {
    if let value { parts.append("\(name)=\(value)") }
  }

  /// Adds a quoted string. ``quotable(_:)`` replaces forbidden characters first.
  package mutating func add(_ name: String, quoted value: String?) {
    if let value { parts.append("\(name)=\"\(Self.quotable(value))\"") }
  }

  /// Returns text that a quoted string can contain. Quotation marks become apostrophes. Control characters, and
  /// characters that some readers treat as line separators, become spaces.
  package static func quotable(_ text: String) -> String {
    var quotable = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: quotable += " "
      default: quotable.unicodeScalars.append(scalar == "\"" ? "'" : scalar)
      }
    }
    return quotable
  }

  /// Adds `YES` or `NO`.
  package mutating func add(_ name: String, _ flag: Bool) {
    parts.append("\(name)=\(flag ? "YES" : "NO")")
  }

  /// Returns a tag with these attributes.
  package func line(_ tag: String) -> String { "#\(tag):" + parts.joined(separator: ",") }
}

/// Returns a path as a URI reference, percent-encoded where needed (RFC 3986, 2.1 and 3.3).
package func uriReference(_ path: String) -> String {
  PercentEncoding.encoded(path.utf8) { $0 == UInt8(ascii: "/") || PercentEncoding.isUnreserved($0) }
}

package import MovieBox

/// A playlist as it stands in a file: its lines, and what they say as far as adding to it wants to know.
package struct PlaylistText: Sendable {
  /// The media type of playlists (RFC 8216, 4).
  static let mediaType = "application/vnd.apple.mpegurl"

  /// The lines, without those that are empty.
  package private(set) var lines: [String]

  /// Reads a playlist; throws where the bytes are none.
  package init(_ bytes: Bytes) throws(MovieError) {
    // Lines end with LF or CR LF (RFC 8216, 4.1); what else ends lines elsewhere may stand in a name.
    lines = bytes.split(separator: UInt8(ascii: "\n")).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }.filter { !$0.isEmpty }
    guard lines.first == "#EXTM3U" else { throw MovieError(.malformed, at: 0, "is not a playlist: no #EXTM3U") }
  }

  /// The text of the file.
  package var text: String { lines.joined(separator: "\n") + "\n" }

  /// The attributes of a tag, quotation marks taken off.
  ///
  /// By UTF-8: a quotation mark is one character with an accent that follows it, as a name may begin with.
  package static func attributes(_ line: String) -> [String: String] {
    let (comma, mark) = (UInt8(ascii: ","), UInt8(ascii: "\""))
    var found: [String: String] = [:]
    var rest = line.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let name = String(Substring(rest[..<equals].drop { $0 == comma || $0 == UInt8(ascii: " ") }))
      rest = rest[rest.index(after: equals)...]
      let isQuoted = rest.first == mark
      if isQuoted { rest = rest.dropFirst() }
      let value = rest.prefix { $0 != (isQuoted ? mark : comma) }
      rest = rest[value.endIndex...].dropFirst()
      if found[name] == nil { found[name] = String(Substring(value)) }
    }
    return found
  }

  /// The attributes of all tags of a name, with the places of their lines.
  package func tags(_ name: String) -> [(line: Int, attributes: [String: String])] {
    lines.indices.filter { lines[$0].hasPrefix("#\(name):") }.map { ($0, Self.attributes(lines[$0])) }
  }

  /// When the movie begins on the clock of the media, as our playlists say it; `nil` in others.
  package var clock: MultivariantPlaylist.Clock? {
    lines.lazy.compactMap { MultivariantPlaylist.Clock($0) }.first
  }

  /// The durations of the segments, in microseconds; `nil` for one that is not a number.
  package var durations: [UInt64]? {
    var found: [UInt64] = []
    for line in lines where line.hasPrefix("#EXTINF:") {
      let number = line.dropFirst("#EXTINF:".count).prefix { $0 != "," }
      let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      let fraction = parts.count == 2 ? String(parts[1].prefix(6)) : ""
      // Two years: as many segments as there may be then last no longer than 64 bits of microseconds.
      guard let seconds = UInt64(parts[0]), seconds < 1 << 26,
        let micro = UInt64(fraction + String(repeating: "0", count: 6 - fraction.count))
      else { return nil }
      found.append(seconds * 1_000_000 + micro)
    }
    return found
  }

  /// How long segments are at most, in seconds, as the tag says it; `nil` without it, and beyond two years.
  package var targetDuration: UInt64? {
    let tag = "#EXT-X-TARGETDURATION:"
    let seconds = lines.first { $0.hasPrefix(tag) }.flatMap { UInt64($0.dropFirst(tag.count)) }
    return seconds.flatMap { $0 < 1 << 26 ? $0 : nil }
  }

  /// What is named as segments, in order.
  package var segmentPaths: [String] { lines.filter { !$0.hasPrefix("#") }.map(Self.path) }

  /// The name of a file that a reference means (RFC 3986, 2.1).
  package static func path(_ reference: String) -> String {
    String(decoding: PercentEncoding.decoded(reference.utf8, isStrict: false) ?? [], as: UTF8.self)
  }

  /// The words of a path. By UTF-8: a slash is one character with an accent that follows it, and two of the system.
  static func words(_ path: some StringProtocol) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Puts a rendition of text into all groups, and has every variant name one of them.
  ///
  /// - Parameters:
  ///   - replaced: the lines of renditions that go; it takes the place of the first of each group.
  ///   - groups: those of text, which all have the same entries (RFC 8216, 4.3.4.1.1).
  ///   - rates: what the text costs at most, as the list counts it and with the new rendition.
  package mutating func put(
    _ rendition: MultivariantPlaylist.Rendition, inPlaceOf replaced: Set<Int>, groups: [String],
    rates: (old: BitRates, new: BitRates)
  ) {
    let texts = tags("EXT-X-MEDIA").filter { $0.attributes["TYPE"] == "SUBTITLES" }
    let members = Dictionary(grouping: texts) { $0.attributes["GROUP-ID"] ?? "" }
    var new: [Int: [String]] = [:]
    for group in groups {
      var own = rendition
      own.group = group
      new[place(for: own, among: members[group] ?? [], inPlaceOf: replaced), default: []].append(own.line)
    }
    var changed: [String] = []
    for index in 0...lines.count {
      changed += new[index] ?? []
      if index < lines.count, !replaced.contains(index) { changed.append(lines[index]) }
    }
    lines = changed
    nameGroup(groups.first ?? rendition.group, rates)
  }

  /// Removes the lines of renditions of text. A group that is empty then is named by no variant.
  ///
  /// - Parameter rates: what the text costs at most, as the list counts it and without the renditions.
  mutating func remove(_ removed: Set<Int>, rates: (old: BitRates, new: BitRates)) {
    lines = lines.indices.filter { !removed.contains($0) }.map { lines[$0] }
    let groups = Set(
      tags("EXT-X-MEDIA").filter { $0.attributes["TYPE"] == "SUBTITLES" }.compactMap { $0.attributes["GROUP-ID"] })
    for index in lines.indices where lines[index].hasPrefix("#EXT-X-STREAM-INF:") {
      let attributes = Self.attributes(lines[index])
      change("BANDWIDTH", (rates.old.peak, rates.new.peak), in: index, attributes)
      change("AVERAGE-BANDWIDTH", (rates.old.average, rates.new.average), in: index, attributes)
      guard let group = attributes["SUBTITLES"], !groups.contains(group) else { continue }
      if let range = lines[index].firstRange(of: ",SUBTITLES=\"\(group)\"") {
        lines[index].removeSubrange(range)
      } else if let range = lines[index].firstRange(of: ":SUBTITLES=\"\(group)\",") {
        lines[index].replaceSubrange(range, with: ":")
      }
    }
  }

  /// The line that a rendition comes before: where it replaces another, the place of that; else after those that are as
  /// general as it. In each case before the less general ones of its language.
  private func place(
    for rendition: MultivariantPlaylist.Rendition, among members: [(line: Int, attributes: [String: String])],
    inPlaceOf replaced: Set<Int>
  ) -> Int {
    let rank = Self.rank(Self.attributes(rendition.line))
    let others = members.filter { !replaced.contains($0.line) }
    let lessGeneral = others.first { _, attributes in
      attributes["LANGUAGE"] ?? "und" == rendition.language && Self.rank(attributes) > rank
    }
    let vacant = members.first { replaced.contains($0.line) }?.line
    let asGeneral = others.last { Self.rank($0.attributes) <= rank }?.line
    let place = vacant ?? asGeneral.map { $0 + 1 } ?? others.first?.line ?? endOfMedia
    return min(place, lessGeneral?.line ?? place)
  }

  /// How general subtitles are, most first (HLS Authoring Specification 9.17): plain, with tags, forced.
  private static func rank(_ attributes: [String: String]) -> Int {
    if attributes["FORCED"] == "YES" { return 2 }
    return attributes["CHARACTERISTICS"] == nil && attributes["AUTOSELECT"] != "NO" ? 0 : 1
  }

  /// The line after the last rendition of any kind.
  private var endOfMedia: Int {
    lines.lastIndex { $0.hasPrefix("#EXT-X-MEDIA:") }.map { $0 + 1 }
      ?? lines.firstIndex { $0.hasPrefix("#EXT-X-STREAM-INF:") } ?? lines.count
  }

  /// Has every variant name a group of text, and the rates that it needs with a new rendition.
  private mutating func nameGroup(_ group: String, _ rates: (old: BitRates, new: BitRates)) {
    for index in lines.indices where lines[index].hasPrefix("#EXT-X-STREAM-INF:") {
      let attributes = Self.attributes(lines[index])
      if attributes["SUBTITLES"] == nil { lines[index] += ",SUBTITLES=\"\(group)\"" }
      change("BANDWIDTH", (rates.old.peak, rates.new.peak), in: index, attributes)
      change("AVERAGE-BANDWIDTH", (rates.old.average, rates.new.average), in: index, attributes)
    }
  }

  /// Changes a sum of which a part is another now. One that the part was not in stays.
  private mutating func change(
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

/// The attributes of a tag, in the order in which they are written (RFC 8216, 4.2).
package struct PlaylistAttributes: Hashable, Sendable {
  private(set) var parts: [String] = []

  package init() {}

  /// An enumerated string or a number.
  package mutating func add(_ name: String, _ value: String?) {
    if let value { parts.append("\(name)=\(value)") }
  }

  /// A quoted string, as ``quotable(_:)`` makes it.
  package mutating func add(_ name: String, quoted value: String?) {
    if let value { parts.append("\(name)=\"\(Self.quotable(value))\"") }
  }

  /// A text as a quoted string can hold it: an apostrophe stands for a quotation mark, and a blank for what ends lines,
  /// for some readers, and for other controls.
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

  /// `YES` or `NO`.
  package mutating func add(_ name: String, _ flag: Bool) {
    parts.append("\(name)=\(flag ? "YES" : "NO")")
  }

  /// A tag with these attributes.
  package func line(_ tag: String) -> String { "#\(tag):" + parts.joined(separator: ",") }
}

/// The name of a file as a playlist writes it: percent-encoded where a URI cannot have it (RFC 3986, 2.1 and 3.3).
package func uriReference(_ path: String) -> String {
  PercentEncoding.encoded(path.utf8) { $0 == UInt8(ascii: "/") || PercentEncoding.isUnreserved($0) }
}

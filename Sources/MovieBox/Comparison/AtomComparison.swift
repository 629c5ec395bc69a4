/// Compares the atoms of two trees and reports every one that differs, field by field where the payload is decoded.
///
/// Atoms of one type are matched in their order; what stands the same at their start and end is matched first, so that
/// one that came or went in the middle is reported as such.
struct AtomComparison {
  let old: AtomTree
  let new: AtomTree
  /// The track whose atoms these are; `nil` outside of tracks.
  let trackID: UInt32?
  /// Whether one of the movies is fragmented, and headers tell durations that follow from it.
  let ignoresDurations: Bool
  /// Whether an atom is left out: it is compared in another way.
  let omits: (AtomTree, Int) -> Bool
  /// What was found.
  private(set) var differences: [MovieDifference] = []

  init(
    _ old: AtomTree, _ new: AtomTree, trackID: UInt32? = nil, ignoresDurations: Bool = false,
    omits: @escaping (AtomTree, Int) -> Bool = { _, _ in false }
  ) {
    self.old = old
    self.new = new
    self.trackID = trackID
    self.ignoresDurations = ignoresDurations
    self.omits = omits
  }

  /// Compares two atoms of the same type and all in them.
  mutating func compare(_ left: Int, _ right: Int) {
    var open = [(left, right)]
    while let (left, right) = open.popLast(), differences.count < MovieComparison.differenceLimit {
      guard old[left].isContainer, new[right].isContainer else {
        compareLeaves(left, right)
        continue
      }
      if head(old, left) != head(new, right) { add(left, right, "what stands before the atoms in it") }
      if old.tail(of: left) != new.tail(of: right) { add(left, right, "the bytes after the atoms in it") }
      open += matchChildren(left, right).reversed()
    }
  }

  /// Free space is none, as it is at the top of the file.
  private func isCompared(_ tree: AtomTree, _ index: Int) -> Bool {
    tree[index].type != "free" && tree[index].type != "skip" && !omits(tree, index)
  }

  /// The children that both have, and differences for the others.
  private mutating func matchChildren(_ left: Int, _ right: Int) -> [(Int, Int)] {
    var before: [FourCC: [Int]] = [:]
    var after: [FourCC: [Int]] = [:]
    var order: [FourCC] = []
    for child in old.children(of: left) where isCompared(old, child) {
      if before[old[child].type] == nil { order.append(old[child].type) }
      before[old[child].type, default: []].append(child)
    }
    for child in new.children(of: right) where isCompared(new, child) {
      if after[new[child].type] == nil, before[new[child].type] == nil { order.append(new[child].type) }
      after[new[child].type, default: []].append(child)
    }
    var pairs: [(Int, Int)] = []
    for type in order {
      var one = (before[type] ?? [])[...]
      var other = (after[type] ?? [])[...]
      if one.count != other.count {
        while let first = one.first, let match = other.first, old.bytes(of: first) == new.bytes(of: match) {
          pairs.append((one.removeFirst(), other.removeFirst()))
        }
        while let last = one.last, let match = other.last, old.bytes(of: last) == new.bytes(of: match) {
          pairs.append((one.removeLast(), other.removeLast()))
        }
      }
      while let first = one.first, let match = other.first {
        pairs.append((first, match))
        one.removeFirst()
        other.removeFirst()
      }
      for index in one { add(.removed, index) }
      for index in other { add(.added, index) }
    }
    pairs.sort { $0.0 < $1.0 }
    if zip(pairs, pairs.dropFirst()).contains(where: { $0.1 > $1.1 }) {
      add(left, right, "the order of the atoms in it")
    }
    return pairs
  }

  // MARK: - Leaves

  private mutating func compareLeaves(_ left: Int, _ right: Int) {
    let (before, after) = (old.payload(of: left), new.payload(of: right))
    guard before != after else { return }
    let parent = old[left].parent.map { old[$0].type }
    let type = old[left].type
    let topic = Self.topic(of: left, in: old)
    let hidden: Set<String> = ignoresDurations && Self.headers.contains(type) ? ["version", "duration"] : []
    let fields = Self.changedFields(type, parent, before, after)
    for field in fields where !hidden.contains(field.field) {
      let itsTopic = Self.topic(of: field, type) ?? topic
      let values = "\(field.old ?? "nothing") became \(field.new ?? "nothing")"
      append(.changed, itsTopic, left, right, values: field, "\(field.field) \(values)")
    }
    if fields.isEmpty { addBytes(topic, left, right, before, after) }
  }

  private static let headers: Set<FourCC> = ["mvhd", "tkhd", "mdhd"]

  /// The fields that differ; none where they are not decoded, or others differ.
  static func changedFields(
    _ type: FourCC, _ parent: FourCC?, _ old: Bytes, _ new: Bytes
  ) -> [MovieDifference.Values] {
    do throws(MovieError) {
      guard let before = try AtomFields.of(type, in: parent, old), let after = try AtomFields.of(type, in: parent, new)
      else { return [] }
      return (0..<Swift.max(before.count, after.count)).compactMap { index in
        let one = before.indices.contains(index) ? before[index] : nil
        let other = after.indices.contains(index) ? after[index] : nil
        guard let name = one?.0 ?? other?.0, one?.1 != other?.1 else { return nil }
        return MovieDifference.Values(field: name, old: one?.1, new: other?.1)
      }
    } catch {
      return []  // One that breaks the format's rules is compared by its bytes.
    }
  }

  private mutating func addBytes(
    _ topic: MovieDifference.Topic, _ left: Int, _ right: Int, _ before: Bytes, _ after: Bytes
  ) {
    append(.changed, topic, left, right, Self.description(before, after))
  }

  /// `12 bytes became 14, first at byte 3`: counted from the first byte after the header.
  static func description(_ old: Bytes, _ new: Bytes) -> String {
    let first = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let sizes =
      old.count == new.count
      ? "\(old.count) bytes, not all the same" : "\(Quantity.bytes(UInt64(old.count))) became \(new.count)"
    return sizes + (first.map { ", first at byte \($0)" } ?? ", the first \(Swift.min(old.count, new.count)) the same")
  }

  /// The bytes before the first child, without the size.
  private func head(_ tree: AtomTree, _ index: Int) -> Bytes {
    tree.head(of: index).dropFirst(tree[index].headerByteCount)
  }

  // MARK: - Differences

  private mutating func add(_ left: Int, _ right: Int, _ what: String) {
    append(.changed, Self.topic(of: left, in: old), left, right, what + " changed")
  }

  /// Of a track's user data that came or went each atom is reported: a title, a tag.
  private mutating func add(_ kind: MovieDifference.Kind, _ index: Int) {
    let tree = kind == .added ? new : old
    let children = trackID != nil && tree[index].type == "udta" ? Array(tree.children(of: index)) : []
    for index in children.isEmpty ? [index] : children {
      let topic = Self.topic(of: index, in: tree)
      let field = Self.onlyField(tree[index].type, tree[index].parent.map { tree[$0].type }, tree.payload(of: index))
      let what = field.map { "\($0.0) \($0.1)" } ?? Quantity.bytes(UInt64(tree[index].byteCount))
      let values = field.map { name, value in
        MovieDifference.Values(
          field: name, old: kind == .removed ? value : nil, new: kind == .added ? value : nil)
      }
      append(
        kind, topic, kind == .removed ? index : nil, kind == .added ? index : nil, values: values,
        "\(what) \(kind.rawValue)")
    }
  }

  /// The field of an atom that is decoded and has only one.
  private static func onlyField(_ type: FourCC, _ parent: FourCC?, _ payload: Bytes) -> (String, String)? {
    do throws(MovieError) {
      let fields = try AtomFields.of(type, in: parent, payload) ?? []
      return fields.count == 1 ? fields.first : nil
    } catch {
      return nil  // One that breaks the format's rules is reported by its size.
    }
  }

  private mutating func append(
    _ kind: MovieDifference.Kind, _ topic: MovieDifference.Topic, _ left: Int?, _ right: Int?,
    values: MovieDifference.Values? = nil, _ description: String
  ) {
    guard differences.count < MovieComparison.differenceLimit else { return }
    differences.append(
      MovieDifference(
        kind, topic, trackID: trackID, old: left.map { Self.place($0, in: old) },
        new: right.map { Self.place($0, in: new) }, values: values, description))
  }

  private static func place(_ index: Int, in tree: AtomTree) -> MovieDifference.Place {
    let range = tree.range(of: index)
    return MovieDifference.Place(path: tree.path(of: index), offset: range.offset, byteCount: range.count)
  }

  // MARK: - Topics

  /// What an atom is about.
  static func topic(of index: Int, in tree: AtomTree) -> MovieDifference.Topic {
    let type = tree[index].type
    var types: [FourCC] = []
    var next: Int? = index
    while let this = next {
      types.append(tree[this].type)
      next = tree[this].parent
    }
    if type == "mvhd" { return .movie }
    guard types.contains("trak") else {
      return types.contains("udta") || types.contains("meta") ? .metadata : .other
    }
    if types.contains("udta") {
      if ["name", "tnam", "titl", "©nam"].contains(type) { return .title }
      return type == "tagc" || type == "kind" ? .characteristics : .metadata
    }
    for (container, topic) in Self.topics where types.contains(container) { return topic }
    return types.contains("stbl") ? .samples : .other
  }

  /// The atoms that tell what they, and those in them, are about; those that count first come first.
  private static let topics: [(FourCC, MovieDifference.Topic)] = [
    ("meta", .metadata), ("tref", .references), ("edts", .edits), ("elng", .language), ("stsd", .format),
    ("txas", .characteristics), ("tkhd", .header), ("mdhd", .header), ("hdlr", .header),
  ]

  /// What a field is about where that is something else than its atom.
  private static func topic(of field: MovieDifference.Values, _ type: FourCC) -> MovieDifference.Topic? {
    switch (type, field.field) {
    case ("mdhd", "language"): .language
    case ("tkhd", "alternate group"): .group
    case ("tkhd", "flags") where isEnabled(field.old) != isEnabled(field.new): .enabled
    default: nil
    }
  }

  private static func isEnabled(_ flags: String?) -> Bool { flags?.contains("enabled") ?? false }
}

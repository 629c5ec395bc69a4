/// Describes the differences between atoms of two trees, field by field if the payload is decoded.
struct AtomComparison {
  let old: AtomTree
  let new: AtomTree
  /// The track whose atoms these are; `nil` outside of tracks.
  let trackID: UInt32?
  /// Whether one of the movies is fragmented, and headers tell durations that follow from it.
  let ignoresDurations: Bool
  private let comparison: AtomTreeComparison
  /// The differences that were found.
  private(set) var differences: [MovieDifference] = []

  /// - Parameter omits: whether an atom is left out: it is compared in another way.
  init(
    _ old: AtomTree, _ new: AtomTree, trackID: UInt32? = nil, ignoresDurations: Bool = false,
    omits: @escaping (AtomTree, Int) -> Bool = { _, _ in false }
  ) {
    self.old = old
    self.new = new
    self.trackID = trackID
    self.ignoresDurations = ignoresDurations
    comparison = AtomTreeComparison(old, new) { side, index in omits(side == .old ? old : new, index) }
  }

  /// The error that ends a comparison after the largest number of differences.
  private struct IsFull: Error {}

  /// Compares two atoms of the same type and all in them.
  mutating func compare(_ left: Int, _ right: Int) {
    do throws(IsFull) {
      try comparison.compare(left, right) { finding throws(IsFull) in
        guard differences.count < MovieComparison.differenceLimit else { throw IsFull() }
        switch finding {
        case .removed(let index): add(.removed, index)
        case .added(let index, _): add(.added, index)
        case .payload(let left, let right): compareLeaves(left, right)
        case .beforeChildren(let left, let right): add(left, right, "what stands before the atoms in it")
        case .afterChildren(let left, let right): add(left, right, "the bytes after the atoms in it")
        case .order(let left, let right): add(left, right, "the order of the atoms in it")
        case .sizeWidth: break  // Not asked for: it says nothing.
        }
      }
    } catch {
      return  // More would not be listed.
    }
  }

  // MARK: - Leaves

  private mutating func compareLeaves(_ left: Int, _ right: Int) {
    let (before, after) = (old.payload(of: left), new.payload(of: right))
    let parent = old[left].parent.map { old[$0].type }
    let type = old[left].type
    let topic = Self.topic(of: left, in: old)
    let hidden: Set<String> = ignoresDurations && Self.headers.contains(type) ? ["version", "duration"] : []
    let fields = Self.changedFields(type, parent, before, after)
    for field in fields where !hidden.contains(field.field) {
      let itsTopic = Self.topic(of: field, type) ?? topic
      append(change(of: itsTopic, from: left, to: right, field.description, values: field))
    }
    if fields.isEmpty { append(change(of: topic, from: left, to: right, Self.description(before, after))) }
  }

  private static let headers: Set<FourCC> = ["mvhd", "tkhd", "mdhd"]

  /// The fields that differ; none where they are not decoded, or others differ.
  static func changedFields(
    _ type: FourCC, _ parent: FourCC?, _ old: Bytes, _ new: Bytes
  ) -> [MovieDifference.Values] {
    do throws(MovieError) {
      guard let before = try AtomFields.of(type, in: parent, old), let after = try AtomFields.of(type, in: parent, new)
      else { return [] }
      var changed: [MovieDifference.Values] = []
      var rest = after[...]
      for (name, value) in before {
        // Fields that are optional may be missing on either side; mostly none is.
        let index = rest.first?.0 == name ? rest.startIndex : rest.firstIndex { $0.0 == name }
        let other = index.map { rest[$0].1 }
        if let index { rest.remove(at: index) }
        if value != other { changed.append(MovieDifference.Values(field: name, old: value, new: other)) }
      }
      return changed + rest.map { MovieDifference.Values(field: $0.0, old: nil, new: $0.1) }
    } catch {
      return []  // One that breaks the format's rules is compared by its bytes.
    }
  }

  /// `12 bytes became 14, first at byte 3`: counted from the first byte after the header.
  static func description(_ old: Bytes, _ new: Bytes) -> String {
    let first = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let sizes =
      old.count == new.count
      ? "\(old.count) bytes, not all the same" : "\(Quantity.bytes(UInt64(old.count))) became \(new.count)"
    return sizes + (first.map { ", first at byte \($0)" } ?? ", the first \(Swift.min(old.count, new.count)) the same")
  }

  // MARK: - Differences

  private mutating func add(_ left: Int, _ right: Int, _ what: String) {
    append(change(of: Self.topic(of: left, in: old), from: left, to: right, what + " changed"))
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
      let place = tree.place(of: index)
      append(
        MovieDifference(
          kind, topic, trackID: trackID, old: kind == .removed ? place : nil, new: kind == .added ? place : nil,
          values: values, "\(what) \(kind.rawValue)"))
    }
  }

  /// The field of an atom that is decoded and has only one beside version, flags and the language of a text.
  private static func onlyField(_ type: FourCC, _ parent: FourCC?, _ payload: Bytes) -> (String, String)? {
    do throws(MovieError) {
      let fields = try AtomFields.of(type, in: parent, payload) ?? []
      let own = fields.filter { !["version", "flags", "language"].contains($0.0) }
      return own.count == 1 ? own.first : nil
    } catch {
      return nil  // One that breaks the format's rules is reported by its size.
    }
  }

  private func change(
    of topic: MovieDifference.Topic, from left: Int, to right: Int, _ description: String,
    values: MovieDifference.Values? = nil
  ) -> MovieDifference {
    MovieDifference(
      .changed, topic, trackID: trackID, old: old.place(of: left), new: new.place(of: right),
      values: values, description)
  }

  private mutating func append(_ difference: MovieDifference) {
    guard differences.count < MovieComparison.differenceLimit else { return }
    differences.append(difference)
  }

  // MARK: - Topics

  /// Returns the topic of an atom.
  static func topic(of index: Int, in tree: AtomTree) -> MovieDifference.Topic {
    let type = tree[index].type
    let types = tree.types(to: index)
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

  /// Atoms that determine the topic of themselves and of the atoms inside; the first match counts.
  private static let topics: [(FourCC, MovieDifference.Topic)] = [
    ("meta", .metadata), ("tref", .references), ("edts", .edits), ("elng", .language), ("stsd", .format),
    ("txas", .characteristics), ("tkhd", .header), ("mdhd", .header), ("hdlr", .header),
  ]

  /// Returns the topic of a field that differs from its atom's topic.
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

/// Describes the differences between two atom trees. If the fields of an atom are known, each changed field is
/// described.
///
/// ``AtomTreeComparison`` finds the atoms that differ. This type decodes their payloads, assigns topics and writes the
/// descriptions.
struct AtomComparison {
  let old: AtomTree
  let new: AtomTree
  /// The ID of the track that contains the atoms, or `nil` if they are outside tracks.
  let trackID: UInt32?
  /// Whether different durations in headers are ignored. In a fragmented movie, these durations depend on the
  /// fragments.
  let ignoresDurations: Bool
  private let comparison: AtomTreeComparison
  private(set) var differences: [MovieComparison.Difference] = []

  /// - Parameter omits: whether an atom is ignored here. Another step of the comparison covers the ignored atoms.
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

  /// The error that ends the comparison when the maximum number of differences is reached.
  private struct LimitReached: Error {}

  /// Compares two atoms of equal type and their descendants.
  mutating func compare(_ oldIndex: Int, _ newIndex: Int) {
    do throws(LimitReached) {
      try comparison.compare(oldIndex, newIndex) { finding throws(LimitReached) in
        guard differences.count < MovieComparison.differenceLimit else { throw LimitReached() }
        switch finding {
        case .removed(let index): add(.removed, index)
        case .added(let index, _): add(.added, index)
        case .payload(let oldIndex, let newIndex): compareLeaves(oldIndex, newIndex)
        case .beforeChildren(let oldIndex, let newIndex): add(oldIndex, newIndex, "the bytes before the child atoms")
        case .afterChildren(let oldIndex, let newIndex): add(oldIndex, newIndex, "the bytes after the child atoms")
        case .order(let oldIndex, let newIndex): add(oldIndex, newIndex, "the order of the child atoms")
        case .sizeWidth: break  // Only a strict comparison reports this.
        }
      }
    } catch {
      return  // Further differences would not be listed.
    }
  }

  // MARK: - Leaves

  private mutating func compareLeaves(_ oldIndex: Int, _ newIndex: Int) {
    let (before, after) = (old.payload(of: oldIndex), new.payload(of: newIndex))
    let parent = old[oldIndex].parent.map { old[$0].type }
    let type = old[oldIndex].type
    let topic = Self.topic(of: oldIndex, in: old)
    let hiddenFields: Set<String> = ignoresDurations && Self.headerTypes.contains(type) ? ["version", "duration"] : []
    let fields = Self.changedFields(type, parent, before, after)
    for field in fields where !hiddenFields.contains(field.field) {
      let itsTopic = Self.topic(of: field, type) ?? topic
      append(change(of: itsTopic, from: oldIndex, to: newIndex, field.description, values: field))
    }
    if fields.isEmpty { append(change(of: topic, from: oldIndex, to: newIndex, Self.description(before, after))) }
  }

  private static let headerTypes: Set<FourCC> = ["mvhd", "tkhd", "mdhd"]

  /// Returns the names and values of the fields that differ. The array is empty if the fields are unknown, or if only
  /// bytes outside the fields differ.
  static func changedFields(
    _ type: FourCC, _ parent: FourCC?, _ old: Bytes, _ new: Bytes
  ) -> [MovieComparison.Difference.Values] {
    do throws(MovieError) {
      guard let before = try AtomFields.fields(of: type, in: parent, old),
        let after = try AtomFields.fields(of: type, in: parent, new)
      else { return [] }
      var changed: [MovieComparison.Difference.Values] = []
      var rest = after[...]
      for (name, value) in before {
        // An optional field may be missing in either payload.
        let index = rest.first?.0 == name ? rest.startIndex : rest.firstIndex { $0.0 == name }
        let other = index.map { rest[$0].1 }
        if let index { rest.remove(at: index) }
        if value != other { changed.append(MovieComparison.Difference.Values(field: name, old: value, new: other)) }
      }
      return changed + rest.map { MovieComparison.Difference.Values(field: $0.0, old: nil, new: $0.1) }
    } catch {
      return []  // Malformed atoms are compared by their bytes.
    }
  }

  /// Returns a description such as `12 bytes became 14, first at byte 3`. Bytes are numbered from 0, after the atom's
  /// header.
  static func description(_ old: Bytes, _ new: Bytes) -> String {
    let first = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let sizes =
      old.count == new.count
      ? "\(old.count) bytes, with different contents" : "\(Quantity.bytes(UInt64(old.count))) became \(new.count)"
    return sizes + (first.map { ", first at byte \($0)" } ?? ", the first \(Swift.min(old.count, new.count)) are equal")
  }

  // MARK: - Differences

  private mutating func add(_ oldIndex: Int, _ newIndex: Int, _ changedContents: String) {
    append(change(of: Self.topic(of: oldIndex, in: old), from: oldIndex, to: newIndex, changedContents + " changed"))
  }

  /// Adds a difference for an added or removed atom. If the atom is the user data of a track, adds a difference for
  /// each of its child atoms, such as a title or tag.
  private mutating func add(_ kind: MovieComparison.Difference.Kind, _ index: Int) {
    let tree = kind == .added ? new : old
    let children = trackID != nil && tree[index].type == "udta" ? Array(tree.children(of: index)) : []
    for index in children.isEmpty ? [index] : children {
      let topic = Self.topic(of: index, in: tree)
      let field = Self.onlyField(tree[index].type, tree[index].parent.map { tree[$0].type }, tree.payload(of: index))
      let what = field.map { "\($0.0) \($0.1)" } ?? Quantity.bytes(UInt64(tree[index].byteCount))
      let values = field.map { name, value in
        MovieComparison.Difference.Values(
          field: name, old: kind == .removed ? value : nil, new: kind == .added ? value : nil)
      }
      let place = tree.place(of: index)
      append(
        MovieComparison.Difference(
          kind, topic, trackID: trackID, old: kind == .removed ? place : nil, new: kind == .added ? place : nil,
          values: values, "\(what) \(kind.rawValue)"))
    }
  }

  /// Returns the name and value of the only field, or `nil` if the atom has several fields. The version, the flags and
  /// the language are not counted.
  private static func onlyField(_ type: FourCC, _ parent: FourCC?, _ payload: Bytes) -> (String, String)? {
    do throws(MovieError) {
      let fields = try AtomFields.fields(of: type, in: parent, payload) ?? []
      let own = fields.filter { !["version", "flags", "language"].contains($0.0) }
      return own.count == 1 ? own.first : nil
    } catch {
      return nil  // Malformed atoms are reported by their size.
    }
  }

  private func change(
    of topic: MovieComparison.Difference.Topic, from oldIndex: Int, to newIndex: Int, _ description: String,
    values: MovieComparison.Difference.Values? = nil
  ) -> MovieComparison.Difference {
    MovieComparison.Difference(
      .changed, topic, trackID: trackID, old: old.place(of: oldIndex), new: new.place(of: newIndex),
      values: values, description)
  }

  private mutating func append(_ difference: MovieComparison.Difference) {
    guard differences.count < MovieComparison.differenceLimit else { return }
    differences.append(difference)
  }

  // MARK: - Topics

  static func topic(of index: Int, in tree: AtomTree) -> MovieComparison.Difference.Topic {
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

  /// The topics of atoms and their descendants. The first match applies.
  private static let topics: [(FourCC, MovieComparison.Difference.Topic)] = [
    ("meta", .metadata), ("tref", .references), ("edts", .edits), ("elng", .language), ("stsd", .format),
    ("txas", .characteristics), ("tkhd", .header), ("mdhd", .header), ("hdlr", .header),
  ]

  /// Returns the topic of a field, or `nil` if the field has the topic of its atom.
  private static func topic(of field: MovieComparison.Difference.Values, _ type: FourCC) -> MovieComparison.Difference
    .Topic?
  {
    switch (type, field.field) {
    case ("mdhd", "language"): .language
    case ("tkhd", "alternate group"): .group
    case ("tkhd", "flags") where isEnabled(field.old) != isEnabled(field.new): .enabled
    default: nil
    }
  }

  private static func isEnabled(_ flags: String?) -> Bool { flags?.contains("enabled") ?? false }
}

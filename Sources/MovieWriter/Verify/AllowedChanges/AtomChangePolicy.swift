import MovieBox

/// The changes that an edit may make to the atoms of a movie.
///
/// An atom may differ between the old and the new movie only if a request allows it. Each request contributes rules. A
/// rule consists of a track, the paths of atoms, and the permitted changes. The rules of all requests are joined, and
/// one comparison of the two trees rejects every difference that no rule allows. Rules are derived only from requests,
/// never from the planner's output.
struct AtomChangePolicy {
  /// The part of a movie to which a rule applies. A rule for one track allows nothing in another track.
  enum Scope: Hashable {
    /// All atoms outside tracks.
    case movie
    /// The atoms of the track with this ID, and its entries in `mvex`.
    case track(UInt32)
    /// The atoms of every track.
    case everyTrack
    /// All atoms.
    case anywhere
  }

  /// A path of atom types below `moov`, or the last part of such a path. `nil` matches any type.
  struct Path {
    fileprivate let types: [FourCC?]
    fileprivate let isWhole: Bool

    /// Returns a path that matches any atom whose path ends with these types.
    static func ending(_ types: FourCC?...) -> Path { Path(types: types, isWhole: false) }

    /// Returns the path to a sample table of a track.
    static func sampleTable(_ type: FourCC) -> Path { ["trak", "mdia", "minf", "stbl", type] }
  }

  typealias Condition = (AtomContext) -> Bool

  /// A change that a rule permits.
  enum Allowance {
    /// The atom may be added, removed, changed and moved, with all its contents. Another check compares it.
    case any(Condition = { _ in true })
    /// The atom may be added, with all its contents.
    case addition(Condition = { _ in true })
    /// The atom may be removed, with all its contents.
    case removal(Condition = { _ in true })
    /// The payload may change.
    case change(PayloadChange)
    /// The bytes before or after the children may change.
    case frame((_ old: AtomContext, _ new: AtomContext, _ isBeforeChildren: Bool) -> Bool)
    /// The atom may move among its siblings.
    case move

    fileprivate var kind: Kind {
      switch self {
      case .any: .any
      case .addition: .addition
      case .removal: .removal
      case .change(let change): change.isWhole ? .wholeChange : .change
      case .frame: .frame
      case .move: .move
      }
    }
  }

  fileprivate enum Kind: Int, CaseIterable { case any, addition, removal, change, wholeChange, frame, move }

  private struct Key: Hashable {
    let kind: Kind
    let scope: Scope
    /// The last type of the path.
    let type: FourCC?
  }

  private var rules: [Key: [(path: Path, allowance: Allowance)]] = [:]
  /// The types of atoms with a rule, by the kind of the rule. Most atoms have no rule, so checking these types first
  /// avoids most lookups in ``rules``.
  private var types: [[FourCC?]] = Kind.allCases.map { _ in [] }
  /// Whether a rule needs the identifiers of metadata items. Reading the identifiers costs a pass over all items.
  var needsItems = false

  /// Adds a rule.
  mutating func allow(_ allowance: Allowance, at path: Path, in scope: Scope) {
    let type = path.types.last ?? nil
    rules[Key(kind: allowance.kind, scope: scope, type: type), default: []].append((path, allowance))
    noteType(type, allowance.kind)
  }

  private mutating func noteType(_ type: FourCC?, _ kind: Kind) {
    if !types[kind.rawValue].contains(type) { types[kind.rawValue].append(type) }
  }

  /// Adds a rule for several types of atoms in one parent.
  mutating func allow(_ allowance: Allowance, at parent: Path, _ types: some Sequence<FourCC>, in scope: Scope) {
    for type in types {
      allow(allowance, at: Path(types: parent.types + [type], isWhole: parent.isWhole), in: scope)
    }
  }

  /// Adds the rules of another policy.
  mutating func join(_ other: AtomChangePolicy) {
    rules.merge(other.rules) { $0 + $1 }
    for kind in Kind.allCases {
      for type in other.types[kind.rawValue] { noteType(type, kind) }
    }
    needsItems = needsItems || other.needsItems
  }

  /// Returns the rules of one kind that apply to an atom.
  private func allowances(_ kind: Kind, _ side: Side, _ index: Int) -> [Allowance] {
    let type = side.tree[index].type
    var allowances: [Allowance] = []
    for last in [type, nil] where types[kind.rawValue].contains(last) {
      for scope in side.scopes(of: index) {
        for rule in rules[Key(kind: kind, scope: scope, type: last)] ?? [] where side.matches(rule.path, index) {
          allowances.append(rule.allowance)
        }
      }
    }
    return allowances
  }

  private func allows(_ kind: Kind, _ side: Side, _ index: Int) -> Bool {
    allowances(kind, side, index).contains { allowance in
      switch allowance {
      case .any(let condition), .addition(let condition), .removal(let condition):
        condition(AtomContext(side: side, index: index, policy: self))
      case .change, .frame, .move: true
      }
    }
  }

  /// Whether another check compares the atom. This comparison then skips it.
  fileprivate func exempts(_ side: Side, _ index: Int) -> Bool { allows(.any, side, index) }
}

extension AtomChangePolicy.Path: ExpressibleByArrayLiteral {
  init(arrayLiteral types: FourCC?...) { self.init(types: types, isWhole: true) }
}

// MARK: - Atoms

extension AtomChangePolicy {
  /// The old or the new tree of a comparison, with the IDs of its tracks.
  struct Side {
    let tree: AtomTree
    /// The root of the comparison: a movie atom or a track.
    let root: Int
    /// The track IDs by `trak` atom. The ID is `nil` for a track without a readable header, to which no rule for a
    /// single track applies.
    private let trackIDs: [Int: UInt32?]
    /// The identifiers of listed items by their atoms. Empty if no rule needs them.
    fileprivate(set) var items: [Int: MetadataIdentifier] = [:]
    /// Whether this is the new tree.
    fileprivate(set) var isNew = false

    /// Creates a side of a comparison from a movie atom or a track.
    ///
    /// - Parameter trackID: the ID of the track of another movie with which this track is compared, or `nil` to use
    ///   this track's own ID.
    init(_ tree: AtomTree, at root: Int = 0, trackID: UInt32? = nil) {
      (self.tree, self.root) = (tree, root)
      var trackIDs: [Int: UInt32?] = [:]
      for trak in tree[root].type == "trak" ? [root] : tree.children(of: root, "trak") {
        trackIDs[trak] = .some(trackID ?? Self.trackID(of: trak, in: tree))
      }
      self.trackIDs = trackIDs
    }

    private static func trackID(of trak: Int, in tree: AtomTree) -> UInt32? {
      guard let tkhd = tree.child(of: trak, "tkhd") else { return nil }
      do throws(MovieError) {
        return try tree.decode(TrackHeader.self, at: tkhd).trackID
      } catch {
        return nil
      }
    }

    /// Returns the `trak` atom or the child of the root that contains an atom.
    private func top(of index: Int) -> Int {
      var next = index
      while trackIDs[next] == nil, let parent = tree[next].parent, parent != tree.root || tree[parent].type != "moov" {
        next = parent
      }
      return next
    }

    /// Returns the part of the movie that contains an atom.
    func owner(containing index: Int) -> Owner {
      let top = top(of: index)
      guard tree[top].type == "trak" else { return .movie }
      return (trackIDs[top] ?? nil).map { .track($0) } ?? .unreadableTrack
    }

    /// Returns the track ID by which a track, or a track's entry in `mvex`, is found in the other tree. Returns `nil`
    /// for other atoms.
    func identity(of index: Int) -> UInt32? {
      switch tree[index].type {
      case "trak" where tree[index].parent == tree.root: trackIDs[index] ?? nil
      case "trex", "trep": tree.payload(of: index).load(at: 4, as: UInt32.self)
      default: nil
      }
    }

    /// Returns the scopes that contain an atom, widest first. Rules are applied in this order. The rules for one track
    /// are applied to the result of the rules for every track.
    fileprivate func scopes(of index: Int) -> [Scope] {
      switch owner(containing: index) {
      case .track(let id): return [.anywhere, .everyTrack, .track(id)]
      case .unreadableTrack: return [.anywhere, .everyTrack]
      case .movie: break
      }
      if let parent = tree[index].parent, tree[parent].type == "mvex", let id = identity(of: index) {
        return [.anywhere, .movie, .track(id)]
      }
      return [.anywhere, .movie]
    }

    fileprivate func matches(_ path: Path, _ index: Int) -> Bool {
      var next: Int? = index
      for type in path.types.reversed() {
        guard let this = next, !isMovie(this), type == nil || tree[this].type == type else { return false }
        next = tree[this].parent
      }
      return !path.isWhole || next.map(isMovie) ?? true
    }

    private func isMovie(_ index: Int) -> Bool { index == tree.root && tree[index].type == "moov" }
  }

  /// The part of a movie that contains an atom.
  enum Owner: Hashable {
    case movie
    /// The track with this ID. The ID may be 0 in a malformed file.
    case track(UInt32)
    /// A track without a readable header. No rule for a single track applies to it.
    case unreadableTrack

    /// Whether a condition is true for the ID of the track. For atoms outside tracks, the condition receives `nil`.
    func meets(_ condition: (_ trackID: UInt32?) -> Bool) -> Bool {
      switch self {
      case .movie: condition(nil)
      case .track(let id): condition(id)
      case .unreadableTrack: false
      }
    }
  }

  /// An atom for which a rule is evaluated.
  struct AtomContext {
    let side: Side
    let index: Int
    fileprivate let policy: AtomChangePolicy

    var tree: AtomTree { side.tree }
    var payload: Bytes { tree.payload(of: index) }
    /// The part of the movie that contains the atom.
    var owner: Owner { side.owner(containing: index) }

    /// Whether another check compares an atom of this tree.
    func exempts(_ index: Int) -> Bool { policy.exempts(side, index) }

    /// Whether other checks compare everything that the atom contains.
    var hasExemptContents: Bool { tree.tail(of: index).isEmpty && tree.children(of: index).allSatisfy(exempts) }
  }

  /// An atom whose payload changed.
  struct ChangedAtom {
    let old: AtomTree
    let oldIndex: Int
    let new: AtomTree
    let newIndex: Int
    /// The part of the movie that contains the old atom.
    let owner: Owner
    /// The numbers of the items in lists of the new movie.
    let itemNumbers: ItemNumbers
    /// The expected payload so far: the old payload, with the changes of the rules that were already applied.
    fileprivate(set) var payload: Bytes
    var newPayload: Bytes { new.payload(of: newIndex) }

    /// Returns an error with the path of the atom.
    func refusal(_ reason: String) -> MovieError { old.error(.planCheckFailed, at: oldIndex, reason) }
  }

  /// A change of a payload. It computes the payload that a request expects.
  struct PayloadChange {
    /// Whether an atom with children is compared as a whole, including its children.
    var isWhole = false
    /// The subject of the change, such as "the language". It is used in the error "more than the language changed".
    var subject: String?
    /// Returns the payload that the request expects, or `nil` if the request does not change the atom.
    let expected: (ChangedAtom) throws(MovieError) -> Bytes?

    /// Returns a change of some fields of a payload.
    static func fields<Payload: AtomPayload>(
      _ type: Payload.Type, _ subject: String? = nil, isWhole: Bool = false,
      _ update: @escaping (inout Payload, Payload, ChangedAtom) throws(MovieError) -> Void
    ) -> PayloadChange {
      PayloadChange(isWhole: isWhole, subject: subject) { atom throws(MovieError) in
        var payload = try atom.old.locating(atom.oldIndex) { _ throws(MovieError) in try Payload(payload: atom.payload)
        }
        try update(&payload, try atom.new.decode(type, at: atom.newIndex), atom)
        return Bytes(payload.payloadBytes)
      }
    }

    /// Returns a change that permits any new payload if `isExpected` returns `true` for the atom.
    static func anyPayload(
      isWhole: Bool = false, if isExpected: @escaping (ChangedAtom) throws(MovieError) -> Bool = { _ in true }
    ) -> PayloadChange {
      PayloadChange(isWhole: isWhole) { atom throws(MovieError) in
        try isExpected(atom) ? atom.newPayload : nil
      }
    }
  }
}

// MARK: - Comparison

extension AtomChangePolicy {
  /// Compares two movie atoms or tracks, and throws at the first difference that no rule allows.
  func check(_ old: Side, _ new: Side) throws(MovieError) {
    var (old, new) = (old, new)
    new.isNew = true
    if needsItems {
      old.items = MetadataReader.identifiers(in: old.tree)
      new.items = MetadataReader.identifiers(in: new.tree)
    }
    let sides = (old: old, new: new)
    let itemNumbers = ItemNumbers(in: new.tree)
    let comparison = AtomTreeComparison(
      old.tree, new.tree, isStrict: true,
      omits: { side, index in exempts(side == .old ? sides.old : sides.new, index) },
      comparesWhole: { index in allows(.wholeChange, sides.old, index) },
      identity: { side, index in (side == .old ? sides.old : sides.new).identity(of: index) })
    try comparison.compare(old.root, new.root) { finding throws(MovieError) in
      switch finding {
      case .removed(let index) where allows(.removal, sides.old, index): return
      case .added(let index, _) where allows(.addition, sides.new, index): return
      case .beforeChildren(let oldIndex, let newIndex)
      where allowsChangedFrame(oldIndex, newIndex, sides, isBeforeChildren: true): return
      case .afterChildren(let oldIndex, let newIndex)
      where allowsChangedFrame(oldIndex, newIndex, sides, isBeforeChildren: false): return
      case .order(let oldIndex, let newIndex) where allowsReorderedChildren(old: oldIndex, new: newIndex, sides): return
      case .payload(let oldIndex, let newIndex): try comparePayloads(oldIndex, newIndex, sides, itemNumbers)
      default: throw finding.refusal(sides.old.tree, sides.new.tree)
      }
    }
  }

  private func allowsChangedFrame(
    _ oldIndex: Int, _ newIndex: Int, _ sides: (old: Side, new: Side), isBeforeChildren: Bool
  ) -> Bool {
    allowances(.frame, sides.old, oldIndex).contains { allowance in
      guard case .frame(let isAllowed) = allowance else { return false }
      return isAllowed(
        AtomContext(side: sides.old, index: oldIndex, policy: self),
        AtomContext(side: sides.new, index: newIndex, policy: self),
        isBeforeChildren)
    }
  }

  /// Whether the children that both atoms contain are in the same order, except children that may move.
  private func allowsReorderedChildren(old oldIndex: Int, new newIndex: Int, _ sides: (old: Side, new: Side)) -> Bool {
    func keptChildren(of parent: Int, _ side: Side, except kind: Kind) -> [UInt64] {
      side.tree.children(of: parent).compactMap { index in
        let isPaired = ![.any, .move, kind].contains { allows($0, side, index) }
        return isPaired ? UInt64(side.identity(of: index) ?? 0) << 32 | UInt64(side.tree[index].type.rawValue) : nil
      }
    }
    return sides.old.tree.children(of: oldIndex).contains { allows(.move, sides.old, $0) }
      && keptChildren(of: oldIndex, sides.old, except: .removal)
        == keptChildren(of: newIndex, sides.new, except: .addition)
  }

  /// Compares the new payload with the expected payload: the old payload, with the changes of all rules.
  private func comparePayloads(
    _ oldIndex: Int, _ newIndex: Int, _ sides: (old: Side, new: Side), _ itemNumbers: ItemNumbers
  ) throws(MovieError) {
    let (old, new) = (sides.old.tree, sides.new.tree)
    var atom = ChangedAtom(
      old: old, oldIndex: oldIndex, new: new, newIndex: newIndex, owner: sides.old.owner(containing: oldIndex),
      itemNumbers: itemNumbers,
      payload: old.payload(of: oldIndex))
    var subjects: [String?] = []
    for allowance in allowances(.wholeChange, sides.old, oldIndex) + allowances(.change, sides.old, oldIndex) {
      guard case .change(let change) = allowance, let expected = try change.expected(atom) else { continue }
      atom.payload = expected
      subjects.append(change.subject)
    }
    guard subjects.isEmpty || atom.payload != atom.newPayload else { return }
    let names = subjects.compactMap(\.self)
    guard !names.isEmpty, names.count == subjects.count else {
      throw AtomTreeComparison.Finding.payload(old: oldIndex, new: newIndex).refusal(old, new)
    }
    throw atom.refusal("more than \(names.joined(separator: " and ")) changed")
  }
}

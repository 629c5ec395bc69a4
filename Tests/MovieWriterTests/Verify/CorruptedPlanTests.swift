import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Plans and their inputs are corrupted randomly. Verification must reject every plan that results in another movie than
/// the requested one.
struct CorruptedPlanTests {
  /// An edit with its plan, and the resulting bytes.
  private struct Trial {
    let source: MemorySource
    let resolved: ResolvedEdit
    let layout: OutputLayout
    let plan: OutputPlan
    let bytes: [UInt8]
    /// The range of the movie atom in the resulting bytes.
    let movieAtom: Range<Int>

    init(_ source: MemorySource, _ layout: OutputLayout, _ change: (inout MovieEdit) throws -> Void) throws {
      var edit = try MovieEdit(of: source)
      try change(&edit)
      self.source = source
      self.layout = layout
      resolved = try edit.resolved(isInterleaved: layout.interleaving != .none)
      plan = try edit.outputPlan(of: source, layout)
      bytes = try plan.rendered(from: source)
      let moov = try #require(SecondReader(bytes).atom("moov"))
      movieAtom = Int(moov.offset)..<Int(moov.end)
    }

    /// Returns whether verification accepts a plan.
    func accepts(_ plan: OutputPlan, of resolved: ResolvedEdit? = nil) -> Bool {
      do {
        try PlanChecker.check(plan, of: resolved ?? self.resolved, strategy: .rewrite(layout), source: source)
        return true
      } catch {
        return false
      }
    }
  }

  private static let edits: [@Sendable (inout MovieEdit) throws -> Void] = [
    { _ = try $0.addSubtitles("en") },
    { edit in
      let id = try edit.addSubtitles("fr", isForced: true)
      try edit.addToSubtitleGroup(id, asDefault: false)
      try edit.followAudio(id)
    },
    { edit in
      try edit.setLanguage(LanguageTag("pt-BR"), of: edit.tracks[0].id)
      try edit.setTitle("Another title", of: edit.tracks[0].id)
      try edit.setEnabled(!edit.tracks[0].isEnabled, of: edit.tracks[0].id)
    },
    { edit in
      try edit.addCharacteristics([.auxiliaryContent], to: edit.tracks[1].id)
      try edit.remove(edit.tracks[edit.tracks.count - 1].id)
    },
  ]

  private static func trials() throws -> [Trial] {
    let movies: [TestMovie] = [.talk, .torture, .rightISO]
    let layouts = [OutputLayout(interleaving: .none), OutputLayout(isFastStart: true)]
    return try movies.flatMap { movie in
      try edits.flatMap { edit in try layouts.map { try Trial(movie.source, $0, edit) } }
    }
  }

  @Test func rejectsAThousandCorruptedPlans() throws {
    var chance = Chance(seed: 18)
    let trials = try Self.trials()
    for (number, trial) in trials.enumerated() {
      let isAccepted = trial.accepts(trial.plan)
      #expect(isAccepted, "\(number)")
    }
    var counts: [String: Int] = [:]
    for number in 0..<1_000 {
      let trial = trials[number % trials.count]
      let (kind, plan) = try Self.corrupted(trial, &chance)
      counts[kind, default: 0] += 1
      let isAccepted = trial.accepts(plan)
      #expect(!isAccepted, "\(number): \(kind)")
    }
    print("corrupted plans:", counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
  }

  /// Returns a plan that differs from the good one in its bytes or in its copies.
  private static func corrupted(_ trial: Trial, _ chance: inout Chance) throws -> (String, OutputPlan) {
    while true {
      let changed: (String, OutputPlan)?
      switch Int.random(in: 0..<6, using: &chance) {
      case 0, 1, 2: changed = ("with a bit of the movie atom flipped", try flipped(trial, &chance))
      case 3:
        changed = try copies(trial, &chance) { contents, index, range in
          contents[index] = .source(ByteRange(range.offset &+ 1..<range.end &+ 1))
        }.map { ("that copy from another place", $0) }
      case 4:
        changed = try copies(trial, &chance) { contents, index, range in
          contents[index] = .zeros(range.count)
        }.map { ("with zeros for media", $0) }
      default:
        changed = try copies(trial, &chance) { contents, index, _ in
          contents.remove(at: index)
        }.map { ("that leave out media", $0) }
      }
      if let changed, try PlannedBytes.differ(changed.1, trial.bytes, trial.source) { return changed }
    }
  }

  private static func flipped(_ trial: Trial, _ chance: inout Chance) throws -> OutputPlan {
    let place = Int.random(in: trial.movieAtom, using: &chance)
    let byte = trial.bytes[place] ^ 1 << UInt8.random(in: 0..<8, using: &chance)
    return try trial.plan.spoiled(UInt64(place)..<UInt64(place) + 1, with: [byte])
  }

  /// Returns a plan with a changed copy of media, or `nil` if the change results in no plan.
  private static func copies(
    _ trial: Trial, _ chance: inout Chance, _ change: (inout [OutputPlan.Content], Int, ByteRange) -> Void
  ) throws -> OutputPlan? {
    var contents = trial.plan.extents.map(\.content)
    let media = try Movie(of: trial.source).layout.atoms.filter { $0.type == "mdat" }.map(\.payloadRange)
    let all = contents.indices.compactMap { index -> (Int, ByteRange)? in
      guard case .source(let range) = contents[index], media.contains(where: { $0.overlaps(range) }) else { return nil }
      return (index, range)
    }
    guard let (index, range) = all.randomElement(using: &chance) else { return nil }
    change(&contents, index, range)
    return try? OutputPlan(of: trial.plan.source, contents)
  }

  @Test func rejectsTwoHundredCorruptedLists() throws {
    var chance = Chance(seed: 200)
    let trials = try Self.trials()
    var counts: [String: Int] = [:]
    var number = 0
    while number < 200 {
      let trial = trials[number % trials.count]
      var resolved = trial.resolved
      let kind = Self.corrupt(&resolved, &chance)
      // A plan from a corrupted list is verified against that list and the request.
      guard let plan = try? MoviePlanner(resolved: resolved, source: trial.source).newFilePlan(trial.layout),
        try PlannedBytes.differ(plan, trial.bytes, trial.source)
      else { continue }
      number += 1
      counts[kind, default: 0] += 1
      let isAccepted = trial.accepts(plan, of: resolved)
      #expect(!isAccepted, "\(number): \(kind)")
    }
    print("corrupted lists:", counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
  }

  /// Changes the planner's input: inserted, removed or kept atoms, tracks, new samples.
  private static func corrupt(_ resolved: inout ResolvedEdit, _ chance: inout Chance) -> String {
    let tree = resolved.movie.tree
    let leaves = tree.atoms.indices.filter { !tree[$0].isContainer && tree[$0].byteCount > 8 }
    let leaf = leaves.randomElement(using: &chance) ?? 0
    switch Int.random(in: 0..<6, using: &chance) {
    case 0:
      resolved.edits.remove(leaf)
      return "without an atom"
    case 1:
      var bytes = tree.bytes(of: leaf).array
      bytes[Int.random(in: 8..<bytes.count, using: &chance)] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
      resolved.edits.replace(leaf, with: bytes)
      return "with an atom changed"
    case 2:
      let container = tree[leaf].parent ?? tree.root
      resolved.edits.insert(tree.bytes(of: leaf).array, into: container)
      return "with an atom twice"
    case 3:
      guard let id = resolved.movie.tracks.map(\.id).randomElement(using: &chance) else { return "" }
      resolved.tracks.removed.formSymmetricDifference([id])
      return "with another track removed"
    case 4:
      guard let track = resolved.movie.tracks.randomElement(using: &chance) else { return "" }
      resolved.edits.remove(track.atom)
      resolved.tracks.removed.insert(track.id)
      return "with a track removed whole"
    default:
      var bytes = resolved.added.bytes.array
      guard !bytes.isEmpty else { return "" }
      bytes[Int.random(in: bytes.indices, using: &chance)] ^= 1
      resolved.added.bytes = Bytes(bytes)
      return "with new samples changed"
    }
  }
}

/// The results of plans.
private enum PlannedBytes {
  /// Returns whether a plan results in other bytes than these.
  static func differ(_ plan: OutputPlan, _ bytes: [UInt8], _ source: MemorySource) throws -> Bool {
    try plan.rendered(from: source) != bytes
  }
}

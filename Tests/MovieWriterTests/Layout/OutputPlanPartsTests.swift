import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct OutputPlanPartsTests {
  /// Every plan of up to four small extents.
  private static let plans: [OutputPlan] = {
    let sizes = [1, 3, 4, 5, 9, 17, 40]
    var found: [OutputPlan] = []
    func extend(_ contents: [OutputPlan.Content], from position: UInt64) {
      do {
        found.append(try OutputPlan(of: SourceIdentity(byteCount: 1000, tag: "source"), contents))
      } catch {
        Issue.record("no plan: \(error)")
      }
      guard contents.count < 4 else { return }
      for size in sizes {
        let (byteCount, start) = (UInt64(size), position + 1)  // A byte in between, so that neighbors are not merged.
        extend(contents + [.source(ByteRange(start..<start + byteCount))], from: start + byteCount)
        if case .generated? = contents.last { continue }
        extend(contents + [.generated(Bytes([UInt8](repeating: 9, count: size)))], from: position)
      }
    }
    extend([], from: 0)
    return found
  }()

  @Test func dividesTheOutputIntoPartsOfValidSizes() throws {
    let sizes = try #require(OutputPlan.PartSizes(smallest: 4, largest: 9))
    for plan in Self.plans {
      let parts = try plan.parts(sizes)
      var end: UInt64 = 0
      for (index, part) in parts.enumerated() {
        #expect(part.range.offset == end && part.range.count <= 9)
        #expect(part.range.count >= 4 || index == parts.count - 1)
        end = part.range.end
        guard case .copied(let range) = part.origin else { continue }
        #expect(plan.extents(in: part.range).map(\.content) == [.source(range)])
      }
      #expect(end == plan.byteCount)
      // A long run of media is never uploaded as a whole.
      for extent in plan.extents where extent.sourceRange != nil && extent.content.byteCount >= 8 {
        let copied = parts.contains { part in
          if case .copied = part.origin { extent.range.contains(part.range) } else { false }
        }
        #expect(copied)
      }
    }
  }

  @Test func rejectsIncompatiblePartSizes() {
    #expect(OutputPlan.PartSizes(smallest: 0, largest: 10) == nil)
    #expect(OutputPlan.PartSizes(smallest: 5, largest: 9) == nil)
    #expect(OutputPlan.PartSizes(smallest: 5, largest: 10) != nil)
    #expect(OutputPlan.PartSizes(smallest: 5, largest: 10, count: 0) == nil)
    #expect(OutputPlan.PartSizes(smallest: UInt64.max / 2 + 1, largest: .max) == nil)
    #expect(OutputPlan.PartSizes.s3.smallest == 5 << 20 && OutputPlan.PartSizes.s3.largest == 5 << 30)
    #expect(OutputPlan.PartSizes.s3.count == 10_000)
  }

  /// Returns a plan that copies a source of `byteCount` bytes after a new header.
  private static func plan(copying byteCount: UInt64) throws -> OutputPlan {
    try OutputPlan(
      of: SourceIdentity(byteCount: byteCount, tag: "source"),
      [.generated(Bytes([1, 2, 3])), .source(ByteRange(0..<byteCount))])
  }

  @Test(arguments: [1, 2, 3, 5, 8, 20])
  func limitsTheNumberOfParts(_ count: Int) throws {
    let sizes = try #require(OutputPlan.PartSizes(smallest: 4, largest: 64, count: count))
    var limited = 0
    for plan in Self.plans where plan.byteCount <= UInt64(count) * 64 {
      let parts = try plan.parts(sizes)
      #expect(parts.count <= count && parts.reduce(0) { $0 + $1.range.count } == plan.byteCount)
      for part in parts.dropLast() { #expect((4...64).contains(part.range.count)) }
      if let unlimited = OutputPlan.PartSizes(smallest: 4, largest: 64) {
        limited += try plan.parts(unlimited).count > count ? 1 : 0
      }
    }
    #expect(limited > 0 || count > 4)
  }

  @Test func rejectsAnOutputThatIsTooLargeForTheParts() throws {
    let sizes = try #require(OutputPlan.PartSizes(smallest: 1 << 20, largest: 1 << 30, count: 3))
    #expect(try Self.plan(copying: 3 << 29).parts(sizes).count <= 3)
    let error = #expect(throws: MovieError.self) { try Self.plan(copying: 4 << 30).parts(sizes) }
    #expect(error?.code == .limit && error?.reason.contains("needs more than 3 parts of") == true)
    let single = try #require(OutputPlan.PartSizes(smallest: 4, largest: 64, count: 1))
    #expect(try Self.plan(copying: 61).parts(single).map(\.range) == [ByteRange(0..<64)])
    let tooLarge = #expect(throws: MovieError.self) { try Self.plan(copying: 62).parts(single) }
    #expect(tooLarge?.reason.contains("needs more than 1 part of") == true)
    #expect(throws: MovieError.self) { try Self.plan(copying: 60 << 40).parts(.s3) }
  }

  /// A list of the parts would exhaust the memory, so the number is checked before the parts are made.
  @Test func refusesTinyPartsOfAHugeMovie() throws {
    let sizes = try #require(OutputPlan.PartSizes(smallest: 1, largest: 2))
    let plan = try Self.plan(copying: 1 << 50)
    let error = #expect(throws: MovieError.self) { try plan.parts(sizes) }
    #expect(error?.code == .limit)
  }

  /// The limits leave no part for the header alone, so the output is divided evenly.
  @Test(
    arguments: [
      (52_247, 5 << 10, 60 << 10, 1), (74_890_553, 5 << 20, 40 << 20, 2), (16_106_127_357, 5 << 20, 5 << 30, 3),
    ] as [(UInt64, UInt64, UInt64, Int)])
  func dividesTheOutputEvenlyAsALastResort(
    _ copiedByteCount: UInt64, _ smallest: UInt64, _ largest: UInt64, _ count: Int
  ) throws {
    let sizes = try #require(OutputPlan.PartSizes(smallest: smallest, largest: largest, count: count))
    let parts = try Self.plan(copying: copiedByteCount).parts(sizes)
    #expect(parts.count == count && parts[0].origin == .sent)
    #expect(parts.allSatisfy { $0.range.count <= largest } && parts.last?.range.end == copiedByteCount + 3)
    // The store copies everything after the first part. The header of 3 bytes moves the media.
    for part in parts.dropFirst() {
      #expect(part.origin == .copied(ByteRange(part.range.offset - 3..<part.range.end - 3)))
    }
  }

  /// Eight copies of a long run, and one copy of a run that is too short to be divided.
  @Test(arguments: [
    (UInt64(40) << 20, 1), (100 << 20, 2), (512 << 20, 8), (1 << 30, 8), (30 << 30, 8), (100 << 30, 20),
  ])
  func dividesLongCopies(_ byteCount: UInt64, _ count: Int) throws {
    let parts = try Self.plan(copying: byteCount).parts(.s3)
    let copied = parts.filter { $0.origin != .sent }
    #expect(copied.count == count && parts.count == count + 1 && parts[0].range.count == 5 << 20)
    let sizes = copied.map(\.range.count)
    #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1 && sizes.allSatisfy { (5 << 20...5 << 30).contains($0) })
  }

  @Test func plansThePartsAlone() throws {
    let sizes = try #require(OutputPlan.PartSizes(smallest: 4, largest: 9))
    let source = MemorySource(Bytes((0..<1000).map { UInt8(truncatingIfNeeded: $0) }))
    for plan in Self.plans {
      let parts = try plan.parts(sizes)
      let bytes = try parts.flatMap { part in
        let partPlan = try plan.plan(of: part)
        return try PlannedSource(partPlan, of: source).read(ByteRange(0..<partPlan.byteCount)).array
      }
      #expect(try bytes == PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount)).array)
    }
  }

  @Test func uploadsOnlyTheSubtitleTrack() throws {
    let movie = TestMovie.simple.with {
      $0.layout = [.fileType, .hole(20 << 30), .media(.ordinary), .movie(.ordinary)]
    }
    .with { for index in $0.tracks.indices { $0.tracks[index].usesLongOffsets = true } }
    let source = SparseSource(movie)
    let plan = try MovieEdit.addingSubtitles(to: source).outputPlan(of: source, .objectStore)
    let parts = try plan.parts(.s3)
    let sent = parts.filter { $0.origin == .sent }.reduce(0) { $0 + $1.range.count }
    #expect(parts.count == 9 && sent < 10 << 20)
  }
}

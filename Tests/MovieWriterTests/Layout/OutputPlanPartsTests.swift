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
      let parts = plan.parts(sizes)
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
    #expect(OutputPlan.PartSizes.s3.smallest == 5 << 20 && OutputPlan.PartSizes.s3.largest == 5 << 30)
  }

  @Test func uploadsOnlyTheSubtitleTrack() throws {
    let movie = TestMovie.simple.with {
      $0.layout = [.fileType, .hole(20 << 30), .media(.ordinary), .movie(.ordinary)]
    }
    .with { for index in $0.tracks.indices { $0.tracks[index].usesLongOffsets = true } }
    let source = SparseSource(movie)
    let plan = try MovieEdit.addingSubtitles(to: source).outputPlan(of: source, OutputLayout(interleaving: .none))
    let parts = plan.parts(.s3)
    let sent = parts.filter { $0.origin == .sent }.reduce(0) { $0 + $1.range.count }
    #expect(parts.count == 6 && sent < 10 << 20)
  }
}

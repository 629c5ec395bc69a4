import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct OutputPlanTests {
  private let source = MemorySource(Bytes(Array(0..<20)))

  private func plan(_ contents: [OutputPlan.Content]) throws -> OutputPlan {
    try OutputPlan(of: source.identity(), contents)
  }

  private var small: OutputPlan {
    get throws {
      try plan([
        .generated(Bytes([100, 101, 102])), .source(ByteRange(5..<9)), .zeros(2), .source(ByteRange(0..<3)),
        .source(ByteRange(12..<20)), .generated(Bytes([103])),
      ])
    }
  }

  @Test func mergesNeighbouringCopiesAndZeros() throws {
    let plan = try plan([
      .source(ByteRange(0..<4)), .source(ByteRange(4..<4)), .source(ByteRange(4..<9)), .zeros(1), .zeros(0), .zeros(2),
      .source(ByteRange(9..<10)), .generated(Bytes()), .source(ByteRange(11..<12)), .source(ByteRange(10..<11)),
    ])
    #expect(
      plan.extents.map(\.content) == [
        .source(ByteRange(0..<9)), .zeros(3), .source(ByteRange(9..<10)), .source(ByteRange(11..<12)),
        .source(ByteRange(10..<11)),
      ])
    #expect(plan.extents.map(\.offset) == [0, 9, 12, 13, 14])
    #expect(plan.byteCount == 15)
  }

  @Test func splitsCopiesAtPartsOfAJoinedSource() throws {
    let parts = try JoinedSource([4, 5, 0, 6].map { MemorySource(Bytes(zeros($0))) }).identity()
    for (contents, ranges) in [
      ([0..<15], [0..<4, 4..<9, 9..<15]), ([0..<4, 4..<15], [0..<4, 4..<9, 9..<15]),
      ([2..<5, 5..<9], [2..<4, 4..<9]), ([3..<4], [3..<4]), ([4..<10], [4..<9, 9..<10]),
    ] as [([Range<UInt64>], [Range<UInt64>])] {
      let plan = try OutputPlan(of: parts, contents.map { .source(ByteRange($0)) })
      #expect(plan.extents.map(\.sourceRange) == ranges.map { ByteRange($0) })
      #expect(plan.extents.map(\.offset) == ranges.map { $0.lowerBound - ranges[0].lowerBound })
    }
  }

  @Test func usesEachSourceByteOnce() throws {
    #expect(throws: Never.self) { try plan([.source(ByteRange(5..<9)), .source(ByteRange(2..<5))]) }
    for second in [2..<6, 8..<9, 5..<9, 0..<20, 6..<7] as [Range<UInt64>] {
      #expect { try plan([.source(ByteRange(5..<9)), .zeros(1), .source(ByteRange(second))]) } throws: {
        isMovieError($0, .planCheckFailed)
      }
    }
  }

  @Test func requiresRangesInTheSource() throws {
    #expect(try plan([.source(ByteRange(19..<20))]).byteCount == 1)
    for range in [19..<21, 20..<21, 0..<UInt64.max] as [Range<UInt64>] {
      #expect { try plan([.source(ByteRange(range))]) } throws: { isMovieError($0, .planCheckFailed) }
    }
  }

  @Test func limitsTheSizeOfTheOutput() throws {
    let most = UInt64(Int64.max)
    #expect(try plan([.zeros(most)]).byteCount == most)
    for contents in [[.zeros(most), .zeros(1)], [.zeros(.max)], [.zeros(.max), .zeros(.max)]] as [[OutputPlan.Content]]
    {
      #expect { try plan(contents) } throws: { isMovieError($0, .limit) }
    }
  }

  @Test func locatesEverySourceByteInTheOutput() throws {
    let plan = try small
    let output = try plan.rendered(from: source)
    for offset in 0..<UInt64(25) {
      // The bytes of the source equal their positions. The new bytes of the plan do not.
      let naive = output.firstIndex(of: UInt8(offset)).map { UInt64($0) }
      let expected = [0..<3, 5..<9, 12..<20].contains { $0.contains(Int(offset)) } ? naive : nil
      if offset != 0 { #expect(plan.outputOffset(ofSource: offset) == expected, "byte \(offset)") }
    }
    #expect(plan.outputOffset(ofSource: 0) == 9)
    #expect(plan.outputOffset(ofSource: .max) == nil)
  }

  @Test func rendersSlicesLikeTheWhole() throws {
    let plan = try small
    let whole: [UInt8] = [100, 101, 102, 5, 6, 7, 8, 0, 0, 0, 1, 2, 12, 13, 14, 15, 16, 17, 18, 19, 103]
    #expect(try plan.rendered(from: source) == whole)
    let planned = PlannedSource(plan, of: source)
    for start in 0...whole.count {
      for end in start...whole.count {
        let range = ByteRange(UInt64(start)..<UInt64(end))
        let slice = plan.extents(in: range)
        #expect(slice.reduce(0) { $0 + $1.content.byteCount } == range.count)
        #expect(slice.first.map(\.offset) ?? range.offset == range.offset)
        #expect(zip(slice, slice.dropFirst()).allSatisfy { $0.range.end == $1.offset })
        #expect(try planned.read(range).array == Array(whole[start..<end]))
      }
    }
    #expect(plan.extents(in: ByteRange(20..<100)).map(\.content) == [.generated(Bytes([103]))])
    #expect(plan.extents(in: ByteRange(21..<100)) == [])
  }

  @Test func visitsOnlyExtentsOfTheRange() throws {
    let source = CountingSource([UInt8](repeating: 7, count: 50_000))
    let plan = try OutputPlan(
      of: source.identity(),
      (0..<5000).flatMap { index -> [OutputPlan.Content] in
        [.generated(Bytes([UInt8(index % 251)])), .source(ByteRange(UInt64(index) * 10..<UInt64(index) * 10 + 10))]
      })
    #expect(plan.extents.count == 10_000 && plan.byteCount == 55_000)
    let planned = PlannedSource(plan, of: source)
    for start in [0, 1, 10, 27_489, 54_890] as [UInt64] {
      let range = ByteRange(start..<start + 110)
      let extents = plan.extents(in: range)
      #expect(extents.count <= 21)
      let before = source.reads.count
      #expect(try planned.read(range).count == 110)
      #expect(source.reads.count - before == extents.count { $0.sourceRange != nil })
    }
  }

  @Test func keepsPartsOfAJoinedSourceSeparate() throws {
    let joined = try JoinedSource([source, source])
    let plan = try OutputPlan(of: joined.identity(), [.source(ByteRange(15..<20)), .source(ByteRange(20..<30))])
    #expect(plan.extents.map(\.content) == [.source(ByteRange(15..<20)), .source(ByteRange(20..<30))])
    #expect(try plan.rendered(from: joined) == Array(15..<20) + Array(0..<10))
  }

  @Test func reportsTheSizeOfAPlannedSource() throws {
    let planned = PlannedSource(try small, of: source)
    #expect(try planned.identity().byteCount == 21)
    #expect(throws: MovieError.self) { try planned.read(ByteRange(20..<22)) }
    #expect(throws: MovieError.self) { try planned.read(ByteRange(0..<UInt64.max)) }
    #expect(try planned.read(ByteRange(21..<21)).isEmpty)
  }

  @Test func comparesPlansByContents() throws {
    #expect(try small == small)
    #expect(try small != plan([.zeros(21)]))
    #expect(try plan([]).extents.isEmpty && plan([]).byteCount == 0)
  }
}

import MovieBox
import Testing

@testable import MovieWriter

struct RescaledEditsTests {
  private func durations(_ old: [UInt64], from: UInt32, to: UInt32) throws -> [UInt64] {
    let list = EditList(entries: old.map { EditList.Entry(segmentDuration: $0, mediaTime: 7) })
    return try RescaledEdits(list, from: from, to: to).list.entries.map(\.segmentDuration)
  }

  @Test func keepsRepresentableTimesExact() throws {
    let list = EditList(entries: [
      EditList.Entry(segmentDuration: 480, mediaTime: -1), EditList.Entry(segmentDuration: 48000, mediaTime: 1024),
    ])
    let rescaled = try RescaledEdits(list, from: 48000, to: 1000)
    #expect(rescaled.list.entries.map(\.segmentDuration) == [10, 1000])
    #expect(rescaled.list.entries.map(\.mediaTime) == [-1, 1024])
    #expect(rescaled.roundedCount == 0 && rescaled.vanishedCount == 0)
  }

  @Test func roundsEndsToTheNearestTick() throws {
    #expect(try durations([1, 1, 1, 1], from: 2, to: 1) == [1, 0, 1, 0])  // 0.5, 1, 1.5, 2
    #expect(try durations([149], from: 100, to: 1) == [1])
    #expect(try durations([150], from: 100, to: 1) == [2])
  }

  @Test func accumulatesNoRoundingErrors() throws {
    let old = [UInt64](repeating: 1001, count: 10_000)
    let new = try durations(old, from: 30000, to: 600)
    var end: UInt64 = 0
    for (index, duration) in new.enumerated() {
      end += duration
      let exact = UInt64(index + 1) * 1001 * 600  // In ticks of 1/30000 of the new one.
      let difference = end * 30000 > exact ? end * 30000 - exact : exact - end * 30000
      #expect(difference <= 15000)
    }
    #expect(try RescaledEdits(list(old), from: 30000, to: 600).roundedCount > 9000)
  }

  @Test func countsEditsShorterThanHalfATick() throws {
    let rescaled = try RescaledEdits(list([1000, 1, 0, 1000]), from: 1000, to: 10)
    #expect(rescaled.list.entries.map(\.segmentDuration) == [10, 0, 0, 10])
    #expect(rescaled.vanishedCount == 1)
    #expect(rescaled.roundedCount == 3)  // The second ends late, the third begins there, and the last ends late.
  }

  @Test func widensTheListOnlyIfNecessary() throws {
    let largest = UInt64(UInt32.max) - 1
    #expect(try RescaledEdits(list([largest]), from: 1, to: 1).list.version == 0)
    #expect(try RescaledEdits(list([largest]), from: 1, to: 2).list.version == 1)
    #expect(try RescaledEdits(list([UInt64(UInt32.max / 3)]), from: 1, to: 3).list.version == 1)  // All ones else.
    #expect(try durations([UInt64(UInt32.max / 3)], from: 1, to: 3) == [UInt64(UInt32.max)])
    let wide = EditList(version: 1, entries: [EditList.Entry(segmentDuration: 5, mediaTime: 0)])
    #expect(try RescaledEdits(wide, from: 10, to: 20).list.version == 1)
  }

  /// All ones represent an unknown duration.
  @Test func keepsUnknownDurations() throws {
    let unknown = UInt64(UInt32.max)
    let rescaled = try RescaledEdits(list([unknown, 100, unknown]), from: 10, to: 20)
    #expect(rescaled.list.entries.map(\.segmentDuration) == [unknown, 200, unknown] && rescaled.roundedCount == 0)
    #expect(rescaled.list.version == 0)
    #expect(try durations([unknown, unknown - 1, 1], from: 1, to: 2) == [.max, (unknown - 1) * 2, 2])
    #expect(try durations([.max, 1], from: 1, to: 2) == [.max, 2])
  }

  @Test func rejectsTimesBeyond64Bits() throws {
    let largest = UInt64.max - 1
    #expect(throws: Never.self) { try durations([largest], from: 2, to: 1) }
    #expect { try durations([largest], from: 1, to: 2) } throws: { isMovieError($0, .limit) }
    #expect { try durations([largest, 2], from: 2, to: 1) } throws: { isMovieError($0, .limit) }
  }

  private func list(_ durations: [UInt64]) -> EditList {
    EditList(entries: durations.map { EditList.Entry(segmentDuration: $0, mediaTime: 0) })
  }
}

import MovieBox
import MovieWriter

/// `serve-ranges FILE EXTENTS`: what a service spends on a range of a mebibyte of a plan with so many extents, half of
/// them ranges of FILE.
///
/// Prints two lines of three numbers, nanoseconds (median, least, most): of `extents(in:)` alone, averaged over a thousand
/// ranges, and of the bytes of one range.
@main
struct ServeRanges {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let file = arguments.first, let count = arguments.last.flatMap({ UInt64($0) }) else {
      print("serve-ranges FILE EXTENTS")
      return
    }
    let source = try FileSource(path: file)
    let identity = try source.identity()
    let runCount = count / 2
    let runLength = identity.byteCount / runCount
    let new = Bytes([UInt8](repeating: 9, count: 100))
    let plan = try RemuxPlan(
      of: identity,
      (0..<runCount).flatMap { [.generated(new), .source(ByteRange($0 * runLength..<($0 + 1) * runLength))] })
    let output = PlannedSource(plan, of: source)
    guard plan.extents.count == count, plan.byteCount > 1 << 20 else {
      print("serve-ranges: \(file) is too small for a plan of \(count) extents")
      return
    }

    var numbers = SystemRandomNumberGenerator()
    func range() -> ByteRange {
      let start = UInt64.random(in: 0...plan.byteCount - 1 << 20, using: &numbers)
      return ByteRange(start..<start + 1 << 20)
    }
    let clock = ContinuousClock()
    var found = 0
    report(
      (0..<21).map { _ in
        let ranges = (0..<1000).map { _ in range() }
        return clock.measure { for range in ranges { found += plan.extents(in: range).count } } / 1000
      })
    // The first time brings the bytes into memory; what is timed is our work, not the disk's.
    let ranges = (0..<101).map { _ in range() }
    var served = 0
    for range in ranges { served += try output.read(range).count }
    report(try ranges.map { range in try clock.measure { served += try output.read(range).count } })
    precondition(found > 0 && served == 2 * ranges.count << 20, "all was served")
  }

  private static func report(_ times: [Duration]) {
    let sorted = times.sorted()
    let shown = [sorted[sorted.count / 2], sorted[0], sorted[sorted.count - 1]]
    print(
      shown.map { String($0.components.seconds * 1_000_000_000 + $0.components.attoseconds / 1_000_000_000) }
        .joined(separator: " "))
  }
}

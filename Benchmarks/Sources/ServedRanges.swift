import MovieBox
import MovieWriter

/// Measures reading a range of 1 MiB of a planned movie, as in a service.
enum ServedRanges {
  /// Prints two lines. The first line contains the times of `extents(in:)`, averaged over a thousand ranges. The second
  /// line contains the times of reading one range. Half of the extents are ranges of the file.
  static func measure(_ file: String, extentCount count: UInt64) throws {
    let source = try FileSource(path: file)
    let identity = try source.identity()
    let runCount = count / 2
    let runLength = identity.byteCount / runCount
    let new = Bytes([UInt8](repeating: 9, count: 100))
    let plan = try OutputPlan(
      of: identity,
      (0..<runCount).flatMap { [.generated(new), .source(ByteRange($0 * runLength..<($0 + 1) * runLength))] })
    let output = PlannedSource(plan, of: source)
    guard plan.extents.count == count, plan.byteCount > 1 << 20 else {
      throw BadArguments(description: "\(file) is too small for a plan of \(count) extents")
    }

    var numbers = SystemRandomNumberGenerator()
    func range() -> ByteRange {
      let start = UInt64.random(in: 0...plan.byteCount - 1 << 20, using: &numbers)
      return ByteRange(start..<start + 1 << 20)
    }
    let clock = ContinuousClock()
    var found = 0
    FromInside.report(
      (0..<21).map { _ in
        let ranges = (0..<1000).map { _ in range() }
        return clock.measure { for range in ranges { found += plan.extents(in: range).count } } / 1000
      })
    // The first pass reads the bytes into memory, so that the measurement excludes the time of the disk.
    let ranges = (0..<101).map { _ in range() }
    var served = 0
    for range in ranges { served += try output.read(range).count }
    FromInside.report(try ranges.map { range in try clock.measure { served += try output.read(range).count } })
    precondition(found > 0 && served == 2 * ranges.count << 20, "all was served")
  }
}

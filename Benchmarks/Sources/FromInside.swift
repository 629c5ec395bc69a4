/// Measures functions of the libraries for which the tool has no command. `Benchmarks/bench.py` reads the output.
///
/// Each line contains the median, the shortest and the longest time in nanoseconds.
@main
enum FromInside {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch (words.first, words.count) {
    case ("ranges", 3):
      guard let count = UInt64(words[2]) else { throw BadArguments(description: "ranges FILE EXTENTS") }
      try ServedRanges.measure(words[1], extentCount: count)
    case ("subtitles", 2):
      try EncodedSubtitles.measure(words[1])
    case ("soak", 5):
      guard let count = Int(words[4]) else { throw BadArguments(description: "soak MOVIE SUB FOLDER COUNT") }
      try Soak(movie: words[1], subtitles: words[2], folder: words[3]).run(count)
    default:
      throw BadArguments(description: "ranges FILE EXTENTS | subtitles SUB | soak MOVIE SUB FOLDER COUNT")
    }
  }

  static func report(_ times: [Duration]) {
    let sorted = times.sorted()
    let shown = [sorted[sorted.count / 2], sorted[0], sorted[sorted.count - 1]]
    print(shown.map { String(nanoseconds($0)) }.joined(separator: " "))
  }

  static func nanoseconds(_ time: Duration) -> Int64 {
    time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
  }
}

struct BadArguments: Error, CustomStringConvertible {
  let description: String
}

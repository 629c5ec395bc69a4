import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Leftovers of a crash after a movie do not prevent the next edit.
struct LeftoverTests {
  enum Leftover: CustomStringConvertible {
    /// The first bytes that an edit in place appends.
    case torn(Int)
    /// All bytes that it appends.
    case whole
    /// The header and the mark, then zeros.
    case headed
    case zeros(Int)
    /// The header of the appended bytes, then zeros.
    case hollow

    var description: String {
      switch self {
      case .torn(let count): "the first \(count) bytes"
      case .whole: "everything"
      case .zeros(let count): "\(count) zeros"
      case .hollow: "a header and zeros"
      case .headed: "a header, the mark and zeros"
      }
    }

    func bytes(of appended: [UInt8]) -> [UInt8] {
      switch self {
      case .torn(let count): Array(appended.prefix(count))
      case .whole: appended
      case .zeros(let count): [UInt8](repeating: 0, count: count)
      case .headed: Array(appended.prefix(24)) + [UInt8](repeating: 0, count: appended.count - 24)
      case .hollow: Array(appended.prefix(8)) + [UInt8](repeating: 0, count: appended.count - 8)
      }
    }

    /// Whether the next edit can be made in place.
    var isNoObstacle: Bool {
      switch self {
      case .torn(let count): count >= 8 || count <= 2  // Two zero bytes, of a size below 64 KiB.
      case .whole, .hollow, .headed, .zeros: true
      }
    }
  }

  static let leftovers: [Leftover] =
    (1...9).map { .torn($0) } + [.torn(300), .torn(1024), .whole, .hollow, .headed]
    + [1, 4, 7, 8, 9, 16, 512, 1000].map { .zeros($0) }

  @Test(arguments: [16, 100, 512, nil] as [Int?])
  func dropsLeftoversAfterATrailerInTheNextEdit(_ count: Int?) throws {
    let trailer = text("SEFT, a vendor's trailer")
    let movie = TestMovie.simple.with { $0.layout = .movieLast + [.bytes(trailer)] }
    let old = movie.bytes()
    let source = MemorySource(Bytes(old))
    let appended = try CrashedMovie.edit(of: source).inPlacePlan(of: source).contentBytes.array
    let folder = try TemporaryFolder()
    for strategy in [EditStrategy.itself, .keptOrder] where count == nil || count != 8 {
      let path = try folder.write(old + appended.prefix(count ?? appended.count), as: "film.mov")
      let result = try strategy.add(.english, to: path, in: folder, as: "\(strategy).mov")
      if strategy == .itself { #expect(result.obstacle == nil) }
      let new = try SecondReader(path: result.path)
      #expect(try new.trailingBytes == trailer)
      let before = try SecondReader(old)
      let allowed = AllowedChanges.adding(result.trackID).with {
        $0.movieMoved = true
        for audio in before.tracks where audio.handler == "soun" { $0.references[audio.id] = ["folw"] }
      }
      #expect(try differences(old: before, new: new, allowing: allowed) == [])
    }
  }

  @Test(arguments: leftovers)
  func makesTheInterruptedEditAfterACrash(_ leftover: Leftover) throws {
    for movie in [TestMovie.simple, .talk, .torture] {
      let old = movie.bytes()
      let source = MemorySource(Bytes(old))
      let appended = try CrashedMovie.edit(of: source).inPlacePlan(of: source).contentBytes.array
      let folder = try TemporaryFolder()
      let path = try folder.write(old + leftover.bytes(of: appended), as: "film.mov")
      let result = try EditStrategy.itself.add(.english, to: path, in: folder, as: "new.mov")

      let before = try SecondReader(old)
      let after = try SecondReader(path: result.path)
      let allowed = AllowedChanges.adding(result.trackID).with {
        $0.strayBytes = true
        for audio in before.tracks where audio.handler == "soun" { $0.references[audio.id] = ["folw"] }
      }
      #expect(try differences(old: before, new: after, allowing: allowed).isEmpty)
      try TrialChecks(name: "\(leftover)", old: before, new: after, id: result.trackID, track: .english).run()
      #expect((result.obstacle == nil) == leftover.isNoObstacle, "\(result.obstacle ?? "in place")")
      // A complete atom is reused, and a torn one cut off, so the file does not grow with every crash.
      if leftover.isNoObstacle {
        let again = try EditStrategy.itself.add(.french, to: result.path, in: folder, as: "again.mov")
        #expect(again.obstacle == nil)
      }
    }
  }
}

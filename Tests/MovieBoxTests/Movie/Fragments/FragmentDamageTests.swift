import MovieBox
import TestSupport
import Testing

/// Damaged fragments result in a value or an error, never in a trap.
@Suite struct FragmentDamageTests {
  private static let bytes: [UInt8] = {
    let pictures: [TestSample] = .pictures(6, around: 20, duration: 50)
    let information = movie {
      fullAtom("saiz") {
        u8(0)
        u32(2)
        u8(8, 8)
      }
      fullAtom("saio", version: 1) {
        u32(1)
        u64(100)
      }
      fullAtom("sbgp") {
        code("roll")
        u32(1, 6, 0x10001)
      }
      fullAtom("sgpd", version: 1) {
        code("roll")
        u32(0, 1, 2)
        u16(-1)
      }
    }
    let parts: [TestFragment] = [TestFragment.Base.absolute, .movieFragment, .implied].map { base in
      TestFragment([
        .init(id: 1, decodeTime: 5, runs: [.init(pictures), .init(pictures)]).with {
          ($0.base, $0.atoms) = (base, information)
        },
        .init(id: 2, runs: [.init(pictures, fields: []).with { $0.firstSampleFlags = 0 }]).with {
          ($0.base, $0.duration, $0.size, $0.flags) = (base, 10, 3, 0)
        },
      ])
    }
    return initialMovie.bytes(fragments: parts)
  }()

  private func use(_ bytes: [UInt8]) throws {
    var limits = MovieLimits()
    limits.implicitSampleCount = 1000
    let read = try ReadFragments(bytes, limits: limits)
    _ = read.fragments.misplacedSamples(in: read.movie)
    for track in read.movie.tracks { _ = try read.samples(track.id) }
    for fragment in read.fragments.fragments {
      let tree = try fragment.tree()
      for part in fragment.trackFragments {
        _ = try part.auxiliaryInformation(in: tree)
        _ = try part.sampleGroups(in: tree)
      }
    }
  }

  @Test func readsTheMovieBeforeDamage() throws {
    try use(Self.bytes)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func survivesDamagedNumbers(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let start = try #require(try ReadFragments(Self.bytes).fragments.fragments.first).range.offset
    for _ in 0..<100 {
      var bytes = Self.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: Int(start)..<bytes.count, using: &random)
        bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
      }
      do {
        try use(bytes)
      } catch let error as MovieError {
        #expect(!error.reason.isEmpty, "seed \(seed)")
      }
    }
  }

  @Test func survivesEveryTruncationOfAFragmentedFile() throws {
    let start = try #require(try ReadFragments(Self.bytes).fragments.fragments.first).range.offset
    for count in Int(start)..<Self.bytes.count {
      let read = try ReadFragments(Array(Self.bytes[..<count]))
      #expect(read.fragments.fragments.count <= 3)
      _ = read.fragments.misplacedSamples(in: read.movie)
    }
  }
}

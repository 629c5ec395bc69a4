import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Plans of movies without their fragments: each test corrupts one and expects that the checker detects it.
struct PlanCheckerFragmentTests {
  private let pictures: [TestSample] = .pictures(6, around: 20, duration: 50)

  private func flattened() throws -> Flattened {
    let groups = movieContent {
      fullAtom("sgpd", version: 1) { code("roll") + u32(2, 2) + u16(7, 8) }
      fullAtom("sbgp") { code("roll") + u32(2, 2, 0x1_0001, 4, 0x1_0002) }
      fullAtom("saiz") { u8(4) + u32(6) }
      fullAtom("saio") { u32(1, 8) }
      fullAtom("subs") { u32(2, 1) + u16(1, 9) + zeros(6) + u32(3) + u16(1, 8) + zeros(6) }
    }
    let encryption = fullAtom("senc") { u32(6) + (0..<6).flatMap { u8($0) } }
    let samples = pictures.map { TestSample($0.byteCount, duration: 40) }
    var flagged = pictures
    flagged[5].flags = 0x0107_0003  // Bits of padding, and a priority.
    return try Flattened(
      [
        TestFragment([
          .init(id: 1, decodeTime: 90, runs: [.init(flagged), .init(pictures).with { $0.gap = 2 }]).with {
            $0.atoms = groups
          },
          .init(id: 2, runs: [.init(samples)]).with { $0.atoms = encryption },
        ]),
        TestFragment([.init(id: 1, decodeTime: 1000, runs: [.init(pictures)]).with { $0.atoms = groups }]),
      ], of: Flattened.header.with { $0.tracks[0].sampleTableAtoms = fullAtom("cslg") { zeros(20) } },
      OutputLayout(interleaving: .none)
    ) { _ = try $0.addSubtitles("en") }
  }

  private func check(_ movie: Flattened, _ plan: OutputPlan) throws {
    try PlanChecker.check(
      plan, of: movie.resolved, strategy: .rewrite(OutputLayout(interleaving: .none)), source: movie.source)
  }

  /// Returns the plan with bytes of its output replaced.
  private func spoiled(_ plan: OutputPlan, at place: UInt64, with bytes: [UInt8]) throws -> OutputPlan {
    let before = plan.extents(in: ByteRange(0..<place)).map(\.content)
    let after = plan.extents(in: ByteRange(place + UInt64(bytes.count)..<plan.byteCount)).map(\.content)
    return try OutputPlan(of: plan.source, before + [.generated(Bytes(bytes))] + after)
  }

  private func expectFailure(
    _ movie: Flattened, _ path: String, byte: Int, at location: SourceLocation = #_sourceLocation
  ) throws {
    let atom = try #require(movie.new.atom(path), sourceLocation: location)
    let place = byte < 0 ? atom.end - byte.magnitude.asUInt64 : atom.offset + UInt64(byte)
    let old = try movie.new.store.read(place, 1)
    let plan = try spoiled(movie.plan, at: place, with: [old[0] ^ 1])
    #expect(sourceLocation: location) {
      try check(movie, plan)
    } throws: {
      isMovieError($0, .planCheckFailed)
    }
  }

  @Test func acceptsGoodPlans() throws {
    let movie = try flattened()
    #expect(throws: Never.self) { try check(movie, movie.plan) }
    #expect(throws: Never.self) {
      try check(movie, spoiled(movie.plan, at: 100, with: movie.new.store.read(100, 1)))
    }
  }

  @Test(arguments: [
    "stts", "ctts", "cslg", "stsc", "stsz", "stco", "stss", "sbgp", "sgpd", "saiz", "saio", "sdtp", "padb", "stdp",
    "subs",
  ])
  func detectsADifferentTable(type: String) throws {
    try expectFailure(flattened(), "moov/trak#1/mdia/minf/stbl/\(type)", byte: -1)
  }

  @Test(arguments: 1...2) func detectsAnyChangedBitOfATrack(id: Int) throws {
    let movie = try flattened()
    let trak = try #require(movie.new.atom("moov/trak#\(id)"))
    let old = try movie.new.bytes(of: trak)
    var missed: [Int] = []
    for (index, byte) in old.enumerated() {
      let plan = try spoiled(movie.plan, at: trak.offset + UInt64(index), with: [byte ^ 1 << (index % 8)])
      do {
        try check(movie, plan)
        missed.append(index)
      } catch {
        #expect(isMovieError(error, .planCheckFailed), "byte \(index): \(error)")
      }
    }
    #expect(missed == [])
  }

  @Test func detectsOtherEncryptionAndTimes() throws {
    let movie = try flattened()
    try expectFailure(movie, "moov/trak#2/senc", byte: -1)
    try expectFailure(movie, "moov/trak#1/edts/elst", byte: 19)
    try expectFailure(movie, "moov/trak#1/tkhd", byte: -1)
    try expectFailure(movie, "moov/trak#2/mdia/mdhd", byte: -1)
    try expectFailure(movie, "moov/mvhd", byte: 20)
    // The bytes of auxiliary information.
    let saio = try #require(movie.new.atom("moov/trak#1/mdia/minf/stbl/saio"))
    let position = try movie.new.content(of: saio).suffix(4).reduce(0) { $0 << 8 | UInt64($1) }
    let old = try movie.new.store.read(position, 1)
    #expect { try check(movie, spoiled(movie.plan, at: position, with: [old[0] ^ 1])) } throws: {
      isMovieError($0, .planCheckFailed)
    }
  }

  /// The new tables are compared with the fragments, not with the builder's intermediate values.
  @Test func detectsErrorsOfTheBuilder() throws {
    let movie = try flattened()
    let other = try Flattened([
      TestFragment([
        .init(id: 1, decodeTime: 90, runs: [.init(pictures), .init(pictures).with { $0.gap = 2 }]),
        .init(id: 2, runs: [.init(pictures.map { TestSample($0.byteCount, duration: 40) })]),
      ]), TestFragment([.init(id: 1, decodeTime: 1000, runs: [.init(pictures)])]),
    ])
    // The groups and the encryption are lost.
    #expect {
      try PlanChecker.check(
        other.plan, of: movie.resolved, strategy: .rewrite(OutputLayout(interleaving: .none)), source: other.source)
    } throws: {
      isMovieError($0, .planCheckFailed)
    }
  }
}

extension UInt {
  fileprivate var asUInt64: UInt64 { UInt64(self) }
}

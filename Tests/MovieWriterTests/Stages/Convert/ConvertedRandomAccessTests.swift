import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Conversion between partial sync samples (`stps`) and random access point groups (`rap `).
struct ConvertedRandomAccessTests {
  private static func descriptions(_ entries: [UInt8] = [0], version: Int = 1, defaultIndex: Int = 0) -> [UInt8] {
    fullAtom("sgpd", version: version) {
      code("rap ")
      u32(1)
      if version == 2 { u32(defaultIndex) }
      u32(entries.count)
      entries
    }
  }

  private static func groups(_ runs: Int..., parameter: Int? = nil) -> [UInt8] {
    fullAtom("sbgp", version: parameter == nil ? 0 : 1) {
      code("rap ")
      if let parameter { u32(parameter) }
      u32(runs.count / 2)
      runs.flatMap { u32($0) }
    }
  }

  private static func partial(_ numbers: Int...) -> [UInt8] {
    atom("stps") { u32(0, numbers.count) + numbers.flatMap { u32($0) } }
  }

  /// Returns 24 pictures of which only the first is a sync sample.
  private func movie(_ atoms: [UInt8], _ dialect: TestMovie.Dialect = .quickTime) -> TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1).with { track in
        for index in track.samples.indices { track.samples[index].isSync = index == 0 }
        track.sampleTableAtoms = atoms
      }
    ]).with { $0.dialect = dialect }
  }

  private func tables(_ trial: ConversionTrial, _ type: String) throws -> [[UInt8]] {
    try trial.new.atoms.filter { $0.type == type }.map { try trial.new.bytes(of: $0) }
  }

  @Test(arguments: [
    descriptions() + groups(2, 0, 1, 1, 9, 0, 2, 1), descriptions([0x82]) + groups(4, 1, 3, 0, 1, 1),
    descriptions([0], version: 2) + groups(20, 1), descriptions([0], version: 2, defaultIndex: 1) + groups(9, 0),
    groups(5, 0, 1, 1) + descriptions(),
  ])
  func roundTripsAGroupRepeatedly(_ atoms: [UInt8]) throws {
    let old = movie(atoms, .iso)
    var bytes = old.bytes()
    for _ in 1...3 {
      let there = try ConversionTrial(bytes, to: .quickTime)
      #expect(try tables(there, "stps").count == 1)
      let back = try ConversionTrial(there.bytes, to: .mp4)
      #expect(try tables(back, "stps").isEmpty)
      for type in ["sgpd", "sbgp"] {
        #expect(
          try tables(back, type)
            == SecondReader(old.bytes()).atoms.filter { $0.type == type }.map {
              try SecondReader(old.bytes()).bytes(of: $0)
            })
      }
      bytes = back.bytes
    }
  }

  @Test func mergesPartialSyncSamplesIntoAGroup() throws {
    for atoms in [
      Self.partial(3, 7, 20) + Self.descriptions() + Self.groups(2, 0, 1, 1),
      Self.descriptions() + Self.groups(2, 0, 1, 1) + Self.partial(20, 7, 7, 3),
    ] {
      let trial = try ConversionTrial(movie(atoms), to: .mp4)
      #expect(try tables(trial, "sgpd") == [Self.descriptions()])
      #expect(try tables(trial, "sbgp") == [Self.groups(2, 0, 1, 1, 3, 0, 1, 1, 12, 0, 1, 1)])
      #expect(try tables(trial, "stps").isEmpty)
      let back = try ConversionTrial(trial.bytes, to: .quickTime)
      #expect(try tables(back, "stps") == [Self.partial(3, 7, 20)])
    }
  }

  /// A description with a known number of leading pictures keeps that number.
  @Test func keepsGroupDescriptionsAndAddsOne() throws {
    let trial = try ConversionTrial(
      movie(Self.partial(3, 7) + Self.descriptions([0x82]) + Self.groups(2, 0, 1, 1, parameter: 5)), to: .mp4)
    #expect(try tables(trial, "sgpd") == [Self.descriptions([0x82, 0])])
    #expect(try tables(trial, "sbgp") == [Self.groups(2, 0, 1, 1, 3, 0, 1, 2, parameter: 5)])
  }

  @Test func createsNoGroupForAnEmptyTable() throws {
    let trial = try ConversionTrial(movie(Self.partial()), to: .mp4)
    #expect(try tables(trial, "sbgp").isEmpty && tables(trial, "stps").isEmpty)
  }

  @Test func rejectsExtendingAGroupWithoutDescriptions() throws {
    #expect {
      try ConversionTrial(movie(Self.partial(3) + Self.groups(1, 1)), to: .mp4)
    } throws: { ($0 as? MovieError)?.code == .malformed }
  }

  // MARK: - Corrupted plans

  private func expectFailure(
    _ atoms: [UInt8], to type: MovieType, _ dialect: TestMovie.Dialect = .quickTime,
    at location: SourceLocation = #_sourceLocation, _ spoil: (inout AtomEdits, AtomTree, Int) throws -> Void
  ) throws {
    try SpoiledConversion(movie(atoms, dialect), to: type).expectFailure(at: location) { edits, movie in
      let stbl = try #require(movie.tree.sampleTable(ofTrack: movie.tracks[0].atom))
      try spoil(&edits, movie.tree, stbl)
    }
  }

  private static let known = partial(3, 7) + descriptions([0x82]) + groups(2, 0, 1, 1)

  @Test func detectsAnotherGroup() throws {
    for wrong in [
      Self.groups(2, 0, 1, 1), Self.groups(2, 0, 1, 1, 3, 0, 1, 1), Self.groups(2, 0, 1, 2, 3, 0, 1, 2),
      Self.groups(2, 0, 1, 1, 3, 0, 2, 2), Self.groups(1, 2, 1, 0, 1, 1, 3, 0, 1, 2), Self.groups(7, 1),
    ] {
      try expectFailure(Self.known, to: .mp4) { edits, tree, stbl in
        edits.replace(try #require(tree.child(of: stbl, "sbgp")), with: wrong)
      }
    }
  }

  @Test func detectsOtherGroupDescriptions() throws {
    for wrong in [
      Self.descriptions([0x83, 0]), Self.descriptions([0x82, 0x81]), Self.descriptions([0x82, 0, 0x81]),
      Self.descriptions([0x82, 0], version: 2, defaultIndex: 1),
    ] {
      try expectFailure(Self.known, to: .mp4) { edits, tree, stbl in
        edits.replace(try #require(tree.child(of: stbl, "sgpd")), with: wrong)
      }
    }
  }

  @Test func detectsAnAdditionalGroup() throws {
    for extra in [Self.groups(1, 1), Self.descriptions(), Self.partial(3)] {
      try expectFailure(Self.known, to: .mp4) { edits, _, stbl in edits.insert(extra, into: stbl) }
      try expectFailure(Self.descriptions() + Self.groups(2, 0, 1, 1), to: .mp4) { edits, _, stbl in
        edits.insert(extra, into: stbl)
      }
    }
  }

  @Test func detectsALostGroup() throws {
    for type in ["sbgp", "sgpd"] as [FourCC] {
      try expectFailure(Self.known, to: .mp4) { edits, tree, stbl in
        edits.remove(try #require(tree.child(of: stbl, type)))
      }
      try expectFailure(Self.descriptions() + Self.groups(2, 0, 1, 1), to: .quickTime, .iso) { edits, tree, stbl in
        edits.remove(try #require(tree.child(of: stbl, type)))
      }
    }
  }

  @Test func detectsOtherPartialSyncSamples() throws {
    let group = Self.descriptions() + Self.groups(2, 0, 1, 1)
    for wrong in [Self.partial(3, 4), Self.partial(4), Self.partial(1, 3), Self.partial()] {
      try expectFailure(group, to: .quickTime, .iso) { edits, tree, stbl in
        edits.replace(try #require(tree.child(of: stbl, "stps")), with: wrong)
      }
    }
  }

  @Test func mergesOverlappingGroups() throws {
    let groups =
      Self.groups(2, 0, 3, 1) + Self.groups(0, 1, 1, 1, 2, 0, 4, 1, parameter: 5) + Self.groups(1, 1, parameter: 6)
    let trial = try ConversionTrial(movie(Self.descriptions([0x82]) + groups, .iso), to: .quickTime)
    #expect(try tables(trial, "stps") == [Self.partial(3, 4, 5, 6, 7)])
  }
}

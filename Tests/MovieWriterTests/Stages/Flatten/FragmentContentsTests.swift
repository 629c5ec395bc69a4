import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Groups, subsamples and encryption of samples, which fragments declare in atoms of their own.
struct FragmentContentsTests {
  private let pictures: [TestSample] = .pictures(4, around: 20, duration: 50)

  private func part(_ atoms: [UInt8], count: Int = 4) -> TestFragment {
    TestFragment([.init(id: 1, runs: [.init(Array(pictures[..<count]))]).with { $0.atoms = atoms }])
  }

  private func header(_ atoms: [UInt8]) -> TestMovie {
    Flattened.header.with { $0.tracks[0].sampleTableAtoms = atoms }
  }

  private func sgpd(_ entries: [Int], version: Int = 1, standard: Int = 0) -> [UInt8] {
    fullAtom("sgpd", version: version) {
      code("roll") + u32(2) + (version >= 2 ? u32(standard) : []) + u32(entries.count)
      for entry in entries { u16(entry) }
    }
  }

  private func sbgp(_ entries: (Int, Int)...) -> [UInt8] {
    fullAtom("sbgp") {
      code("roll") + u32(entries.count)
      for entry in entries { u32(entry.0, entry.1) }
    }
  }

  /// Returns the descriptions of the samples' groups.
  private func groups(_ movie: Flattened) throws -> [UInt16?] {
    let sgpd = try SampleGroupDescriptions(payload: Bytes(try #require(try movie.content(1, "sgpd"))))
    let sbgp = try SampleToGroupTable(payload: Bytes(try #require(try movie.content(1, "sbgp"))))
    return sbgp.flatMap { entry in
      let index = Int(entry.descriptionIndex)
      let description = index == 0 ? nil : sgpd.entries?[index - 1].load(at: 0, as: UInt16.self)
      return [UInt16?](repeating: description, count: Int(entry.sampleCount))
    }
  }

  @Test func mergesGroupsOfFragmentsIntoTheTrack() throws {
    let movie = try Flattened([
      part(sgpd([7]) + sbgp((3, 0x1_0001))), part([]), part(sgpd([8, 7]) + sbgp((1, 0x1_0001), (2, 0x1_0002))),
    ])
    #expect(try groups(movie) == [7, 7, 7, nil] + [nil, nil, nil, nil] + [8, 7, 7, nil])
    // Each description occurs once.
    #expect(try movie.content(1, "sgpd") == movieContent { u32(0x0100_0000) + code("roll") + u32(2, 2) + u16(7, 8) })
  }

  @Test func usesTheFirstOfSeveralDescriptionLists() throws {
    let movie = try Flattened([
      part(sgpd([7]) + sgpd([9]) + sgpd([5]) + sbgp((3, 0x1_0001))), part(sgpd([8]) + sgpd([6])),
    ])
    #expect(try groups(movie) == [7, 7, 7, nil])
  }

  @Test func keepsDescriptionsOfTheTrackFirst() throws {
    let movie = try Flattened(
      [part(sgpd([7, 5]) + sbgp((1, 1), (1, 0x1_0001), (1, 0x1_0002), (1, 9)))], of: header(sgpd([4, 5])))
    #expect(try groups(movie) == [4, 7, 5, nil])
    #expect(try movie.content(1, "sgpd").map { Array($0.suffix(6)) } == u16(4, 5, 7))
    #expect(movie.new.atoms.count { $0.path == "moov/trak#1/mdia/minf/stbl/sgpd" } == 1)
  }

  @Test func writesDefaultGroupsExplicitly() throws {
    // The default of the track, and for one fragment its own.
    let movie = try Flattened(
      [part(sbgp((1, 0))), part([]), part(sgpd([9], version: 2, standard: 0x1_0001))],
      of: header(sgpd([4, 5], version: 2, standard: 2)))
    #expect(try groups(movie) == [nil, 5, 5, 5] + [5, 5, 5, 5] + [9, 9, 9, 9])
    #expect(try SampleGroupDescriptions(payload: Bytes(try #require(try movie.content(1, "sgpd")))).defaultIndex == 2)
  }

  @Test func writesLengthsOfDifferentDescriptions() throws {
    let own = fullAtom("sgpd", version: 1) { code("roll") + u32(0, 1, 3) + u8(1, 2, 3) }
    let movie = try Flattened([part(own + sbgp((4, 0x1_0001)))], of: header(sgpd([4])))
    let sgpd = try SampleGroupDescriptions(payload: Bytes(try #require(try movie.content(1, "sgpd"))))
    #expect(sgpd.entries == [Bytes([0, 4]), Bytes([1, 2, 3])])
  }

  @Test func keepsGroupsOfSamplesInTheMovieAtom() throws {
    let whole = TestMovie.simple.with {
      $0.layout = .movieFirst
      $0.tracks[0].sampleTableAtoms = sgpd([4]) + sbgp((2, 1))
    }
    let count = whole.tracks[0].samples.count
    let movie = try Flattened([part(sgpd([7]) + sbgp((4, 0x1_0001)))], of: whole)
    #expect(try groups(movie) == [4, 4] + [UInt16?](repeating: nil, count: count - 2) + [7, 7, 7, 7])
  }

  // MARK: - Auxiliary information

  private func saiz(_ sizes: [Int]) -> [UInt8] {
    fullAtom("saiz") { u8(0) + u32(sizes.count) + sizes.flatMap { u8($0) } }
  }

  /// Returns a fragment with `saio`, and `senc` as the last atom of `moof`. Its position depends on the atoms before it.
  private func encrypted(_ sizes: [Int], from first: Int) -> TestFragment {
    let bytes = (0..<sizes.reduce(0, +)).map { UInt8(truncatingIfNeeded: first + $0) }
    func fragment(_ offset: Int) -> TestFragment {
      part(saiz(sizes) + fullAtom("saio") { u32(1, offset) } + fullAtom("senc") { u32(sizes.count) + bytes })
    }
    let moof = Int(u32Value(fragment(0).bytes(at: 0)))
    return fragment(moof - bytes.count)
  }

  private func u32Value(_ bytes: [UInt8]) -> UInt32 { bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) } }

  /// Returns the auxiliary information to which `stbl` refers.
  private func auxiliary(_ movie: Flattened) throws -> (sizes: [UInt8], bytes: [UInt8]) {
    let saiz = try AuxiliaryInformationSizes(payload: Bytes(try #require(try movie.content(1, "saiz"))))
    let saio = try AuxiliaryInformationOffsets(payload: Bytes(try #require(try movie.content(1, "saio"))))
    #expect(saio.count == 1)
    return (Array(saiz), try movie.new.store.read(saio[0], Int(saiz.byteCount(of: 0..<saiz.count))))
  }

  @Test func copiesAuxiliaryInformationIntoTheMedia() throws {
    let movie = try Flattened([encrypted([8, 8, 16, 8], from: 1), part([]), encrypted([8, 8, 8, 8], from: 101)]) {
      _ = try $0.addSubtitles("en")
    }
    let found = try auxiliary(movie)
    #expect(found.sizes == [8, 8, 16, 8, 0, 0, 0, 0, 8, 8, 8, 8])
    #expect(found.bytes == Array(1...40) + Array(101...132))
    #expect(try movie.content(1, "senc", in: "") == nil)
    #expect(movie.notices.isEmpty)
  }

  @Test func ignoresMissingInformationOfTrailingSamples() throws {
    let none = part(saiz([]) + fullAtom("saio") { u32(1, 0) })
    let movie = try Flattened([encrypted([8, 8, 16, 8], from: 1), part([]), none])
    #expect(try auxiliary(movie).bytes == Array(1...40))
  }

  @Test func removesAuxiliaryInformationOfARemovedTrack() throws {
    let movie = try Flattened([encrypted([8, 8, 16, 8], from: 1)]) { edit in try edit.remove(1) }
    #expect(movie.new.tracks.map(\.id) == [2])
    #expect(movie.types == ["ftyp", "moov", "mdat"] || movie.types == ["ftyp", "moov"])
  }

  @Test func keepsAuxiliaryInformationOfSamplesInTheMovieAtom() throws {
    let whole = TestMovie.simple.with {
      $0.layout = .movieFirst
      $0.tracks[0].auxiliaryByteCount = 3
    }
    let old = try SecondReader(whole.bytes())
    let saio = try old.content(of: try #require(old.atom("moov/trak#1/mdia/minf/stbl/saio")))
    let count = whole.tracks[0].samples.count
    let place = saio.suffix(4).reduce(0) { $0 << 8 | UInt64($1) }
    let kind = saio[3] == 1 ? Array(saio[4..<12]) : []
    let fragment = part(
      TestSupport.movie {
        fullAtom("saiz", flags: kind.isEmpty ? 0 : 1) { kind + u8(8) + u32(4) }
        fullAtom("saio", flags: kind.isEmpty ? 0 : 1) { kind + u32(1, 0) }
      })
    let movie = try Flattened([fragment], of: whole)
    let found = try auxiliary(movie)
    #expect(found.sizes == [UInt8](repeating: 3, count: count) + [8, 8, 8, 8])
    #expect(try Array(found.bytes.prefix(3 * count)) == old.store.read(place, 3 * count))
  }

  @Test func joinsUnreferencedEncryptionData() throws {
    func senc(_ first: Int) -> [UInt8] { fullAtom("senc", flags: 2) { u32(4) + zeros(3) + u8(first) } }
    let movie = try Flattened([part(senc(1)), part(senc(2))])
    #expect(try movie.content(1, "senc", in: "") == movieContent { u32(2, 8) + zeros(3) + u8(1) + zeros(3) + u8(2) })
    let user = SampleEncryption.userType.array
    let piff = atom("uuid") { user + u32(1) + zeros(20) + u32(4) + u8(9, 9) }
    let other = try Flattened([part(piff), part(piff)])
    #expect(try other.content(1, "uuid") == movieContent { user + u32(1) + zeros(20) + u32(8) + u8(9, 9, 9, 9) })
    // A single atom can neither skip samples nor contradict itself.
    for second in [part([]), part(fullAtom("senc") { u32(4) + zeros(4) }), part(fullAtom("senc", flags: 2) { u32(3) })]
    {
      #expect { try Flattened([part(senc(1)), second]) } throws: { isMovieError($0, .unsupported) }
    }
  }

  private static func subs(_ version: Int, _ entries: (Int, Int)...) -> [UInt8] {
    fullAtom("subs", version: version) {
      u32(entries.count)
      for entry in entries { u32(entry.0) + u16(1) + (version == 0 ? u16(entry.1) : u32(entry.1)) + zeros(6) }
    }
  }

  @Test func dropsSubsamplesOfSamplesMissingFromAFragment() throws {
    // Four samples each. The last entry refers to the sample after them, and the first entry of the other fragment
    // refers to the sample before it.
    let movie = try Flattened([part(Self.subs(0, (1, 5), (2, 6), (2, 7))), part(Self.subs(0, (0, 8), (3, 9)))])
    #expect(try movie.content(1, "subs") == Self.subs(0, (1, 5), (2, 6), (4, 9)).dropFirst(8).map { $0 })
    let empty = TestFragment([TestFragment.Track(id: 1, runs: []).with { $0.atoms = Self.subs(0, (1, 5)) }])
    #expect(try Flattened([part([]), empty]).content(1, "subs") == Self.subs(0).dropFirst(8).map { $0 })
    #expect {
      try Flattened([part(Self.subs(0, (2, 5)) + Self.subs(0, (1, 6)))])
    } throws: {
      isMovieError($0, .malformed)
    }
  }

  @Test(arguments: [subs(0, (1, 5)) + subs(0, (2, 6)), subs(0, (2, 6)) + subs(0, (1, 5))])
  func rejectsDuplicateSubsamplesOfTheMovieAtom(_ tables: [UInt8]) throws {
    let whole = TestMovie.simple.with {
      $0.layout = .movieFirst
      $0.tracks[0].sampleTableAtoms = tables
    }
    #expect {
      try Flattened([part([])], of: whole)
    } throws: {
      isMovieError($0, .malformed)
    }
  }

  /// Other contents of a movie are preserved, and unreadable ones cause no internal error.
  @Test func keepsOrRejectsOddTablesOfTheMovieAtom() throws {
    func whole(_ atoms: [UInt8]) -> TestMovie {
      TestMovie.simple.with {
        $0.layout = .movieFirst
        $0.tracks[0].sampleTableAtoms = atoms
      }
    }
    let flagged = fullAtom("saiz", flags: 2) { u8(0) + u32(0) }
    #expect(try Flattened([part([])], of: whole(flagged)).content(1, "saiz") == Array(flagged.dropFirst(8)))
    for odd in [fullAtom("saiz", version: 1) { u8(0) + u32(0) }, fullAtom("saiz") { u8(0) }, atom("senc") { u32(0) }] {
      #expect {
        try Flattened([part([])], of: whole(odd))
      } throws: { error in
        let code = (error as? MovieError)?.code
        return code != nil && code != .planCheckFailed
      }
    }
  }

  @Test func dropsSubsamplesOfSamplesMissingFromTheMovieAtom() throws {
    let whole = TestMovie.simple.with {
      $0.layout = .movieFirst
      $0.tracks[0].sampleTableAtoms = Self.subs(0, (1, 5), (99, 6))
    }
    #expect(try Flattened([part([])], of: whole).content(1, "subs") == Self.subs(0, (1, 5)).dropFirst(8).map { $0 })
  }

  @Test func rejectsAuxiliaryInformationOfExternalSamples() throws {
    let header = Flattened.header.with { $0.tracks[0].externalOffsets = [] }
    let information = TestSupport.movie {
      fullAtom("saiz") { u8(4) + u32(3) }
      fullAtom("saio") { u32(1, 8) }
    }
    #expect {
      try Flattened([part(information)], of: header)
    } throws: { error in
      isMovieError(error, .unsupported) && (error as? MovieError)?.path == "moof/traf/saiz"
    }
  }

  @Test func numbersSubsamplesAcrossFragments() throws {
    let narrow = try Flattened([part(Self.subs(0, (1, 5), (2, 6))), part([]), part(Self.subs(0, (1, 7)))])
    #expect(
      try narrow.content(1, "subs") == Self.subs(0, (1, 5), (2, 6), (6, 7)).dropFirst(8).map { $0 })
    let wide = try Flattened([part(Self.subs(0, (1, 5))), part(Self.subs(1, (2, 70_000)))])
    #expect(try wide.content(1, "subs") == Self.subs(1, (1, 5), (5, 70_000)).dropFirst(8).map { $0 })
  }
}

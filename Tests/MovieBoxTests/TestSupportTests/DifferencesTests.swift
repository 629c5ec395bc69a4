import TestSupport
import Testing

struct DifferencesTests {
  private let torture = TestMovie.torture

  @Test func findsNoDifferenceInOneMovie() throws {
    let bytes = torture.bytes()
    #expect(try differences(old: bytes, new: bytes) == [])
  }

  @Test(arguments: ["movieFirst", "movieBetween", "free space", "64-bit media"])
  func ignoresTheLayout(name: String) throws {
    let moved = torture.with { movie in
      let rest = Array(movie.layout.suffix(2))
      switch name {
      case "movieFirst": movie.layout = .movieFirst + rest
      case "movieBetween": movie.layout = .movieBetween + rest
      case "free space": movie.layout = [.fileType, .free(4000), .media(.ordinary), .movie(.extended)] + rest
      default: movie.layout = [.fileType, .media(.extended), .movie(.ordinary), .free(8)] + rest
      }
    }
    let allowed = AllowedChanges().with { $0.movieMoved = true }
    #expect(try differences(old: torture.bytes(), new: moved.bytes(), allowing: allowed) == [])
  }

  @Test func findsAMovedMovieAtomUnlessAllowed() throws {
    let moved = TestMovie.simple.with { $0.layout = .movieFirst }
    let found = try differences(old: TestMovie.simple.bytes(), new: moved.bytes())
    #expect(found.contains { $0.hasPrefix("mdat") && $0.contains("order") } || found.contains { $0.hasPrefix("moov") })
  }

  @Test func findsAnAddedTrackUnlessAllowed() throws {
    let edited = torture.with { $0.tracks.append(TestTrack(.subtitle, id: 5)) }
    #expect(try differences(old: torture.bytes(), new: edited.bytes(), allowing: .adding(5)) == [])
    let refused = try differences(old: torture.bytes(), new: edited.bytes())
    #expect(refused.contains { $0.hasPrefix("moov/trak#5") && $0.contains("was not there before") })
    #expect(refused.contains { $0.hasPrefix("moov/mvhd") })
    #expect(refused.contains { $0.hasPrefix("the media data") })
    let absent = try differences(old: torture.bytes(), new: torture.bytes(), allowing: .adding(5))
    #expect(absent == ["track 5 should have been added and is not there"])
  }

  @Test func findsChangesOfGroupAndEnabledFlagUnlessAllowed() throws {
    let edited = torture.with {
      $0.tracks[2].group = 9
      $0.tracks[2].isEnabled = true
    }
    let allowed = AllowedChanges().with { $0.regroupedTracks = [3] }
    #expect(try differences(old: torture.bytes(), new: edited.bytes(), allowing: allowed) == [])
    #expect(try !differences(old: torture.bytes(), new: edited.bytes()).isEmpty)
    let other = edited.with { $0.tracks[2].layer = 0 }
    #expect(try !differences(old: torture.bytes(), new: other.bytes(), allowing: allowed).isEmpty)
  }

  @Test func findsAReferenceUnlessAllowed() throws {
    let old = TestMovie.talk
    let edited = old.with { $0.tracks[1].references = [TestReference("folw", 4)] }
    let allowed = AllowedChanges().with { $0.references = [2: ["folw"]] }
    #expect(try differences(old: old.bytes(), new: edited.bytes(), allowing: allowed) == [])
    let elsewhere = AllowedChanges().with { $0.references = [3: ["folw"]] }
    #expect(try !differences(old: old.bytes(), new: edited.bytes(), allowing: elsewhere).isEmpty)
    let second = edited.with { $0.tracks[1].references.insert(TestReference("fall", 3), at: 0) }
    let changed = try differences(old: edited.bytes(), new: second.bytes(), allowing: allowed)
    #expect(changed.count == 1 && changed.allSatisfy { $0.contains("fall") })
  }

  @Test func acceptsWiderOffsetsOnly() throws {
    let wide = TestMovie.simple.with { $0.tracks[0].usesLongOffsets = true }
    #expect(try differences(old: TestMovie.simple.bytes(), new: wide.bytes()) == [])
    #expect(
      try differences(old: wide.bytes(), new: TestMovie.simple.bytes()).contains { $0.contains("narrowed to stco") })
  }

  @Test func findsEveryCorruptedByteOfASmallMovie() throws {
    let small = TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        $0.samples = .pictures(4, around: 9, duration: 50)
        $0.edits = [TestEdit(duration: 200, mediaTime: 50)]
        $0.references = [TestReference("cdsc", 1)]
        $0.userData = atom("tagc") { text("public.easy-to-read") }
        $0.trackAtoms = atom("XTRK") { text("unknown") }
      }
    ])
    let bytes = small.bytes()
    let reader = try SecondReader(bytes)
    let ignored = try #require(reader.topLevel.first { $0.type == "wide" })
    for index in bytes.indices where !(ignored.offset..<ignored.end).contains(UInt64(index)) {
      var spoiled = bytes
      spoiled[index] ^= 0x40
      do {
        let found = try differences(old: reader, new: SecondReader(spoiled))
        #expect(!found.isEmpty, "byte \(index)")
      } catch is TestSupportError {
        // The second reader cannot read it: the damage is found as well.
      }
    }
  }

  @Test func findsDroppedReorderedAndChangedAtoms() throws {
    let atoms = ["aaaa", "bbbb", "cccc"].map { name in atom(name) { text("content of \(name)") } }
    let old = TestMovie.simple.with { $0.movieAtoms = Array(atoms.joined()) }
    func found(_ atoms: [[UInt8]]) throws -> [String] {
      try differences(old: old.bytes(), new: old.with { $0.movieAtoms = Array(atoms.joined()) }.bytes())
    }
    #expect(try found(atoms) == [])
    #expect(try found([atoms[0], atoms[2]]).contains { $0.hasPrefix("moov/bbbb") && $0.contains("missing") })
    #expect(try found([atoms[1], atoms[0], atoms[2]]).contains { $0.contains("order") })
    #expect(try found([atoms[0], atom("bbbb"), atoms[2]]).contains { $0.hasPrefix("moov/bbbb") })
    #expect(try found([atoms[0], atoms[0], atoms[1], atoms[2]]).contains { $0.contains("was not there before") })
    #expect(try found(atoms + [zeros(4)]).contains { $0.hasPrefix("moov: the 0 bytes at its end") })
  }

  @Test func findsChangesOfStrayBytesUnlessAllowed() throws {
    let old = TestMovie.simple.with { $0.layout.append(.bytes([0, 0, 1])) }
    let allowed = AllowedChanges().with { $0.strayBytes = true }
    #expect(try differences(old: old.bytes(), new: TestMovie.simple.bytes()).count == 1)
    #expect(try differences(old: old.bytes(), new: TestMovie.simple.bytes(), allowing: allowed) == [])
  }

  @Test func comparesTargetsOfPositions() throws {
    let old = TestMovie.simple.with {
      $0.tracks[0].auxiliaryByteCount = 5
      $0.tracks[1].item = text("item of track 2")
      $0.movieItem = text("item of the movie")
      $0.fileItem = text("item of the file")
      $0.layout = [.fileType, .itemTable, .media(.ordinary), .movie(.ordinary)]
    }
    let moved = old.with { $0.layout.insert(.free(100), at: 1) }
    #expect(try differences(old: old.bytes(), new: moved.bytes()) == [])
    let reader = try SecondReader(old.bytes())
    let places = ["moov/trak#1/mdia/minf/stbl/saio", "moov/trak#2/meta/iloc", "moov/meta/iloc", "meta/iloc"]
    for path in places {
      let place = try #require(reader.atom(path))
      // The last four bytes of `saio`, the last byte of the position in `iloc`.
      var bytes = old.bytes()
      let index = Int(place.end) - (path.hasSuffix("saio") ? 1 : path == "moov/meta/iloc" ? 11 : 5)
      bytes[index] &+= 1
      let found = try differences(old: reader, new: SecondReader(bytes))
      #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix(path) }, "\(path): \(found)")
    }
  }

  @Test func findsMovedExternalChunks() throws {
    let old = TestMovie.simple.with { $0.tracks[0].externalOffsets = [10, 20, 30, 40, 50, 60] }
    let moved = old.with { $0.layout.insert(.free(64), at: 1) }
    #expect(try differences(old: old.bytes(), new: moved.bytes()) == [])
    let changed = old.with { $0.tracks[0].externalOffsets = [10, 20, 30, 40, 50, 61] }
    #expect(
      try differences(old: old.bytes(), new: changed.bytes()) == [
        "track 1, sample 21: its place in another file changed"
      ])
  }

  @Test func comparesUnreferencedMediaData() throws {
    let hidden = TestMovie.simple.with { $0.movieItem = text("hidden") }
    let removed = AllowedChanges().with { $0.removedAtoms = ["moov/meta"] }
    let found = try differences(old: hidden.bytes(), new: TestMovie.simple.bytes(), allowing: removed)
    #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("the media data") })
    let rearranged = removed.with { $0.mediaDataRearranged = true }
    #expect(try differences(old: hidden.bytes(), new: TestMovie.simple.bytes(), allowing: rearranged) == [])
  }

  /// The old movie atom becomes free space and an equal one is appended; then one byte of a sample is corrupted.
  @Test func ignoresAMovedMovieAtomInRealMovies() throws {
    let corpus = try Corpus.require()
    let allowed = AllowedChanges().with { $0.movieMoved = true }
    var compared = 0
    for movie in corpus.movies where !movie.features.contains("moof") {
      var bytes = try readFile(movie.path)
      let old = try SecondReader(bytes)
      guard let moov = old.root.child("moov"), try old.trailingBytes.isEmpty, old.topLevel.last?.headerByteCount == 8,
        bytes[Int(old.topLevel.last?.offset ?? 0)...].prefix(4) != [0, 0, 0, 0]
      else { continue }
      bytes.replaceSubrange(Int(moov.offset) + 4..<Int(moov.offset) + 8, with: code("free"))
      bytes += try old.bytes(of: moov)
      let found = try differences(old: old, new: SecondReader(bytes), allowing: allowed)
      #expect(found.allSatisfy { $0.contains("past the end") }, "\(movie.name): \(found)")
      compared += 1

      let samples = old.tracks.flatMap(\.samples).filter { !$0.isExternal && $0.byteCount > 0 }
      guard found.isEmpty, !samples.isEmpty else { continue }
      let sample = samples[samples.count / 2]
      bytes[Int(sample.offset) + sample.byteCount / 2] ^= 1
      #expect(try !differences(old: old, new: SecondReader(bytes), allowing: allowed).isEmpty, "\(movie.name)")
    }
    print("compared \(compared) movies of the corpus")
    #expect(compared > 50)
  }

  // MARK: - Movies without their fragments

  /// Returns the same pictures in fragments, and in tables after a change.
  private func lostFragments(
    _ atoms: [UInt8] = [], times: [UInt64?] = [nil, nil], _ change: (inout TestMovie) -> Void = { _ in }
  ) throws -> [String] {
    let pictures: [TestSample] = .pictures(12, around: 20, duration: 50)
    var plain = TestMovie(tracks: [TestTrack(.video, id: 1).with { $0.samples = pictures }]).with {
      $0.layout = .movieFirst
    }
    let fragments = zip(times, [pictures[..<6], pictures[6...]]).enumerated().map { index, part in
      TestFragment([
        .init(id: 1, decodeTime: part.0, runs: [.init(Array(part.1))]).with {
          $0.firstNumber = 6 * index + 1
          $0.atoms = index == 0 ? atoms : []
        }
      ])
    }
    let old = plain.initial.bytes(fragments: fragments)
    // `sdtp` replaces the flags of fragments.
    plain.tracks[0].sampleTableAtoms = fullAtom("sdtp") { pictures.flatMap { u8($0.isSync ? 0x20 : 0x10) } }
    change(&plain)
    return try differences(
      old: old, new: plain.bytes(),
      allowing: AllowedChanges().with { ($0.flattened, $0.mediaDataRearranged) = (true, true) })
  }

  @Test func matchesSamplesOfFragmentsAndTables() throws {
    let found = try lostFragments()
    #expect(found == [])
    #expect(try lostFragments { $0.tracks[0].samples[7].duration += 1 } != [])
    #expect(try lostFragments { $0.tracks[0].samples[7].compositionOffset += 1 } != [])
    #expect(try lostFragments { $0.tracks[0].samples[7].isSync.toggle() } != [])
    #expect(try lostFragments { $0.tracks[0].samples[7].content = zeros(20 + 7 % 5) } != [])
    #expect(try lostFragments { $0.tracks[0].samples.removeLast() } != [])
    #expect(try lostFragments { $0.tracks[0].sampleTableAtoms = [] } != [])
    #expect(try lostFragments { $0.tracks[0].trackAtoms = atom("what") } != [])
    #expect(try lostFragments { $0.tracks[0].width = 12 } != [])
    #expect(try lostFragments { $0.usesLongTimes = true } == [])
  }

  @Test func matchesGapsOfFragmentsWithLongerSamples() throws {
    #expect(try lostFragments(times: [nil, 333]) { $0.tracks[0].samples[5].duration = 83 } == [])
    #expect(try lostFragments(times: [nil, 333]) != [])
    let late = [TestEdit(duration: 90, mediaTime: -1), TestEdit(duration: 1000, mediaTime: 0)]
    #expect(try lostFragments(times: [90, nil]) { $0.tracks[0].edits = late } == [])
    #expect(try lostFragments(times: [90, nil]) != [])
  }

  @Test func comparesPropertiesOfFragmentSamples() throws {
    let groups = movie {
      fullAtom("sgpd", version: 1) { code("roll") + u32(2, 1) + u16(7) }
      fullAtom("sbgp") { code("roll") + u32(1, 2, 0x1_0001) }
    }
    let subs = fullAtom("subs") { u32(1, 2) + u16(1, 9) + zeros(6) }
    func tables(_ number: Int, _ size: Int) -> [UInt8] {
      movie {
        fullAtom("sgpd", version: 1) { code("roll") + u32(2, 2) + u16(8, 7) }
        fullAtom("sbgp") { code("roll") + u32(2, 2, number, 10, 0) }
        fullAtom("subs", version: 1) { u32(1, 2) + u16(1) + u32(size) + zeros(6) }
      }
    }
    #expect(try lostFragments(groups + subs) { $0.tracks[0].sampleTableAtoms += tables(2, 9) } == [])
    #expect(try lostFragments(groups + subs) { $0.tracks[0].sampleTableAtoms += tables(1, 9) } != [])
    #expect(try lostFragments(groups + subs) { $0.tracks[0].sampleTableAtoms += tables(2, 8) } != [])
    let senc = fullAtom("senc") { u32(6) + zeros(48) }
    #expect(try lostFragments(senc) != [])
    #expect(try lostFragments(senc) { $0.tracks[0].trackAtoms = senc } == [])
  }
}

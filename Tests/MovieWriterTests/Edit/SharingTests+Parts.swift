import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

// Private parts of kept items: metadata in covers, bytes after lists, free space in sample descriptions.
extension SharingTests {
  // MARK: - Covers

  private func movie(covers: [[UInt8]]) -> TestMovie {
    TestMovie.simple.with {
      $0.userData = fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(12) + [0] }
        atom("ilst") {
          atom("covr") {
            for cover in covers { atom("data") { u32(13, 0) + cover } }
          }
        }
      }
    }
  }

  private var photo: [UInt8] { jpegPhoto(saying: text(Self.secret)) }

  /// A photo as a cover contains its location, which is removed even if the cover is kept by name.
  @Test func removesMetadataFromCovers() throws {
    let movie = movie(covers: [photo, photo])
    // A date in a picture looks like its end.
    let (new, bytes, decisions) = try shared(movie.bytes(), keepsDates: true)
    var edit = try MovieEdit(of: movie.source)
    try edit.prepareForSharing()
    #expect(!edit.changes.metadata.edits.replaced.isEmpty && edit.callerItems.isEmpty)
    #expect(Data(bytes).range(of: Data(Self.secret.utf8)) == nil)
    #expect(new.metadata.map(\.bytes.array) == [jpegPhoto(), jpegPhoto()])
    #expect(decisions.count { $0.subject == "embedded metadata of the picture, such as EXIF" && !$0.isKept } == 2)
    let (kept, _, _) = try shared(movie.bytes(), keeping: ["common/artwork"], keepsDates: true)
    #expect(kept.metadata.map(\.bytes.array) == [photo, photo])
    let plain = try shared(self.movie(covers: [jpegPhoto()]).bytes(), keepsDates: true)
    #expect(!plain.decisions.contains { $0.subject == "embedded metadata of the picture, such as EXIF" })
  }

  @Test func removesUnreadableCovers() throws {
    let stump = jpegPhoto(saying: text(Self.secret)).prefix(50)
    for wrong in [Array(stump), text(Self.secret), []] {
      let movie = movie(covers: [wrong, photo])
      let (new, bytes, decisions) = try shared(movie.bytes(), keepsDates: true)
      #expect(Data(bytes).range(of: Data(Self.secret.utf8)) == nil)
      #expect(new.metadata.map(\.bytes.array) == [jpegPhoto()])
      let covers = decisions.filter { $0.subject == "itsk/covr" }
      #expect(covers.map(\.isKept) == [false, true] && covers[0].reason == "cannot be read")
      let (kept, _, _) = try shared(movie.bytes(), keeping: ["common/artwork"], keepsDates: true)
      #expect(kept.metadata.map(\.bytes.array) == [wrong, photo])
    }
  }

  /// Whatever sets a cover, and at any time.
  @Test func removesMetadataFromNewCovers() throws {
    let artwork = MetadataInput(try #require(MetadataIdentifier("common/artwork")), .data(Bytes(photo)))
    let others = try Movie(of: movie(covers: [photo]).source).metadata
    let changes: [(inout MovieEdit) throws -> Void] = [
      { try $0.setMetadata(artwork) }, { try $0.addMetadata(artwork) }, { $0.copyMetadata(others) },
    ]
    for old in [TestMovie.simple, movie(covers: [jpegPhoto(saying: text("old"))])] {
      for (number, change) in changes.enumerated() {
        for isBefore in [true, false] {
          for kept in [[], ["common/artwork"]] {
            var edit = try MovieEdit(of: old.source)
            if isBefore { try change(&edit) }
            var decisions = try edit.prepareForSharing(keeping: kept)
            if !isBefore {
              try change(&edit)
              let plan = try edit.outputPlan(of: old.source)  // Without a previous query of the decisions.
              let shared = try plan.rendered(from: old.source)
              #expect((shared.firstRange(of: text(Self.secret)) == nil) == kept.isEmpty)
              decisions += edit.removeEmbeddedNotes()
              // The check of the new movie trusts only items of the caller.
              #expect(edit.callerItems.isEmpty == (number == 2))
            }
            let bytes = try edit.outputPlan(of: old.source).rendered(from: old.source)
            #expect((bytes.firstRange(of: text(Self.secret)) == nil) == kept.isEmpty, "\(number) \(isBefore)")
            let covers = try Movie(of: MemorySource(Bytes(bytes))).metadata.map(\.bytes.array)
            #expect(covers.contains(kept.isEmpty ? jpegPhoto() : photo), "\(number) \(isBefore)")
            #expect(
              decisions.contains { $0.subject == "embedded metadata of the picture, such as EXIF" } == kept.isEmpty)
            #expect(edit.removeEmbeddedNotes().isEmpty)
          }
        }
      }
    }
  }

  // MARK: - Chapters

  @Test func removesBytesAfterTheChapterList() throws {
    let list = u32(0x0100_0000, 0) + u8(2) + u64(0) + pascalString("One") + u64(5_000_000) + pascalString("Two")
    func movie(_ tail: [UInt8]) -> TestMovie {
      TestMovie.simple.with {
        $0.dialect = .iso
        $0.userData = atom("chpl") { list + tail }
      }
    }
    let (new, bytes, decisions) = try shared(movie(text(Self.secret)).bytes())
    #expect(Data(bytes).range(of: Data(Self.secret.utf8)) == nil)
    #expect(new.metadata.map(\.bytes.array) == [list])
    #expect(decisions.contains { $0.subject == "bytes after the list of chapters" && !$0.isKept })
    let plain = try shared(movie([]).bytes())
    #expect(
      plain.movie.metadata.map(\.bytes.array) == [list] && !plain.decisions.contains { $0.subject.hasPrefix("bytes") })
  }

  @Test func keepsChapterPicturesWithAWarning() throws {
    let source = TestMovie.podcast().source
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    let reasons = try edit.prepareForSharing().filter(\.isKept).map { "\($0.subject): \($0.reason)" }
    #expect(reasons.contains { $0.hasPrefix("track 4: ") && $0.hasSuffix("that may reveal a place") })
    #expect(!reasons.contains { $0.hasPrefix("track 1: ") && $0.contains("taken") })
  }

  @Test func removesAnUnreadableChapterList() throws {
    let movie = TestMovie.simple.with { $0.userData = atom("chpl") { text("Ann!") } }
    let (new, bytes, decisions) = try shared(movie.bytes())
    #expect(new.metadata.isEmpty && bytes.firstRange(of: text("Ann!")) == nil)
    #expect(decisions.contains { $0.subject == "udta/chpl" && !$0.isKept && $0.reason == "cannot be read" })
  }

  // MARK: - Descriptions of samples

  @Test func clearsFreeSpaceInSampleDescriptions() throws {
    let hidden = atom("free") { text(Self.secret) } + atom("uuid") { zeros(16) + text(Self.secret) }
    let movie = TestMovie.simple.with {
      $0.tracks[0].sampleEntries = [
        SampleEntry.video("avc1", width: 64, height: 36, extensions: hidden + atom("pasp") { u32(1, 1) })
      ]
    }
    let (new, bytes, _) = try shared(movie.bytes())
    #expect(Data(bytes).range(of: Data(Self.secret.utf8)) == nil)
    let entry = try #require(new.tracks[0].sampleDescriptions.entries.first)
    #expect(
      try SampleEntryAtoms(VideoDescription(body: entry.body).tail).atoms.map(\.type) == ["free", "uuid", "pasp"])
  }

  /// The last atom may extend to the end, and any atom may have a 64-bit size.
  @Test func clearsFreeSpaceOfAnySize() throws {
    let secret = text(Self.secret)
    for last in ["free", "skip", "uuid"] {
      let large: [UInt8] = u32(1) + code("free") + u64(UInt64(16 + secret.count)) + secret
      let open: [UInt8] = u32(0) + code(last) + zeros(16) + secret
      let pasp: [UInt8] = atom("pasp") { u32(1, 1) }
      let timecode = SampleEntry.timecode(timeScale: 12288, frameDuration: 512, framesPerSecond: 24)
      let movie = TestMovie.torture.with {
        $0.tracks[0].sampleEntries = [
          SampleEntry.video("avc1", width: 64, height: 36, extensions: large + pasp + open)
        ]
        var names: [UInt8] = u32(1) + code("name") + u64(UInt64(16 + secret.count)) + secret
        names += u32(0) + code("name") + secret
        $0.tracks[3].sampleEntries = [u32(timecode.count + names.count) + Array(timecode.dropFirst(4)) + names]
      }
      let (new, bytes, _) = try shared(movie.bytes())
      #expect(bytes.firstRange(of: secret) == nil)
      let entry = try #require(new.tracks[0].sampleDescriptions.entries.first)
      var cleared: [UInt8] = Array(large.prefix(16)) + zeros(secret.count) + pasp
      cleared += Array(open.prefix(8)) + zeros(16 + secret.count)
      let tail = try VideoDescription(body: entry.body).tail.array
      #expect(tail == cleared)
    }
  }

  /// The position of atoms is unknown in a truncated description, or one of another version.
  @Test func rejectsUnreadableSampleDescriptions() throws {
    let hidden = atom("free") { text(Self.secret) }
    let short: [UInt8] = atom("avc1") { zeros(6) + u16(1) + zeros(20) + hidden }
    let unknown: [UInt8] = atom("sowt") { zeros(6) + u16(1, 3) + zeros(18) + hidden }
    for (place, entry) in [short, unknown].enumerated() {
      let movie = TestMovie.talk.with { $0.tracks[place].sampleEntries = [entry] }
      #expect {
        try shared(movie.bytes())
      } throws: { error in
        let error = error as? MovieError
        return error?.code == .unsupported && error?.reason.hasPrefix("cannot be read (") == true
          && error?.reason.contains("remove track \(movie.tracks[place].id)") == true
      }
      var edit = try MovieEdit(of: movie.source)
      try edit.remove(UInt32(movie.tracks[place].id))
      try edit.prepareForSharing()
      let bytes = try edit.outputPlan(of: movie.source).rendered(from: movie.source)
      #expect(bytes.firstRange(of: text(Self.secret)) == nil)
    }
  }

  // MARK: - Atoms that may stay

  private func decision(_ subject: String, in decisions: [MovieEdit.SharingDecision]) -> MovieEdit.SharingDecision? {
    decisions.first { $0.subject.hasPrefix(subject) }
  }

  /// Atoms that are not needed for playback may contain anything: addresses, keys, and values in the form of a color.
  @Test func removesUnneededPlaybackAtoms() throws {
    let secret = text(Self.secret)
    let movie = TestMovie.simple.with {
      $0.movieAtoms = atom("ctab") { secret } + fullAtom("iods") { secret }
      $0.layout =
        [.fileType, .bytes(fullAtom("pdin") { secret })]
        + $0.layout.filter { if case .fileType = $0 { false } else { true } }
    }
    let (_, bytes, decisions) = try shared(movie.bytes())
    #expect(bytes.firstRange(of: secret) == nil)
    for subject in ["moov/ctab", "moov/iods", "pdin at byte"] {
      #expect(decision(subject, in: decisions)?.reason == "not needed for playback", "\(subject)")
    }
  }

  @Test func keepsEncryptionKeyInformation() throws {
    let pssh = fullAtom("pssh") { zeros(16) + u32(4) + text("blob") }
    let plain = TestMovie.simple.with { $0.movieAtoms = pssh }
    let gone = try shared(plain.bytes())
    #expect(decision("moov/pssh", in: gone.decisions)?.reason == "no track is encrypted")
    #expect(gone.movie.tree.index(at: "moov/pssh") == nil)
    let encrypted = plain.with {
      $0.tracks[0].sampleEntries = [
        SampleEntry.video("encv", width: 64, height: 36, extensions: atom("sinf") { atom("frma") { text("avc1") } })
      ]
    }
    let kept = try shared(encrypted.bytes())
    #expect(kept.movie.tree.index(at: "moov/pssh").map { kept.movie.tree.bytes(of: $0).array } == pssh)
    #expect(decision("moov/pssh", in: kept.decisions)?.isKept == true)
  }

  @Test func keepsNumericTrackGroups() throws {
    func groups(_ atoms: [UInt8]) throws -> Bool {
      let movie = TestMovie.simple.with { $0.tracks[0].trackAtoms = atom("trgr") { atoms } }
      return try shared(movie.bytes()).movie.tree.index(at: "moov/trak[1]/trgr") != nil
    }
    #expect(try groups(fullAtom("msrc") { u32(7) } + fullAtom("ster") { u32(8, 1) }))
    #expect(try !groups(fullAtom("msrc") { text(Self.secret) }))
    #expect(try !groups(atom("ACME") { u32(1) }) && !groups(text("Ann!")))
    let secret = text(Self.secret)
    #expect(try !groups(u32(8 + secret.count) + u32(0) + secret))  // Without a type.
  }

  /// Tracks dropped by a conversion are reported by the conversion, once.
  @Test func listsTracksDroppedByAConversionOnce() throws {
    let movie = TestMovie.simple.with {
      $0.dialect = .iso
      $0.tracks.append(
        TestTrack(.other(handler: "hint"), id: 9).with {
          $0.userData = atom("name") { text("Hinted") } + atom("hnti") { text(Self.secret) }
          $0.samples = [TestSample(20, duration: 10)]
        })
    }
    var edit = try MovieEdit(of: movie.source)
    try edit.convert(to: .quickTime)
    let decisions = try edit.prepareForSharing()
    #expect(!decisions.contains { $0.trackID == 9 || $0.subject.contains("trak[3]") }, "\(decisions)")
  }

  // MARK: - Verification

  /// The check of the new movie is independent of the list of kept items.
  @Test func detectsErrorsInTheListOfKeptItems() throws {
    func expectRefusal(of movie: TestMovie, _ what: String, _ spoil: (inout MovieEdit) -> Void) throws {
      var edit = try MovieEdit(of: movie.source)
      try edit.prepareForSharing()
      _ = try edit.outputPlan(of: movie.source)
      spoil(&edit)
      #expect {
        _ = try edit.outputPlan(of: movie.source)
      } throws: { error in
        let error = error as? MovieError
        return error?.code == .planCheckFailed && error?.reason.contains(what + " must not be in") == true
      }
    }
    let phone = TestMovie.simple.with {
      $0.movieAtoms =
        mdtaMetadata([
          ("com.apple.quicktime.make", "ACME Phones"), ("com.apple.quicktime.title", "Home"),
          ("com.apple.quicktime.description", "at Ann's house"),
        ]) + atom("XMOV") { text(Self.secret) }
      $0.tracks[0].trackAtoms = atom("XTRK") { text("ACME Phones") }
      $0.tracks[0].userData = atom("FIRM") { text(Self.secret) }
    }
    for (number, identifier) in try Movie(of: phone.source).metadata.map(\.identifier.description).enumerated()
    where !identifier.hasSuffix(".title") {
      try expectRefusal(of: phone, identifier) { $0.changes.metadata.edits.removed.remove(number) }
    }
    try expectRefusal(of: phone, "this atom") { $0.changes.sharing?.allowedAtoms["moov"]?.insert("XMOV") }
    try expectRefusal(of: phone, "this atom") { $0.changes.sharing?.allowedAtoms["trak"]?.insert("XTRK") }
  }

  // MARK: - Facts of other movies

  /// Metadata copied from another movie lacks the items that sharing would remove from that movie.
  @Test func appliesTheSharingPolicyToImportedFacts() throws {
    let items = try Movie(
      of: TestMovie.simple.with {
        $0.movieAtoms = mdtaMetadata([
          ("com.apple.quicktime.location.ISO6709", "+48.1370+011.5750/"), ("com.apple.quicktime.title", "Home"),
          ("com.apple.quicktime.comment", Self.secret), ("com.apple.quicktime.description", "at Ann's house"),
        ])
      }.source
    ).metadata
    let film = TestMovie.simple
    for kept in [[], ["common/location"]] {
      var edit = try MovieEdit(of: film.source)
      try edit.prepareForSharing(keeping: kept)
      let left = edit.copyMetadata(items).map(\.identifier.key)
      #expect(left.contains("com.apple.quicktime.comment") && left.contains("com.apple.quicktime.description"))
      let bytes = try edit.outputPlan(of: film.source).rendered(from: film.source)
      let new = try Movie(of: MemorySource(Bytes(bytes))).metadata.map { $0.identifier.common?.key }
      #expect(new == (kept.isEmpty ? ["title"] : ["location", "title"]))
      #expect(bytes.firstRange(of: text(Self.secret)) == nil)
    }
    // The decision depends on the imported items: without the other items, the description could belong to a film.
    var edit = try MovieEdit(of: film.source)
    try edit.prepareForSharing()
    #expect(edit.copyMetadata(items.matching("common/description")).isEmpty)
  }

  @Test func keepsImportedCreditsInACameraMovie() throws {
    func stating(_ items: [(String, String)]) -> TestMovie {
      TestMovie.simple.with {
        $0.movieAtoms = mdtaMetadata(items.map { ("com.apple.quicktime." + $0.0, $0.1) })
      }
    }
    let film = try Movie(of: stating([("artist", "A Band of Four"), ("title", "Home")]).source).metadata
    let phone = stating([("make", "Maker"), ("description", Self.secret), ("artist", Self.secret)])
    var edit = try MovieEdit(of: phone.source)
    try edit.prepareForSharing()
    #expect(edit.copyMetadata(film).isEmpty)
    let bytes = try edit.outputPlan(of: phone.source).rendered(from: phone.source)
    let new = try Movie(of: MemorySource(Bytes(bytes))).metadata
    #expect(new.map(\.stringValue) == ["A Band of Four", "Home"])
    #expect(bytes.firstRange(of: text(Self.secret)) == nil)
  }
}

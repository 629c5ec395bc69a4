import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Preparing movies for sharing: removed items appear nowhere in the new file, in any form.
struct SharingTests {
  // MARK: - Searching

  /// Returns the possible byte representations of a removed value.
  private func forms(of item: MetadataItem) -> [[UInt8]] {
    var forms = [item.bytes.array]
    if let text = item.stringValue {
      forms.append(Array(text.utf8))
      forms.append(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
      forms.append(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
      if let roman = text.data(using: .macOSRoman) { forms.append([UInt8](roman)) }
    }
    if let place = item.locationValue {
      for number in [place.latitude, place.longitude] where number != 0 {
        forms += coordinates(number)
      }
    }
    // Shorter ones occur by chance.
    return forms.filter { $0.count >= 4 && Set($0).count > 1 }
  }

  /// Returns a number as stored in a file.
  private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  /// Returns a coordinate as 16.16 and as floating point, in both byte orders.
  private func coordinates(_ number: Double) -> [[UInt8]] {
    let fixed = bytes(Int32(clamping: Int64((number * 65_536).rounded())))
    let single = bytes(Float(number).bitPattern)
    let double = bytes(number.bitPattern)
    return [fixed, single, double].flatMap { [$0, $0.reversed()] }
  }

  /// Returns the dates of a movie's headers, as seconds since 1904 in 32 and 64 bits.
  private func dates(of movie: Movie) -> [[UInt8]] {
    var seconds = Set([movie.header.creationTime, movie.header.modificationTime])
    for track in movie.tracks {
      seconds.formUnion([track.header.creationTime, track.header.modificationTime])
      seconds.formUnion([track.mediaHeader.creationTime, track.mediaHeader.modificationTime])
    }
    return seconds.filter { $0 > 0xFFFF }.flatMap { seconds in
      [
        bytes(UInt32(truncatingIfNeeded: seconds)),
        bytes(seconds),
      ]
    }
  }

  /// Shares a movie. The second reader must find all kept samples, and no removed value.
  @discardableResult
  func shared(
    _ bytes: [UInt8], keeping kept: [String] = [], dropping dropped: [String] = [], keepsDates: Bool = false,
    _ name: String = "", at location: SourceLocation = #_sourceLocation
  ) throws -> (movie: Movie, bytes: [UInt8], decisions: [MovieEdit.SharingDecision]) {
    let source = MemorySource(Bytes(bytes))
    let old = try Movie(of: source)
    var edit = try MovieEdit(of: old, from: source)
    let decisions = try edit.prepareForSharing(keeping: kept, dropping: dropped, keepsDates: keepsDates)
    #expect(!edit.isEmpty, sourceLocation: location)
    guard case .blocked = try EditPlanner(edit).inPlaceDecision(of: source, .keepingFastStart) else {
      Issue.record("\(name): removed data would remain in the file", sourceLocation: location)
      throw TestSupportError("in place")
    }
    let new = try edit.outputPlan(of: source).rendered(from: source)
    let movie = try Movie(of: MemorySource(Bytes(new)))
    let gone = Set(
      decisions.filter { !$0.isKept }.compactMap { $0.subject == "track \($0.trackID ?? 0)" ? $0.trackID : nil })
    let (before, after) = (try SecondReader(bytes), try SecondReader(new))
    for track in before.tracks {
      guard !gone.contains(track.id) else {
        #expect(after.track(track.id) == nil, "\(name)", sourceLocation: location)
        continue
      }
      let copy = try #require(after.track(track.id), sourceLocation: location)
      #expect(track.samples.count == copy.samples.count, "\(name)", sourceLocation: location)
      for (left, right) in zip(track.samples, copy.samples) {
        guard try before.bytes(of: left) == after.bytes(of: right) else {
          Issue.record("\(name): a sample of track \(track.id) changed", sourceLocation: location)
          break
        }
      }
    }
    // Kept items may contain the same value.
    let stay = movie.metadata.map { Data($0.bytes.array) }
    var searched = old.metadata.filter { item in
      !item.isStructural && !stay.contains { $0.range(of: Data(item.bytes.array)) != nil }
        && decisions.contains { !$0.isKept && $0.subject == item.identifier.description && $0.trackID == item.trackID }
    }.flatMap(forms)
    if !keepsDates { searched += dates(of: old) }
    let media = Data(new)
    for form in Set(searched) where form.count >= 6 || bytes.count < 20_000 {
      #expect(media.range(of: Data(form)) == nil, "\(name): \(form)", sourceLocation: location)
    }
    for type in ["free", "skip", "uuid"] {
      #expect(movie.layout.first(FourCC(type) ?? "free") == nil, "\(name)", sourceLocation: location)
    }
    #expect(movie.layout.trailing == nil, "\(name)", sourceLocation: location)
    return (movie, new, decisions)
  }

  // MARK: - Movies

  static let secret = "secret that nobody may read"

  /// A movie of a phone, with private data in every possible place.
  private var phone: TestMovie {
    TestMovie.talk.with {
      $0.movieAtoms =
        mdtaMetadata([
          ("com.apple.quicktime.make", "ACME Phones"), ("com.apple.quicktime.model", "Model Nine Plus"),
          ("com.apple.quicktime.location.ISO6709", "+48.1370+011.5750+520.000/"),
          ("com.apple.quicktime.creationdate", "2026-01-09T18:32:07+0900"),
          ("com.apple.quicktime.title", "Home movie"), ("com.apple.quicktime.description", "at Ann's house"),
          ("com.apple.quicktime.content.identifier", "9C1A0F12-1111-2222"), ("com.example.secret", Self.secret),
          ("com.example.player.serial-number", Self.secret),
          ("com.apple.quicktime.full-frame-rate-playback-intent", "1"),
        ]) + atom("free") { text(Self.secret) } + atom("XMOV") { text(Self.secret) }
      $0.userData = TestSupport.movie {
        atom("©xyz") { u16(18, 0x15C7) + text("+48.1370+011.5750/") }
        atom("©cpy") { u16(8, 0x15C7) + text("(c) Anna") }
        atom("©prf") { u16(10, 0x15C7) + text("Anna Smith") }
        atom("FIRM") { text(Self.secret) }
        atom("loci") {
          zeros(4) + u16(0x55C4) + [0, 0] + u32(Int(11.575 * 65_536), Int(48.137 * 65_536), 0) + text("earth") + [0, 0]
        }
        atom("XMP_") { text("<x>\(Self.secret)</x>") }
      }
      $0.tracks[0].trackAtoms = atom("uuid") { zeros(16) + text(Self.secret) }
      $0.tracks[0].userData = atom("tagc") { text("public.auxiliary-content") } + atom("LENS") { text(Self.secret) }
      $0.tracks[1].handlerName = pascalString("ACME sound of serial 1234567")
      $0.layout += [
        .bytes(atom("free") { text(Self.secret) }), .bytes(atom("wide") { text(Self.secret) }),
        .bytes(atom("uuid") { zeros(16) + text(Self.secret) }),
        .bytes(atom("XTRA") { text(Self.secret) }), .bytes(Array("trailing \(Self.secret)".utf8)),
      ]
    }
  }

  @Test func removesPrivateMetadataOfPhones() throws {
    let (movie, bytes, decisions) = try shared(phone.bytes())
    #expect(Data(bytes).range(of: Data(Self.secret.utf8)) == nil)
    for word in ["1234567", "com.example.secret", "location"] {
      #expect(Data(bytes).range(of: Data(word.utf8)) == nil)
    }
    let left = movie.metadata.filter { !$0.isStructural }.map(\.identifier.description)
    #expect(
      left == [
        "udta/%A9cpy", "mdta/com.apple.quicktime.title", "mdta/com.apple.quicktime.full-frame-rate-playback-intent",
      ])
    #expect(movie.header.creationTime == 0 && movie.tracks.allSatisfy { $0.mediaHeader.creationTime == 0 })
    #expect(movie.tracks.map(\.id) == phone.tracks.map(\.id).map { UInt32($0) })
    #expect(movie.tracks[0].taggedCharacteristics == [.auxiliaryContent])
    let reasons = Dictionary(decisions.map { ($0.subject, $0.reason) }) { first, _ in first }
    #expect(
      reasons["mdta/com.example.secret"] == "unknown" && reasons["udta/%A9xyz"] == "reveals the place of recording")
    #expect(reasons["mdta/com.apple.quicktime.description"] == "typed by the owner of the camera")
    #expect(decisions.contains { $0.subject.hasPrefix("uuid at byte") && !$0.isKept })
  }

  @Test func removesTheAuthorsPaths() throws {
    let path = "Macintosh HD:Users:ann:Movies"
    let movie = TestMovie.simple.with {
      $0.tracks[0].dataReferences = [atom("alis") { u32(1) + text(path) }]
    }
    let (new, bytes, _) = try shared(movie.bytes())
    #expect(Data(bytes).range(of: Data(path.utf8)) == nil)
    let reference = try #require(new.tree.index(at: "moov/trak[1]/mdia/minf/dinf/dref/alis"))
    #expect(new.tree.bytes(of: reference).array == atom("alis") { u32(1) })
  }

  @Test func removesPathsInUncountedReferences() throws {
    let path = "Macintosh HD:Users:ann:Movies"
    var bytes = TestMovie.simple.with {
      $0.tracks[0].dataReferences = [atom("alis") { u32(1) }, atom("alis") { u32(1) + text(path) }]
    }.bytes()
    let dref = try #require(bytes.firstRange(of: code("dref")))
    bytes.replaceSubrange(dref.upperBound + 4..<dref.upperBound + 8, with: u32(1))
    let (movie, new, _) = try shared(bytes)
    #expect(movie.tracks[0].dataReferences?.entries.count == 1)
    #expect(Data(new).range(of: Data(path.utf8)) == nil)
  }

  @Test func removesEncoderAndReelNames() throws {
    func described(_ maker: String, _ name: String) -> [UInt8] {
      var entry = SampleEntry.video("avc1", width: 64, height: 36, extensions: atom("pasp") { u32(1, 1) })
      entry.replaceSubrange(20..<24, with: code(maker))
      entry.replaceSubrange(50..<82, with: pascalString(name) + zeros(31 - name.utf8.count))
      return entry
    }
    func movie(_ maker: String, _ name: String, _ reel: [UInt8]) -> TestMovie {
      TestMovie.torture.with {
        $0.tracks[0].sampleEntries = [described(maker, name)]
        var timecode = SampleEntry.timecode(timeScale: 12288, frameDuration: 512, framesPerSecond: 24)
        timecode += reel + atom("kept") { u32(7) }
        timecode.replaceSubrange(0..<4, with: u32(timecode.count))
        $0.tracks[3].sampleEntries = [timecode]
      }
    }
    let reel = atom("name") { u16(8, 0) + text("A001C001") }
    let (new, bytes, decisions) = try shared(movie("ACME", "ACME camera 1234567", reel).bytes())
    for word in ["ACME", "1234567", "A001C001"] { #expect(Data(bytes).range(of: Data(word.utf8)) == nil) }
    // Everything else in the descriptions is unchanged.
    let plain = try Movie(of: movie("\0\0\0\0", "", []).source)
    for (left, right) in zip(new.tracks, plain.tracks) {
      #expect(left.sampleDescriptions == right.sampleDescriptions, "track \(left.id)")
    }
    #expect(decisions.contains { $0.subject == "maker of the encoder" && $0.trackID == 1 && !$0.isKept })
    #expect(decisions.contains { $0.subject == "name of the reel" && $0.trackID == 4 && !$0.isKept })
    #expect(decisions.contains { $0.trackID == 4 && $0.reason == "timecode, may reveal the time of day" })
    // Without these names, ffmpeg reads other formats.
    for needed in ["Sorenson H263", "Planar Y'CbCr 8-bit 4:2:0"] {
      let (kept, _, _) = try shared(movie("ACME", needed, []).bytes())
      let body = try #require(kept.tracks[0].sampleDescriptions.entries.first?.body)
      #expect(try VideoDescription(body: body).compressorName == needed)
    }
  }

  /// A color table after the counted sample descriptions is not a description.
  @Test func keepsAtomsAfterTheSampleDescriptions() throws {
    let colors = atom("ctab") { u32(0, 0x8000_0001) + u16(0, 1, 2, 3, 4, 5, 6, 7) }
    var entry = SampleEntry.video("avc1", width: 64, height: 36)
    entry.replaceSubrange(20..<24, with: code("ACME"))
    var bytes = TestMovie.simple.with { $0.tracks[0].sampleEntries = [entry, colors] }.bytes()
    let stsd = try #require(bytes.firstRange(of: code("stsd")))
    bytes.replaceSubrange(stsd.upperBound + 4..<stsd.upperBound + 8, with: u32(1))
    let (movie, new, _) = try shared(bytes)
    #expect(movie.tracks[0].sampleDescriptions.tail.array == colors)
    #expect(Data(new).range(of: Data("ACME".utf8)) == nil)
  }

  @Test func removesKeysOfUnreadableItems() throws {
    var bytes = TestMovie.simple.with {
      $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.title", "Home"), ("com.example.secret", "x")])
    }.bytes()
    let items = Data(bytes).ranges(of: Data(code("data")))
    bytes.replaceSubrange(try #require(items.last), with: code("dat_"))
    let (movie, new, _) = try shared(bytes)
    #expect(movie.metadata.map(\.identifier.description) == ["mdta/com.apple.quicktime.title"])
    #expect(Data(new).range(of: Data("com.example.secret".utf8)) == nil)
  }

  /// Nested media information is unknown, so its positions are dropped with it.
  @Test func ignoresPositionsInRemovedAtoms() throws {
    let nested = atom("minf") { atom("stbl") { fullAtom("saio") { u32(1, 30) } } }
    let movie = TestMovie.simple.with { $0.tracks[0].mediaInformationAtoms = nested }
    let (new, _, _) = try shared(movie.bytes())
    #expect(new.tree.index(at: "moov/trak[1]/mdia/minf/minf") == nil)
  }

  @Test func rejectsPositionsAfterTheLastAtom() throws {
    let plain = TestMovie.simple.with { $0.tracks[0].sampleTableAtoms = fullAtom("saio") { u32(1, 0) } }
    var bytes = plain.bytes() + text("no atom")
    let saio = try #require(bytes.firstRange(of: code("saio")))
    bytes.replaceSubrange(saio.upperBound + 8..<saio.upperBound + 12, with: u32(bytes.count - 4))
    #expect {
      try shared(bytes)
    } throws: { error in
      let error = error as? MovieError
      return error?.code == .unsupported && error?.reason.contains("after the last atom") == true
    }
  }

  @Test func sharesATrackWithoutDataReferences() throws {
    var bytes = TestMovie.simple.bytes()
    let place = try #require(bytes.firstRange(of: code("dref")))
    bytes.replaceSubrange(place, with: code("drex"))
    try shared(bytes)
  }

  /// Player settings have a fixed form. A text in their place is unknown.
  @Test func removesTextInPlaceOfSettings() throws {
    let movie = TestMovie.simple.with {
      $0.movieAtoms = mdtaMetadata([
        ("com.apple.quicktime.player.movie.visual.tint", Self.secret),
        ("com.apple.quicktime.spatial.format-version", "1.0"),
      ])
      $0.userData = TestSupport.movie {
        atom("WLOC") { text(Self.secret) }
        atom("SelO") { [1] }
        atom("MCPS") { text(Self.secret) }
        fullAtom("meta") {
          fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(12) + [0] }
          atom("ilst") {
            for text in [" 00000000 00000840 000001CA", Self.secret] {
              atom("----") {
                fullAtom("mean") { TestSupport.text("com.apple.iTunes") }
                fullAtom("name") { TestSupport.text("iTunSMPB") }
                atom("data") { u32(1, 0) + TestSupport.text(text) }
              }
            }
          }
        }
      }
    }
    let (new, bytes, _) = try shared(movie.bytes())
    #expect(Data(bytes).range(of: Data(Self.secret.utf8)) == nil)
    #expect(
      Set(new.metadata.map(\.identifier.description)) == [
        "mdta/com.apple.quicktime.spatial.format-version", "udta/SelO", "itlk/com.apple.iTunes.iTunSMPB",
      ])
  }

  /// Of several key lists the first counts. The others are searched once.
  @Test func readsManyKeyListsInLinearTime() throws {
    let keys = (0..<600).map { _ in fullAtom("keys") { u32(1) + atom("mdta") { text(Self.secret) } } }.flatMap { $0 }
    let items = (0..<600).map { _ in u32(26, 1) + atom("data") { u32(1, 0) + text("x") } + [0] }.flatMap { $0 }
    let movie = TestMovie.simple.with {
      $0.movieAtoms = atom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdta") + zeros(12) } + keys + atom("ilst") { items }
      }
    }
    let start = ContinuousClock.now
    let (_, bytes, _) = try shared(movie.bytes())
    #expect(Data(bytes).range(of: Data(Self.secret.utf8)) == nil)
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func appliesRequestedExceptions() throws {
    let (movie, _, _) = try shared(
      phone.bytes(), keeping: ["common/location", "mdta/com.example.*"], dropping: ["common/title", "uiso/loci"],
      keepsDates: true)
    let left = movie.metadata.filter { !$0.isStructural }.map(\.identifier.description)
    #expect(left.contains("mdta/com.apple.quicktime.location.ISO6709") && left.contains("mdta/com.example.secret"))
    #expect(!left.contains("mdta/com.apple.quicktime.title"))
    #expect(movie.header.creationTime == (try Movie(of: phone.source).header.creationTime))
  }

  @Test func removesTimedMetadataWithItsSamples() throws {
    let movie = TestMovie.talk.with {
      $0.tracks[3] = TestTrack(.other(handler: "meta"), id: 4).with {
        $0.samples = [TestSample(content: Array((Self.secret + "0123456789012").utf8), duration: 10)]
      }
    }
    let (new, bytes, decisions) = try shared(movie.bytes())
    #expect(new.track(4) == nil && Data(bytes).range(of: Data(Self.secret.utf8)) == nil)
    #expect(decisions.contains { $0.subject == "track 4" && !$0.isKept })
  }

  @Test func namesTheFormatOfRemovedTimedMetadata() throws {
    let movie = TestMovie.simple.with {
      $0.tracks += [.timed("gpmd", id: 8, [[1]]), .timed("abcd", id: 9, [[1]])]
    }
    let decisions = try shared(movie.bytes()).2
    for (id, words) in [(8, "GoPro telemetry, gpmd"), (9, "abcd")] {
      let decision = decisions.first { $0.subject == "track \(id)" }
      #expect(decision?.reason == "timed metadata whose samples may be private (\(words))", "\(decisions)")
    }
  }

  @Test func keepsYearAndCreditsOfAWork() throws {
    let movie = TestMovie.simple.with {
      $0.userData = fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(12) + [0] }
        atom("ilst") {
          for (type, value) in [("©ART", "Ann"), ("©day", "1999"), ("ldes", "Long text"), ("©cmt", "my notes")] {
            atom(type) { atom("data") { u32(1, 0) + text(value) } }
          }
        }
      }
    }
    let (new, _, _) = try shared(movie.bytes())
    #expect(new.metadata.map(\.stringValue) == ["Ann", "1999", "Long text"])
  }

  /// Accessibility descriptions are kept even in a camera's movie, whose credits are removed.
  @Test(arguments: [false, true]) func keepsAccessibilityDescriptions(_ isOfCamera: Bool) throws {
    let names = ["accessibility.description", "author", "performer"] + (isOfCamera ? ["make"] : [])
    let movie = TestMovie.simple.with {
      $0.userData = atom("©wrt") { u16(3, 0x15C7) + text("Ann") }
      $0.movieAtoms = mdtaMetadata(names.map { ("com.apple.quicktime." + $0, "Some words") })
    }
    let (new, _, decisions) = try shared(movie.bytes())
    let left = Set(new.metadata.filter { !$0.isStructural }.map(\.identifier.description))
    let credits =
      isOfCamera ? [] : ["mdta/com.apple.quicktime.author", "mdta/com.apple.quicktime.performer", "udta/%A9wrt"]
    #expect(left == Set(["mdta/com.apple.quicktime.accessibility.description"] + credits), "\(left) \(decisions)")
  }

  @Test(arguments: ["CAME", "TAGS"])
  func recognizesCamerasByTheirAtoms(_ type: String) throws {
    let movie = TestMovie.simple.with {
      $0.userData = atom(type) { zeros(16) } + atom("©day") { u16(4, 0x15C7) + text("1999") }
    }
    #expect(try shared(movie.bytes()).movie.metadata.isEmpty)
  }

  @Test func keepsDaysAndRemovesTimes() throws {
    for (date, stays) in [
      ("1999", true), ("1999-03-14", true), ("1999-03-14T07:00:00Z", false), ("19990314T07", false),
    ] {
      let movie = TestMovie.simple.with {
        $0.movieAtoms = mdtaMetadata([("com.apple.quicktime.creationdate", date)])
        $0.userData = atom("©day") { u16(date.utf8.count, 0x15C7) + text(date) }
      }
      let copy = try shared(movie.bytes())
      #expect(copy.movie.metadata.map(\.stringValue) == (stays ? [date, date] : []), "\(date)")
      // A copy has no dates in its headers to remove.
      let source = MemorySource(Bytes(copy.bytes))
      var edit = try MovieEdit(of: Movie(of: source), from: source)
      #expect(!(try edit.prepareForSharing().contains { $0.subject == "dates in headers" }))
    }
  }

  @Test(.timeLimit(.minutes(5))) func sharesRealMoviesWithAllSamples() throws {
    let count = try Corpus.require().forEachEditable { bytes, name in
      do {
        try shared(bytes, name)
      } catch let error as MovieError where [.unsupported, .invalidEdit].contains(error.code) {
        let known = [
          "contains samples of track", "cannot remove every track", "are not an atom", "cannot be read",
          "more than one track",
        ]
        #expect(known.contains { error.reason.contains($0) }, "\(name): \(error)")
      }
    }
    print("\(count) movies from the wild were prepared for sharing")
    #expect(count > 50)
  }
}

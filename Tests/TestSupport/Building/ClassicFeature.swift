/// A feature of QuickTime files from before MPEG-4 that files of today lack, with an example movie.
///
///     for feature in ClassicFeature.allCases { print(feature, feature.movie.bytes().count) }
package enum ClassicFeature: String, CaseIterable, Sendable {
  case noFileType
  case macintoshLanguages
  case severalSampleDescriptions
  case preload
  case clipping
  case matte
  case colourTable
  case spriteTrack
  case flashTrack
  case pascalNames
  case soundVersion0
  case soundVersion1
  case soundVersion2
  case compressedSound
  case trackInputMap
  case referenceMovies
  case terminators

  /// The example movie. It has no `ftyp`, and the movie atom is last.
  package var movie: TestMovie {
    var movie = TestMovie.simple
    movie.brands = []
    movie.layout = .movieLast
    change(&movie)
    return movie
  }

  private func change(_ movie: inout TestMovie) {
    switch self {
    case .noFileType: break
    case .macintoshLanguages:
      movie.tracks[0].language = .macintosh(0x7FFF)
      movie.tracks[1].language = .macintosh(0)
      movie.tracks.append(TestTrack(.sound, id: 3).with { $0.language = .macintosh(11) })  // Japanese
      movie.tracks.append(TestTrack(.text, id: 4).with { $0.language = .macintosh(1) })  // French
      movie.tracks.append(TestTrack(.sound, id: 5).with { $0.language = .macintosh(150) })  // The last but a few
    case .severalSampleDescriptions:
      movie.tracks[0].sampleEntries = [
        SampleEntry.video("cvid", width: 64, height: 36), SampleEntry.video("SVQ3", width: 64, height: 36),
        SampleEntry.video("rle ", width: 64, height: 36, depth: 8),
      ]
      movie.tracks[0].descriptionOfChunk = [1, 1, 2, 3, 1, 2]
    case .preload: movie.tracks[0].atomsAfterHeader = atom("load") { u32(0, -1, 1, 0x120) }
    case .clipping:
      // A rectangle, and a region with an additional scan line.
      movie.atomsAfterHeader = atom("clip") { atom("crgn") { u16(10, 0, 0, 36, 64) } }
      movie.tracks[0].atomsAfterHeader = atom("clip") {
        atom("crgn") { u16(28, 0, 0, 36, 64) + u16(0, 0, 64, 0x7FFF, 36, 0, 64, 0x7FFF, 0x7FFF) }
      }
    case .matte:
      movie.tracks[0].atomsAfterHeader = atom("matt") {
        fullAtom("kmat") {
          SampleEntry.video("rle ", width: 64, height: 36, depth: 40)
          text("a matte, compressed")
        }
      }
    case .colourTable:
      let table = u32(0) + u16(0x8000, 1) + u16(0, 0, 0, 0) + u16(0, 0xFFFF, 0xFFFF, 0xFFFF)
      movie.atomsAfterHeader = atom("ctab") { table }
      movie.tracks[0].sampleEntries = [
        SampleEntry.video("rle ", width: 64, height: 36, depth: 1, extensions: atom("ctab") { table })
      ]
    case .spriteTrack: movie.tracks.append(Self.sprites)
    case .flashTrack: movie.tracks.append(Self.flash)
    case .pascalNames:
      // With padding, as old versions wrote it; in MacRoman.
      movie.tracks[0].handlerName = pascalString("Apple Video Media Handler") + zeros(6)
      movie.tracks[1].handlerName = u8(5) + text("Caf") + u8(0x8E, 0x21)
      movie.userData = atom("©nam") { u16(5, 0) + text("Title") } + u32(0)
      movie.tracks[1].userData = atom("name") { text("Sound") } + u32(0)
    case .soundVersion0:
      movie.tracks[1] = Self.oldSound(SampleEntry.sound("twos", channels: 2, rate: 8000), 1, bytes: 4)
    case .soundVersion1:
      movie.tracks[1] = Self.oldSound(
        SampleEntry.soundVersion1(
          "ima4", channels: 2, rate: 8000, packet: (64, 34, 68),
          extensions: atom("wave") { atom("frma") { code("ima4") } + u32(8, 0) }), 64, bytes: 68)
    case .soundVersion2:
      movie.tracks[1] = Self.oldSound(
        SampleEntry.soundVersion2(
          channels: 2, bits: 24, rate: 8000, packet: (6, 1), extensions: atom("chan") { u32(0, 0x650002, 0, 0) }), 1,
        bytes: 6)
    case .compressedSound:
      movie.tracks[1] = Self.oldSound(SampleEntry.sound("MAC6", bits: 8, rate: 8000), 6, bytes: 1)
    case .trackInputMap:
      movie.tracks[0].references = [TestReference("ssrc", 2)]
      movie.tracks[0].trackAtoms = atom("imap") {
        quickTimeAtom(0, "in", id: 1, children: 2) {
          quickTimeAtom(0, "ty", id: 1) { u32(1) }
          quickTimeAtom(nil, "obid", id: 1) { u32(7) }
        }
      }
    case .referenceMovies:
      movie.movieAtoms = alternateMovies(["small.mov", "http://example.org/large.mov"])
    case .terminators:
      movie.userData = atom("LOOP") { u32(1) } + u32(0)
      movie.tracks[1].sampleEntries = [
        SampleEntry.sound(
          "mp4a", rate: 8000,
          extensions: atom("wave") {
            atom("frma") { code("mp4a") }
            SampleEntry.esds(rate: 8_000, channels: 1)
            u32(8, 0)
          })
      ]
      movie.tracks[0].sampleEntries = [SampleEntry.video("cvid", width: 64, height: 36)]
    }
  }

  private static func oldSound(_ entry: [UInt8], _ samplesPerPacket: Int, bytes: Int) -> TestTrack {
    TestTrack(.sound, id: 2).with {
      $0.language = .macintosh(0)
      $0.sampleEntries = [entry]
      $0.samplesPerPacket = samplesPerPacket
      $0.samples = (0..<(16_000 / samplesPerPacket)).map { _ in TestSample(bytes, duration: samplesPerPacket) }
      $0.chunking = [$0.samples.count / 4]
    }
  }

  /// A sprite track: a key frame with images, then changes. Its properties replace the sample description.
  private static var sprites: TestTrack {
    TestTrack(.other(handler: "sprt"), id: 3).with {
      ($0.width, $0.height, $0.timeScale) = (64, 36, 600)
      $0.sampleEntries = [
        atom("sprt") {
          zeros(6)
          u16(1)
        }
      ]
      let key =
        zeros(10) + u16(0)
        + quickTimeAtom(nil, "sean", id: 1, children: 1) {
          quickTimeAtom(nil, "sprt", id: 1, children: 1) { quickTimeAtom(0, "\u{0}\u{1}", id: 1) { zeros(36) } }
        }
      $0.samples = [TestSample(content: key, duration: 600), TestSample(60, duration: 600)]
      $0.trackAtoms = atom("tref") { atom("ssrc") { u32(0) } }
    }
  }

  private static var flash: TestTrack {
    TestTrack(.other(handler: "flsh"), id: 3).with {
      ($0.width, $0.height, $0.timeScale) = (64, 36, 600)
      $0.sampleEntries = [
        atom("swf ") {
          zeros(6)
          u16(1)
          zeros(12)
        }
      ]
      $0.samples = [TestSample(content: text("FWS\u{4}") + zeros(200), duration: 1200)]
    }
  }
}

/// Returns an atom of a sprite or input map (QTFF "QT Atoms and Atom Containers"). `type` has four letters, or two
/// letters after two zeros.
package func quickTimeAtom(
  _ prefix: Int?, _ type: String, id: Int, children: Int = 0, @MovieBuilder _ content: () -> [UInt8]
) -> [UInt8] {
  let payload = content()
  let name =
    prefix == nil ? code(type) : u16(0) + Array(type.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
  return u32(20 + payload.count) + name + u32(id) + u16(0, children) + u32(0) + payload
}

/// Returns `rmra` with alternate movies, of which the player chooses one.
package func alternateMovies(_ urls: [String]) -> [UInt8] {
  atom("rmra") {
    for (index, url) in urls.enumerated() {
      atom("rmda") {
        atom("rdrf") { u32(0) + code("url ") + u32(url.utf8.count + 1) + cString(url) }
        atom("rmdr") { u32(0, 5600 * (index + 1)) }
        atom("rmqu") { u32(index) }
      }
    }
  }
}

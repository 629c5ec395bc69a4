import TestSupport
import Testing

struct SecondReaderTests {
  @Test func namesTracksByIDAndAtomsByPath() throws {
    let reader = try SecondReader(TestMovie.talk.bytes())
    #expect(reader.topLevel.map(\.path) == ["ftyp", "wide", "mdat", "moov"])
    #expect(reader.atom("moov/trak#4/mdia/mdhd")?.byteCount == 32)
    let subtitles = try #require(reader.track(4))
    #expect(subtitles.handler == "sbtl")
    #expect(subtitles.formats == ["tx3g"])
    #expect(subtitles.language == "spa")
    #expect(subtitles.group == 2)
    #expect(subtitles.layer == -1)
    #expect(subtitles.isEnabled)
    #expect(reader.tracks.map(\.isEnabled) == [true, true, false, true])
  }

  @Test func readsEquallyFromDiskAndMemory() throws {
    let folder = try TemporaryFolder()
    let bytes = TestMovie.torture.bytes()
    let fromDisk = try SecondReader(path: folder.write(bytes, as: "torture.mov"))
    let fromMemory = try SecondReader(bytes)
    #expect(fromDisk.atoms.map(\.path) == fromMemory.atoms.map(\.path))
    #expect(fromDisk.tracks.map(\.samples) == fromMemory.tracks.map(\.samples))
  }

  @Test func readsOtherBytesAsATail() throws {
    let bytes = TestMovie.simple.with {
      $0.layout = .movieLast + [.bytes([1, 2, 3])]
      $0.userData = atom("name") { text("x") } + zeros(4)
    }.bytes()
    let reader = try SecondReader(bytes)
    #expect(try reader.trailingBytes == [1, 2, 3])
    #expect(reader.atom("moov/udta")?.tail.count == 4)
  }

  @Test func endsTheFileAtATornFreeAtom() throws {
    let torn = TestMovie.simple.with { $0.layout = .movieLast + [.bytes(atom("free", claiming: 500) { zeros(9) })] }
    let reader = try SecondReader(torn.bytes())
    #expect(reader.topLevel.last?.type == "free")
    #expect(reader.topLevel.last?.isCut == true)
  }

  @Test(arguments: ["interview.mov", "interview.mp4", "spanish.mov"])
  func agreesWithFFmpegOnEveryPacket(name: String) throws {
    let ffprobe = try Witness.require("ffprobe")
    let path = TestMedia.path(name)
    let reader = try SecondReader(path: path)
    for (index, track) in reader.tracks.enumerated() where ["vide", "soun", "sbtl"].contains(track.handler) {
      let result = try ffprobe.run([
        "-v", "error", "-select_streams", "\(index)", "-show_entries", "packet=pos,size", "-of", "csv=p=0", path,
      ])
      let packets = result.outputText.split(separator: "\n").map { line in
        line.split(separator: ",").prefix(2).joined(separator: ",")
      }
      // ffmpeg omits a last sample without duration.
      let samples = track.samples.last?.duration == 0 ? track.samples.dropLast() : track.samples[...]
      #expect(packets == samples.map { "\($0.byteCount),\($0.offset)" }, "track \(track.id)")
    }
  }

  @Test func readsEveryMovieOfTheCorpus() throws {
    let corpus = try Corpus.require()
    for movie in corpus.movies {
      do {
        let reader = try SecondReader(path: movie.path)
        #expect(try differences(old: reader, new: reader).allSatisfy { $0.contains("past the end") }, "\(movie.name)")
      } catch {
        Issue.record("\(movie.name): \(error)")
      }
    }
  }

  @Test func terminatesOnEveryDamagedMovie() throws {
    let corpus = try Corpus.require()
    for path in corpus.broken {
      do {
        _ = try SecondReader(path: path)
      } catch {
        print("\(path): \(error)")
      }
    }
  }
}

import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// The end of a movie for its subtitles: no cue is lost because a header declares too short a duration.
struct MovieEndTests {
  private static func cues(upTo milliseconds: Int64) -> [Cue] {
    stride(from: 0, to: milliseconds, by: 200).map {
      Cue(startMilliseconds: $0, endMilliseconds: $0 + 150, text: StyledText("Cue \($0)"))
    }
  }

  /// Returns the movie with cues up to a time, and the cues read back.
  private func edited(_ bytes: [UInt8], upTo milliseconds: Int64) throws -> (edit: MovieEdit, movie: Movie, cues: [Cue])
  {
    let source = MemorySource(Bytes(bytes))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    let id = try edit.add(SubtitleInput(cues: Self.cues(upTo: milliseconds), language: LanguageTag("en")))
    let plan = try edit.outputPlan(of: source)
    let new = MemorySource(Bytes(try PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount)).array))
    let movie = try Movie(of: new)
    let track = try #require(movie.track(id))
    return (edit, movie, try TextTrackReader(track, of: movie).read(from: new).cues)
  }

  @Test(arguments: [300, 1, 899])
  func keepsCuesBeyondATooShortHeaderDuration(_ claimed: Int) throws {
    let (edit, movie, cues) = try edited(TestMovie.simple.with { $0.duration = claimed }.bytes(), upTo: 2000)
    #expect(cues == Self.cues(upTo: 2000))
    #expect(movie.header.duration == 1200)
    let notices = edit.notices.filter { $0.kind == .movieLengthened }
    #expect(notices.count == 1 && notices.first?.message.contains("2.000 s") == true)
    #expect(!edit.notices.contains { $0.kind == .subtitles })
  }

  @Test func keepsASlightlyWrongHeaderDuration() throws {
    let (edit, movie, cues) = try edited(TestMovie.simple.with { $0.duration = 900 }.bytes(), upTo: 2000)
    #expect(cues == Self.cues(upTo: 2000) && movie.header.duration == 900)
    #expect(!edit.notices.contains { $0.kind == .movieLengthened || $0.kind == .subtitles })
  }

  @Test func acceptsALongerHeaderDuration() throws {
    let (edit, movie, cues) = try edited(TestMovie.simple.with { $0.duration = 2400 }.bytes(), upTo: 4000)
    #expect(cues == Self.cues(upTo: 4000))
    #expect(movie.header.duration == 2400 && !edit.notices.contains { $0.kind == .movieLengthened })
  }

  @Test func ignoresASlightlyLongerTrack() throws {
    let film = TestMovie.simple.with {
      $0.duration = 300
      for index in $0.tracks.indices { $0.tracks[index].isEnabled = false }
    }
    let (edit, movie, cues) = try edited(film.bytes(), upTo: 2000)
    #expect(cues == Array(Self.cues(upTo: 2000).prefix(2)) + [cut(Self.cues(upTo: 2000)[2], at: 500)])
    #expect(movie.header.duration == 300)
    #expect(edit.notices.contains { $0.kind == .subtitles })
  }

  private func cut(_ cue: Cue, at end: Int64) -> Cue {
    Cue(startMilliseconds: cue.startMilliseconds, endMilliseconds: end, text: cue.text)
  }

  /// Absurd durations do not make a movie longer, and an edit without duration shows the rest of the media.
  @Test func ignoresAbsurdDurations() throws {
    for duration in [0xFFFF_FFFF, 0x8000_0000] {
      let film = TestMovie.simple.with {
        $0.duration = 1200
        $0.tracks[0].samples[$0.tracks[0].samples.count - 1].duration = duration
      }
      let (_, movie, cues) = try edited(film.bytes(), upTo: 2000)
      #expect(cues == Self.cues(upTo: 2000) && movie.header.duration == 1200)
    }
  }

  /// Without a duration in `mvhd`, and with edits before the media.
  @Test func usesEditsWithoutAHeaderDuration() throws {
    let film = TestMovie.simple.with { $0.duration = 0 }
    let (_, movie, cues) = try edited(film.bytes(), upTo: 2000)
    #expect(cues == Self.cues(upTo: 2000) && movie.header.duration == 0)
  }

  /// The first fragments of a longer movie, and fragments that begin late, whose start is subtracted.
  @Test(arguments: [(6000, 0), (0, 4800), (6000, 4800), (300, 4800)])
  func keepsCuesOfPartialFragmentedMovies(_ claimed: Int, _ decodeTime: UInt64) throws {
    let initial = TestMovie.simple.with {
      $0.duration = claimed
      for index in $0.tracks.indices { $0.tracks[index].samples = [] }
    }
    let scale = UInt64(initial.tracks[0].timeScale)
    let samples: [TestSample] = .varied(6, around: 20, duration: Int(scale) / 3)
    let fragment = TestFragment([.init(id: 1, decodeTime: decodeTime * scale / 600, runs: [.init(samples)])])
    let end = max(claimed, 1200)
    let milliseconds = Int64(end * 1000 / 600)
    let (_, movie, cues) = try edited(initial.initial.bytes(fragments: [fragment]), upTo: milliseconds)
    #expect(cues == Self.cues(upTo: milliseconds))
    // The header declares the duration of the media, because players omit tracks that are much shorter than the movie.
    #expect(movie.header.duration == 1200)
  }
}

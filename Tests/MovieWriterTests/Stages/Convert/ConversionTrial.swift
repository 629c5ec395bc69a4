import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// A conversion of a movie, and both movies in an independent reader.
struct ConversionTrial {
  let old: SecondReader
  let new: SecondReader
  let bytes: [UInt8]
  let movie: Movie
  let notices: [EditNotice]

  init(_ movie: TestMovie, to type: MovieType, _ change: (inout MovieEdit) throws -> Void = { _ in }) throws {
    try self.init(movie.bytes(), to: type, change)
  }

  init(_ bytes: [UInt8], to type: MovieType, _ change: (inout MovieEdit) throws -> Void = { _ in }) throws {
    let (plan, edit, source) = try Self.plan(bytes, to: type, change)
    let new = try plan.rendered(from: source)
    old = try SecondReader(bytes)
    self.new = try SecondReader(new)
    self.bytes = new
    movie = try Movie(of: MemorySource(Bytes(new)))
    notices = edit.notices
  }

  /// Returns the plan, the edit, and its source.
  static func plan(
    _ bytes: [UInt8], to type: MovieType, _ change: (inout MovieEdit) throws -> Void = { _ in }
  ) throws -> (OutputPlan, MovieEdit, JoinedSource) {
    let source = MemorySource(Bytes(bytes))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try edit.convert(to: type)
    let text = try edit.recodedText()
    try change(&edit)
    let all = try JoinedSource([source] + (text.map { [$0] } ?? []))
    if text == nil { return (try edit.outputPlan(of: source), edit, all) }
    return (try edit.outputPlan(of: all), edit, all)
  }

  /// Returns the messages of notices of one kind.
  func messages(_ kind: EditNotice.Kind) -> [String] { notices.filter { $0.kind == kind }.map(\.message) }

  /// Returns bytes and times of the samples of each track whose samples are copied, which excludes text.
  static func media(_ reader: SecondReader) throws -> [UInt32: [String]] {
    var media: [UInt32: [String]] = [:]
    for track in reader.tracks where !["text", "sbtl", "subt"].contains(track.handler) {
      media[track.id] = try track.samples.map { sample in
        let hash = try reader.bytes(of: sample).reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
          ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return "\(hash) \(sample.decodeTime) \(sample.presentationTime) \(sample.duration) \(sample.isSync)"
      }
    }
    return media
  }

  /// Checks that the media of the remaining tracks is unchanged.
  func expectSameMedia(_ name: String = "", at location: SourceLocation = #_sourceLocation) throws {
    let (before, after) = (try Self.media(old), try Self.media(new))
    for (id, samples) in after { #expect(before[id] == samples, "\(name) track \(id)", sourceLocation: location) }
    // Hint tracks are dropped between QuickTime and ISO. Other tests check them within a family.
    let handlers = Set(old.tracks.map(\.handler)).subtracting(["meta", "text", "sbtl", "subt", "hint"])
    #expect(handlers.isSubset(of: new.tracks.map(\.handler)), "\(name)", sourceLocation: location)
  }
}

extension TestMovie {
  /// Returns video and AAC of a QuickTime movie as described by old versions of Apple and HandBrake: version 1 with `wave`.
  static func film(_ type: Dialect = .quickTime, brands: [String]? = nil) -> TestMovie {
    var film = TestMovie(tracks: [
      TestTrack(.video, id: 1).with { track in
        track.sampleEntries = [
          SampleEntry.video(
            width: 64, height: 36,
            extensions: atom("avcC") { u32(0x0142_001E, 0xFFE1_0000) } + atom("colr") { text("nclc") + u16(1, 1, 6) }
              + atom("gama") { u32(0x23333) } + u32(0))
        ]
        track.language = .macintosh(19)
      },
      TestTrack(.sound, id: 2).with { track in
        track.timeScale = 48_000
        track.samples = .varied(16, around: 30, duration: 1024)
        track.language = .macintosh(2)
        track.sampleEntries = [
          SampleEntry.soundVersion1(
            "mp4a", channels: 2, rate: 48_000, packet: (1024, 0, 0), compressionID: -2,
            extensions: atom("wave") {
              atom("frma") { text("mp4a") }
              atom("mp4a") { u32(0) }
              atom("esds") { ElementaryStreamBytes.aac }
              u32(8, 0)
            })
        ]
      },
    ])
    film.dialect = type
    film.brands = brands
    return film
  }

  /// ``film(_:brands:)`` with chapters in a text track.
  static var filmWithChapters: TestMovie {
    var film = film()
    film.tracks[0].references = [TestReference("chap", 3)]
    film.tracks.append(
      TestTrack(.text, id: 3).with { track in
        track.isEnabled = false
        track.sampleEntries = [SampleEntry.text()]
        track.samples = [
          TestSample(content: chapter("Start"), duration: 1000),
          TestSample(content: chapter("Größe"), duration: 500),
          TestSample(content: u16(0), duration: 500),
        ]
      })
    return film
  }

  private static func chapter(_ title: String) -> [UInt8] {
    u16(title.utf8.count) + Array(title.utf8) + atom("encd") { u32(0x100) }
  }
}

/// The contents of `esds` for AAC with two channels at 48 kHz.
enum ElementaryStreamBytes {
  static let aac: [UInt8] =
    [0, 0, 0, 0, 0x03, 25, 0, 0, 0, 0x04, 17, 0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x05, 2, 0x11, 0x90]
    + [0x06, 1, 2]
}

extension MovieEdit {
  /// The text samples that a conversion wrote, or `nil` if it wrote none.
  func recodedText() throws -> MemorySource? {
    try (joinedSource() as? JoinedSource)?.sources.last as? MemorySource
  }
}

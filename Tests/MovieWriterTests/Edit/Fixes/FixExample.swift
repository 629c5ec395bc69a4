import MovieBox
import TestSupport
import Testing

/// A rule with an automatic fix, and a movie that breaks it.
struct FixExample: CustomTestStringConvertible {
  let rule: String
  var target = Rule.Target.apple
  let movie: [UInt8]

  var testDescription: String { rule }

  private init(_ rule: String, for target: Rule.Target = .apple, _ change: (inout TestMovie) -> Void) {
    self.rule = rule
    self.target = target
    movie = (target == .iso ? TestMovie.rightISO : .right).with(change).bytes()
  }

  private init(_ rule: String, _ movie: [UInt8]) {
    (self.rule, self.movie) = (rule, movie)
  }

  static var all: [FixExample] {
    get throws {
      try groups + references + labels + [
        FixExample("movie.next-track-id") { $0.nextTrackID = 7 },
        FixExample("brand.iso-handler", try withISOHandler(TestMovie.right.bytes())),
        FixExample("metadata.no-handler") {
          $0.userData = fullAtom("meta") {
            atom("ilst") { atom("©nam") { atom("data") { u32(1, 0) + text("Title") } } }
          }
        },
      ]
    }
  }

  /// Returns the movie with the handler of its second track in the form of ISO files.
  private static func withISOHandler(_ movie: [UInt8]) throws -> [UInt8] {
    let atom = try #require(try SecondReader(movie).atom("moov/trak#2/mdia/hdlr"))
    let (start, end) = (Int(atom.offset), Int(atom.end))
    var bytes = movie
    bytes.replaceSubrange(start + 12..<start + 16, with: zeros(4))
    bytes.replaceSubrange(start + 32..<end, with: movie[start + 33..<end] + [0])
    return bytes
  }

  private static var groups: [FixExample] {
    [
      FixExample("chapter.enabled") { $0.tracks[6].isEnabled = true },
      FixExample("chapter.group") { $0.tracks[6].group = 2 },
      FixExample("group.mixed-kinds") { $0.tracks[0].group = 1 },
      FixExample("group.two-enabled") { $0.tracks[2].isEnabled = true },
      FixExample("group.none-enabled") { $0.tracks[1].isEnabled = false },
      FixExample("group.missing") { $0.tracks[3].group = 0 },
    ]
  }

  private static var references: [FixExample] {
    [
      FixExample("reference.missing") { $0.tracks[2].references = [TestReference("folw", 99)] },
      FixExample("reference.self") { $0.tracks[0].references.append(TestReference("sync", 1)) },
      FixExample("forced.no-reference") { $0.tracks[4].references = [] },
    ]
  }

  private static var labels: [FixExample] {
    get throws {
      func tag(_ content: [UInt8]) -> [UInt8] { atom("tagc") { content } }
      return [
        FixExample("language.codes-disagree") { $0.tracks[2].extendedLanguage = "fr" },
        FixExample("language.bibliographic-code") { $0.tracks[2].language = .packed("ger") },
        FixExample("language.no-code") {
          ($0.tracks[2].language, $0.tracks[2].extendedLanguage) = (.macintosh(0x7C00), "es")
        },
        FixExample("language.macintosh-code", for: .iso) { $0.tracks[2].language = .macintosh(6) },
        FixExample("language.tag-form", try withoutNUL()),
        FixExample("tag.nul") { $0.tracks[3].userData = tag(cString("public.easy-to-read")) },
        FixExample("tag.written-forced") { $0.tracks[5].userData = tag(text("public.subtitles.forced-only")) },
        FixExample("title.name-only") { $0.tracks[3].userData = atom("name") { text("Title") } },
      ]
    }
  }

  /// Returns an `elng` whose last letter replaces its NUL.
  private static func withoutNUL() throws -> [UInt8] {
    var bytes = TestMovie.right.with { $0.tracks[2].extendedLanguage = "es-41" }.bytes()
    let tree = try Movie(of: MemorySource(Bytes(bytes))).tree
    let elng = try #require(tree.index(at: "moov/trak[3]/mdia/elng"))
    bytes[Int(tree.range(of: elng).end) - 1] = UInt8(ascii: "9")
    return bytes
  }
}

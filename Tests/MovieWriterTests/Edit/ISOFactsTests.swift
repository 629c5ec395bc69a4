import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// A QuickTime movie that was made from a file of another type, with 3GPP items in its user data.
struct ISOFactsTests {
  /// An item: its type, payload and value, its new value, and the value read back.
  struct Fact: Sendable, CustomTestStringConvertible {
    let type: String
    let fact: String
    let payload: [UInt8]
    let old: String
    let new: String
    var testDescription: String { type }

    init(_ type: String, _ fact: String, _ payload: [UInt8], _ old: String, _ new: String = "New") {
      (self.type, self.fact, self.payload, self.old, self.new) = (type, fact, payload, old, new)
    }

    /// Returns a movie with the item, and the same fact in QuickTime metadata.
    func movie(isQuickTime: Bool = true) -> TestMovie {
      TestMovie.simple.with {
        if !isQuickTime { ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"]) }
        $0.userData = atom(type) { payload } + atom("FIRM") { [1, 2, 3] }
      }
    }
  }

  private static func words(_ before: [UInt8] = []) -> [UInt8] {
    zeros(4) + before + u16(0x55C4) + text("Old") + [0]
  }

  static let facts =
    [
      ("titl", "title"), ("dscp", "description"), ("cprt", "copyrights"), ("perf", "artist"), ("auth", "author"),
      ("gnre", "type"), ("albm", "albumName"), ("ades", "accessibilityDescription"),
    ].map { Fact($0, $1, words(), "Old") } + [
      Fact("kywd", "keywords", zeros(4) + u16(0x55C4) + [1, 4] + text("Old") + [0], "Old", "a, b"),
      Fact(
        "loci", "location", words() + [0] + u32(0, 0, 0, 0), "+00.00000+000.00000+000.000/",
        "+10.50000-020.25000+030.000/"),
      Fact("date", "creationDate", text("2026-01-09T18:32:07Z"), "2026-01-09T18:32:07Z", "2025-12-31T00:00:00Z"),
      Fact("yrrc", "creationDate", zeros(4) + u16(1999), "1999", "2003"), Fact("manu", "make", text("Old"), "Old"),
      Fact("modl", "model", text("Old"), "Old"),
    ]

  @Test(arguments: facts)
  func readsItAs3GPPMetadata(_ fact: Fact) throws {
    for isQuickTime in [true, false] {
      let movie = try Movie(of: fact.movie(isQuickTime: isQuickTime).source)
      #expect(
        movie.metadata.map(\.identifier.description) == ["uiso/" + fact.type, isQuickTime ? "udta/FIRM" : "uiso/FIRM"])
      #expect(movie.commonMetadata.map(\.stringValue) == [fact.old])
    }
  }

  @Test(arguments: facts)
  func setsAndRemovesIt(_ fact: Fact) throws {
    let input = try #require(MetadataInput("common/" + fact.fact, fact.new))
    let path = "moov/udta/" + fact.type
    for new in try fact.movie().edited(
      allowing: AllowedChanges().with {
        ($0.changedAtoms, $0.addedAtoms, $0.removedAtoms) = ([path], ["moov/meta", path], [path])
      }, { try $0.setMetadata(input) })
    {
      #expect(new.metadata.matching("common/" + fact.fact).allSatisfy { $0.stringValue == fact.new })
      #expect(new.metadata.contains { $0.identifier.description == "uiso/" + fact.type })
      #expect(new.metadata.disagreeing.isEmpty)
    }
    for new in try fact.movie().edited(
      allowing: AllowedChanges().with { $0.removedAtoms = [path] },
      { $0.removeMetadata(matching: "common/" + fact.fact) })
    {
      #expect(new.metadata.map(\.identifier.description) == ["udta/FIRM"])
    }
  }

  @Test(arguments: facts)
  func appliesTheSharingPolicyToIt(_ fact: Fact) throws {
    let stays = try [true, false].map { isQuickTime in
      var edit = try MovieEdit(of: fact.movie(isQuickTime: isQuickTime).source)
      return try edit.prepareForSharing().filter { $0.subject == "uiso/" + fact.type }.map(\.isKept)
    }
    #expect(stays[0] == stays[1] && stays[0].count == 1)
  }

  @Test func findsContradictionsToAnotherVocabulary() throws {
    for (words, count) in [("Old", 0), ("Other", 1)] {
      let movie = TestMovie.simple.with {
        $0.movieAtoms = TestMovie.keyed([("com.apple.quicktime.title", words)])
        $0.userData = atom("titl") { Self.words() }
      }
      #expect(try Movie(of: movie.source).metadata.disagreeing.count == count)
    }
  }

  /// Other contents under the same type are preserved.
  @Test func readsOtherBytesAsQuickTimeUserData() throws {
    let movie = TestMovie.simple.with { $0.userData = atom("titl") { [1, 2, 3, 4, 5] } + atom("name") { text("x") } }
    #expect(try Movie(of: movie.source).metadata.map(\.identifier.description) == ["udta/titl", "udta/name"])
  }
}

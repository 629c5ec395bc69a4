import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

// Purchases from stores, which contain the buyer in sample descriptions, and unknown parts of a movie.
extension SharingTests {
  private static let buyer = "Ann Buyer of Munich"

  private func scheme(_ more: [UInt8] = []) -> [UInt8] {
    atom("schi") {
      atom("user") { [0xDE, 0xAD, 0xBE, 0xEF] }
      atom("key ") { u32(7) }
      atom("iviV") { [UInt8](1...16) }
      atom("righ") { text("veID") + [0xDE, 0xAD, 0xBE, 0xEF] }
      atom("name") { text(Self.buyer) + zeros(256 - Self.buyer.utf8.count) }
      atom("priv") { [UInt8](repeating: 0xA7, count: 40) }
      more
    }
  }

  /// Returns a song from a store: protected, or iTunes Plus.
  private func purchase(isProtected: Bool, more: [UInt8] = [], trackAtoms: [UInt8] = []) -> TestMovie {
    let original = atom("frma") { code("mp4a") }
    let type = fullAtom("schm") { code("itun") + u32(0) }
    let extensions =
      more + atom("pasp") { zeros(8) }
      + (isProtected
        ? atom("sinf") { original + type + scheme() }
        : atom("pinf") { original + type + scheme(atom("sign") { text("signed by the store") }) })
    return TestMovie.simple.with {
      ($0.dialect, $0.brands) = (.iso, ["M4A ", "isom"])
      $0.tracks[0].sampleEntries = [
        SampleEntry.video(isProtected ? "drmi" : "avc1", width: 64, height: 36, extensions: extensions)
      ]
      $0.tracks[0].sampleTableAtoms = trackAtoms
    }
  }

  @Test(arguments: [false, true])
  func removesTheBuyerFromPurchases(_ isProtected: Bool) throws {
    let old = purchase(isProtected: isProtected).bytes()
    let (movie, bytes, decisions) = try shared(old, keepsDates: true)
    for secret in [Array(Self.buyer.utf8), [0xDE, 0xAD, 0xBE, 0xEF], [UInt8](repeating: 0xA7, count: 8)] {
      #expect(old.firstRange(of: secret) != nil && bytes.firstRange(of: secret) == nil)
    }
    #expect(bytes.firstRange(of: text("pinf")) == nil)
    // The information for finding the key is kept with everything around it.
    #expect((bytes.firstRange(of: [UInt8](1...16)) != nil) == isProtected)
    let entry = try #require(movie.tracks[0].sampleDescriptions.entries.first)
    #expect(
      try SampleEntryAtoms(VideoDescription(body: entry.body).tail).atoms.map(\.type)
        == (isProtected ? ["pasp", "sinf"] : ["pasp"]))
    let decision = try #require(decisions.first { $0.subject == "name and account of the buyer" })
    #expect(!decision.isKept && decision.trackID == 1 && decision.reason.contains("no player") == isProtected)
    #expect(!decisions.contains { $0.subject == "maker of the encoder" })
    let again = try shared(bytes, keepsDates: true)
    #expect(!again.decisions.contains { $0.subject == "name and account of the buyer" })
  }

  @Test func detectsARemainingBuyer() throws {
    for isProtected in [false, true] {
      let source = purchase(isProtected: isProtected).source
      var edit = try MovieEdit(of: source)
      try edit.prepareForSharing(keepsDates: true)
      let resolved = try edit.resolved(isInterleaved: false)
      let error = #expect(throws: MovieError.self) { try SharedMovieCheck(Movie(of: source), of: resolved)?.check() }
      #expect(error?.reason.contains("buyer") == true)
    }
  }

  @Test func listsKeptUnknownParts() throws {
    let groups = fullAtom("sgpd", version: 1) { code("xyzw") + u32(4) + u32(1) + u32(0) }
    let known = fullAtom("sgpd", version: 1) { code("roll") + u32(2) + u32(1) + u16(0xFFFF) }
    let movie = purchase(
      isProtected: false, more: atom("ACME") { text("camera 12345") }, trackAtoms: groups + known
    ).with {
      $0.userData = atom("ludt") { atom("tlou") { zeros(4) } + atom("note") { text("by Ann") } }
    }
    let (_, _, decisions) = try shared(movie.bytes(), keepsDates: true)
    let unknown = decisions.filter { $0.isKept && $0.reason.hasPrefix("unknown") }.map(\.subject)
    #expect(unknown.count == 3)
    #expect(unknown.contains { $0.hasSuffix("avc1/ACME") })
    #expect(unknown.contains { $0.hasSuffix("'xyzw'") })
    #expect(unknown.contains { $0.hasSuffix("ludt/note") })
  }
}

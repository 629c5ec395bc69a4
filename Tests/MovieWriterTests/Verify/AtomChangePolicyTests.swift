@testable import MovieBox
import Synchronization
import TestSupport
import Testing

@testable import MovieWriter

/// A rule of a policy applies to its path and track only.
struct AtomChangePolicyTests {
  private func tree(_ bytes: [UInt8]) throws -> AtomTree { try AtomTree(Bytes(bytes), at: 0) }

  private func trackHeader(_ id: UInt32) -> [UInt8] {
    TrackHeader(
      flags: 1, creationTime: 0, modificationTime: 0, trackID: id, duration: 0, layer: 0, alternateGroup: 0,
      matrix: .translation(x: 0, y: 0), width: 0, height: 0
    ).atom("tkhd")
  }

  private func track(_ id: UInt32, _ stbl: [UInt8]) -> [UInt8] {
    atom("trak") {
      trackHeader(id)
      atom("mdia") { atom("minf") { atom("stbl") { stbl } } }
    }
  }

  private func movie(_ bytes: [UInt8]) throws -> AtomChangePolicy.Side { .init(try tree(bytes)) }

  private func expectRefusal(
    _ policy: AtomChangePolicy, _ old: [UInt8], _ new: [UInt8], _ reason: String,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(sourceLocation: location) {
      try policy.check(movie(old), movie(new))
    } throws: {
      ($0 as? MovieError)?.code == .planCheckFailed && ($0 as? MovieError)?.reason.contains(reason) == true
    }
    try expectAccepted(policy, old, old, at: location)
  }

  private func expectAccepted(
    _ policy: AtomChangePolicy, _ old: [UInt8], _ new: [UInt8], at location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(throws: Never.self, sourceLocation: location) { try policy.check(movie(old), movie(new)) }
  }

  @Test func allowsRemovalOfARemovedTracksEntriesOnly() throws {
    func movie(_ ids: [Int]) -> [UInt8] {
      atom("moov") {
        atom("mvex") {
          ids.flatMap { id in
            atom("trex") {
              u32(0)
              u32(id)
              zeros(16)
            }
          }
        }
      }
    }
    var policy = AtomChangePolicy()
    policy.allow(.removal(), at: ["mvex", "trex"], in: .track(2))
    try expectAccepted(policy, movie([1, 2, 3]), movie([1, 3]))
    try expectRefusal(policy, movie([1, 2, 3]), movie([2, 3]), "it was lost")
    try expectRefusal(policy, movie([1, 2]), movie([1, 2, 3]), "a trex was added")
  }

  @Test func rejectsDuplicateSampleDescriptions() throws {
    let one = atom("stsd") {
      u32(0)
      u32(0)
    }
    let (old, new) = (atom("moov") { track(1, one) }, atom("moov") { track(1, one + one) })
    try expectRefusal(.labels(["stsd"], ofTrack: 1), old, new, "a stsd was added")
    try expectRefusal(.changes(of: ["stsd"], inTrack: 1), old, new, "a stsd was added")
  }

  @Test func rejectsChangedPositionsOutsideTracks() throws {
    func table(_ position: Int) -> [UInt8] {
      atom("stco") {
        u32(0)
        u32(1)
        u32(position)
      }
    }
    func nested(_ position: Int) -> [UInt8] {
      atom("moov") { atom("udta") { track(1, table(position)) } }
    }
    try expectRefusal(.positions, nested(100), nested(200), "its bytes changed")
    let (old, new) = (atom("moov") { track(1, table(100)) }, atom("moov") { track(1, table(200)) })
    try expectAccepted(.positions, old, new)
    try expectRefusal(AtomChangePolicy(), old, new, "its bytes changed")
  }

  @Test func allowsWideningChunkTablesOnly() throws {
    let narrow = atom("stco") {
      u32(0)
      u32(1)
      u32(100)
    }
    let wide = atom("co64") {
      u32(0)
      u32(1)
      u32(0)
      u32(100)
    }
    try expectRefusal(
      .positions, atom("moov") { track(1, wide) }, atom("moov") { track(1, narrow) }, "its type became stco")
    try expectAccepted(.positions, atom("moov") { track(1, narrow) }, atom("moov") { track(1, wide) })
  }

  @Test func rejectsTableChangesOutsideTracks() throws {
    func movie(_ value: Int) -> [UInt8] {
      atom("moov") { atom("udta") { atom("stbl") { atom("stsc") { u32(value) } } } }
    }
    for policy in [AtomChangePolicy.flattened, .splitChunks, .salvaged(tracks: [0, 1])] {
      try expectRefusal(policy, movie(1), movie(2), "its bytes changed")
    }
  }

  @Test func limitsLostSamplesToTheirTracks() throws {
    func movie(_ first: Int, _ second: Int) -> [UInt8] {
      atom("moov") {
        track(1, atom("stts") { u32(first) })
        track(2, atom("stts") { u32(second) })
      }
    }
    let policy = AtomChangePolicy.salvaged(tracks: [1])
    try expectAccepted(policy, movie(1, 1), movie(2, 1))
    try expectRefusal(policy, movie(1, 1), movie(2, 2), "its bytes changed")
    try expectRefusal(.splitChunks, movie(1, 1), movie(1, 2), "its bytes changed")
    try expectAccepted(.flattened, movie(1, 1), movie(2, 2))
  }

  @Test func rejectsReorderingOtherAtoms() throws {
    func movie(_ types: String...) -> [UInt8] {
      atom("moov") { types.flatMap { type in atom(type) { text(type) } } }
    }
    var policy = AtomChangePolicy()
    policy.allow(.removal(), at: ["aaaa"], in: .movie)
    policy.allow(.addition(), at: ["aaaa"], in: .movie)
    try expectRefusal(policy, movie("aaaa", "bbbb", "cccc"), movie("bbbb", "aaaa", "cccc"), "a different order")
    policy.allow(.move, at: ["bbbb"], in: .movie)
    try expectAccepted(policy, movie("bbbb", "cccc", "dddd"), movie("cccc", "dddd", "bbbb"))
    try expectRefusal(policy, movie("bbbb", "cccc", "dddd"), movie("dddd", "cccc", "bbbb"), "a different order")
  }

  // MARK: - Rules of one track

  /// Returns a track with a header, a language, references, labels and sample descriptions.
  private func labelled(
    _ id: UInt32, group: UInt16 = 0, language: String = "en", title: String? = "A", references: [UInt8] = u32(9),
    userData: [UInt8] = []
  ) -> [UInt8] {
    var header = TrackHeader(
      flags: 1, creationTime: 0, modificationTime: 0, trackID: id, duration: 0, layer: 0, alternateGroup: 0,
      matrix: .translation(x: 0, y: 0), width: 0, height: 0)
    header.alternateGroup = group
    return atom("trak") {
      header.atom("tkhd")
      if !references.isEmpty { atom("tref") { atom("cdsc") { references } } }
      atom("mdia") { atom("elng") { u32(0) + text(language) + [0] } }
      if title != nil || !userData.isEmpty {
        atom("udta") { (title.map { title in atom("name") { text(title) } } ?? []) + userData }
      }
    }
  }

  @Test func appliesRulesToTheirTrackOnly() throws {
    let old = atom("moov") { labelled(1) + labelled(2) }
    let policies: [(AtomChangePolicy, [UInt8], [UInt8])] = [
      (.changes(of: ["tkhd"], inTrack: 1), labelled(1, group: 3), labelled(2, group: 3)),
      (.changes(of: ["tref", "cdsc"], inTrack: 1), labelled(1, references: u32(8)), labelled(2, references: u32(8))),
      (.labels(["elng"], ofTrack: 1), labelled(1, language: "fr"), labelled(2, language: "fr")),
      (.labels(["name"], ofTrack: 1), labelled(1, title: "B"), labelled(2, title: "B")),
    ]
    for (policy, first, second) in policies {
      try expectAccepted(policy, old, atom("moov") { first + labelled(2) })
      try expectRefusal(policy, old, atom("moov") { labelled(1) + second }, "changed")
      try expectRefusal(policy, old, atom("moov") { first + second }, "changed")
    }
  }

  @Test func keepsRulesSeparateInJoinedPolicies() throws {
    var policy = AtomChangePolicy.labels(["elng"], ofTrack: 1)
    policy.join(.labels(["name"], ofTrack: 2))
    let old = atom("moov") { labelled(1) + labelled(2) }
    try expectAccepted(policy, old, atom("moov") { labelled(1, language: "fr") + labelled(2, title: "B") })
    try expectRefusal(policy, old, atom("moov") { labelled(1, title: "B") + labelled(2) }, "its bytes changed")
    try expectRefusal(policy, old, atom("moov") { labelled(1) + labelled(2, language: "fr") }, "its bytes changed")
  }

  @Test func allowsOnlyLabelsInNewUserData() throws {
    let policy = AtomChangePolicy.labels(["udta", "name"], ofTrack: 1)
    let old = atom("moov") { labelled(1, title: nil) }
    try expectAccepted(policy, old, atom("moov") { labelled(1) })
    let other = atom("moov") { labelled(1, userData: atom("XXXX") { text("B") }) }
    try expectRefusal(policy, old, other, "a udta was added")
    // An atom that is not a label is kept in existing user data.
    try expectRefusal(
      policy, atom("moov") { track(1, []) + atom("udta") { atom("name") { text("A") } } },
      atom("moov") { track(1, []) + atom("udta") { atom("name") { text("B") } } }, "its bytes changed")
  }

  @Test func allowsTracksByID() throws {
    var policy = AtomChangePolicy()
    policy.allow(.addition(), at: ["trak"], in: .track(3))
    policy.allow(.removal(), at: ["trak"], in: .track(1))
    let old = atom("moov") { track(1, []) + track(2, []) }
    try expectAccepted(policy, old, atom("moov") { track(2, []) + track(3, []) })
    try expectRefusal(policy, old, atom("moov") { track(1, []) + track(3, []) }, "it was lost")
    try expectRefusal(policy, old, atom("moov") { track(2, []) + track(4, []) }, "a trak was added")
    try expectRefusal(policy, old, atom("moov") { track(2, []) + track(1, []) }, "a different order")
  }

  @Test func allowsOnlySelfContainedReferences() throws {
    func movie(_ entries: [DataReference.Entry], _ tail: [UInt8] = []) -> [UInt8] {
      atom("moov") {
        atom("trak") {
          trackHeader(1)
          atom("mdia") {
            atom("minf") {
              atom("dinf") {
                DataReference(version: 0, flags: 0, entries: entries, tail: Bytes(tail)).atom("dref")
              }
            }
          }
        }
      }
    }
    let external = DataReference.Entry(type: "url ", flags: 0, data: Bytes(text("file:///a.mov") + [0]))
    let own = DataReference.Entry(type: "alis", flags: 1, data: Bytes(text("alias")))
    let taken = DataReference.Entry(type: "url ", flags: 1)
    let policy = AtomChangePolicy.changes(of: ["dref"], inTrack: 1)
    let old = movie([external, own])
    try expectAccepted(policy, old, movie([taken, own]))
    let reason = "more than the data references changed"
    try expectRefusal(policy, old, movie([taken, .init(type: "alis", flags: 1)]), reason)
    try expectRefusal(policy, old, movie([taken]), reason)
    try expectRefusal(policy, old, movie([taken, own, own]), reason)
    try expectRefusal(policy, old, movie([taken, own], [1]), reason)
    try expectRefusal(.changes(of: ["dref"], inTrack: 2), old, movie([taken, own]), "its bytes changed")
    try expectAccepted(
      .changes(of: ["dref"], inTrack: 1, clearsPaths: true), old, movie([taken, .init(type: "alis", flags: 1)]))
  }

  @Test func allowsOnlyTheFormOfAHandlerToChange() throws {
    func movie(_ component: [UInt8], _ name: [UInt8], _ type: String = "soun", flags: Int = 0) -> [UInt8] {
      let hdlr = atom("hdlr") { u32(0) + component + code(type) + u32(0, flags, 0) + name }
      return atom("moov") {
        atom("trak") {
          trackHeader(1)
          atom("mdia") { hdlr }
        }
      }
    }
    let old = movie(zeros(4), cString("Sound"))
    let new = movie(code("mhlr"), pascalString("Sound"))
    let policy = AtomChangePolicy.changes(of: ["hdlr"], inTrack: 1)
    try expectAccepted(policy, old, new)
    let reason = "its bytes changed"
    try expectRefusal(policy, old, movie(code("mhlr"), pascalString("Sounds")), reason)
    try expectRefusal(policy, old, movie(code("mhlr"), cString("Sound")), reason)
    try expectRefusal(policy, old, movie(code("dhlr"), pascalString("Sound")), reason)
    try expectRefusal(policy, old, movie(code("mhlr"), pascalString("Sound"), "vide"), reason)
    try expectRefusal(policy, old, movie(code("mhlr"), pascalString("Sound"), flags: 1), reason)
    try expectRefusal(policy, new, old, reason)
    try expectRefusal(AtomChangePolicy.changes(of: ["hdlr"], inTrack: 2), old, new, reason)
    try expectRefusal(AtomChangePolicy(), old, new, reason)
  }

  @Test func allowsGroupingOfImportedTracks() throws {
    let policy = AtomChangePolicy.importedTrack(7, into: .iso, timeScales: (600, 600), hasNewAuxiliary: false)
    func check(_ old: [UInt8], _ new: [UInt8], as id: UInt32 = 7) throws {
      try policy.check(.init(tree(old), trackID: id), .init(tree(new), trackID: id))
    }
    let old = labelled(1)
    let new = labelled(7, group: 2, language: "fr", title: "B", references: [])
    try check(old, new)
    #expect(throws: MovieError.self) { try check(old, new, as: 8) }
    #expect(throws: MovieError.self) { try check(old, labelled(7, userData: atom("XXXX") { text("B") })) }
  }

  @Test func keepsFreeSpaceWithDataBesideAList() throws {
    func movie(_ spaces: [UInt8]...) -> [UInt8] {
      let meta = atom("meta") {
        u32(0)
        atom("hdlr") { zeros(24) }
        spaces.flatMap { space in atom("free") { space } }
      }
      return atom("moov") { meta }
    }
    let data = [1] + zeros(39)
    func check(_ old: [UInt8], _ new: [UInt8]) throws {
      let (old, new) = (try tree(old), try tree(new))
      try AtomChangePolicy.space(besideListAt: 20).check(.init(old), .init(new))
      try AtomChangePolicy.checkSpace(besideListAt: 20, from: old, to: new)
    }
    try check(movie(zeros(40), data), movie(data, zeros(16), zeros(8)))
    #expect(throws: MovieError.self) { try check(movie(zeros(40), data), movie(zeros(88))) }
    try expectRefusal(.space(besideListAt: 2000), movie(zeros(40)), movie(zeros(16)), "its bytes changed")
  }

  @Test func allowsOnlyForcedFlagsOfTimedText() throws {
    func list(_ format: String, _ first: UInt8, _ second: UInt8 = 0) -> [UInt8] {
      atom("stsd") { u32(0, 1) + atom(format) { zeros(6) + u16(1) + [first, second] + zeros(40) } }
    }
    func movie(_ list: [UInt8], _ id: UInt32 = 1) -> [UInt8] { atom("moov") { track(id, list) } }
    let policy = AtomChangePolicy.labels(["stsd"], ofTrack: 1)
    let reason = "more than the flags of forced subtitles changed"
    try expectAccepted(policy, movie(list("tx3g", 0)), movie(list("tx3g", 0xC0)))
    try expectRefusal(policy, movie(list("tx3g", 0)), movie(list("tx3g", 0xE0)), reason)
    try expectRefusal(policy, movie(list("tx3g", 0)), movie(list("tx3g", 0xC0, 1)), reason)
    try expectRefusal(policy, movie(list("stpp", 0)), movie(list("stpp", 0xC0)), reason)
    try expectRefusal(
      policy, movie(list("tx3g", 0), 2), movie(list("tx3g", 0xC0), 2), "the bytes before or after its child atoms")
  }

  /// A rule for track 0 of a broken file is none for a track without a readable header.
  @Test func rulesForTrack0DoNotApplyToAnUnreadableTrack() throws {
    func unreadable(_ name: String) -> [UInt8] {
      atom("trak") {
        atom("tkhd") { u32(0) }
        atom("udta") { atom("tagc") { text(name) } }
      }
    }
    func readable(_ name: String) -> [UInt8] {
      atom("trak") {
        trackHeader(0)
        atom("udta") { atom("tagc") { text(name) } }
      }
    }
    var policy = AtomChangePolicy()
    policy.allow(.any(), at: ["trak", "udta", "tagc"], in: .track(0))
    policy.allow(.removal(), at: ["trak"], in: .track(0))
    let (one, other) = (atom("moov") { unreadable("a") }, atom("moov") { unreadable("b") })
    try expectRefusal(policy, one, other, "its bytes changed")
    try expectRefusal(policy, one, atom("moov") {}, "it was lost")
    try expectAccepted(policy, atom("moov") { readable("a") }, atom("moov") { readable("b") })
    try expectAccepted(policy, atom("moov") { readable("a") }, atom("moov") {})
    // An unreadable track does not match a readable track.
    try expectRefusal(policy, atom("moov") { unreadable("a") }, atom("moov") { readable("a") }, "it was lost")
  }

  /// An item that the movie's own metadata may lose stays in a track that cannot be read.
  @Test func rulesForMovieMetadataDoNotApplyToAnUnreadableTrack() throws {
    func movie(_ title: String) -> [UInt8] {
      atom("moov") {
        atom("trak") {
          atom("tkhd") { u32(0) }
          atom("udta") { atom("©nam") { u16(title.utf8.count, 0) + text(title) } }
        }
      }
    }
    let identifier = try #require(MetadataIdentifier("udta/©nam"))
    var edits = MetadataEdits()
    for trackID in [nil, 0] as [UInt32?] {
      let content = try #require(MetadataContent(.text("b"), for: identifier, typeCode: nil, language: nil))
      edits.additions.append(NewMetadataItem(identifier, content, language: nil, trackID: trackID))
    }
    let requested = try RequestedMetadata(edits, to: [], of: Movie(of: TestMovie.talk.source))
    try expectRefusal(.metadata(requested), movie("a"), movie("b"), "its bytes changed")
  }

  /// One `meta` may have thousands of lists of keys, which all name the items of its lists.
  @Test func readsItemsOfManyKeyListsOnce() throws {
    func visits(_ count: Int) throws -> Int {
      let keys = atom("keys") {
        u32(0)
        u32(1)
        atom("mdta") { text("a") }
      }
      let tree = try tree(
        atom("moov") {
          atom("meta") {
            atom("hdlr") { u32(0, 0) + text("mdta") + zeros(14) }
            (0..<count).flatMap { _ in keys }
            atom("ilst") {
              (0..<count).flatMap { _ in atom("\0\0\0\u{1}") { atom("data") { u32(1, 0) + text("x") } } }
            }
          }
        })
      var sharing = SharingPolicy()
      sharing.keptPatterns = ["*"]
      let visited = Mutex(0)
      try ListPass.$didVisit.withValue({ count in visited.withLock { $0 += count } }) {
        try AtomChangePolicy.checkRemovals(sharing, in: tree)
      }
      return visited.withLock { $0 }
    }
    let (few, many) = (try visits(250), try visits(2_000))
    #expect(few > 0 && many < 12 * few, "\(few) visits of 250 lists, \(many) of 2000")
  }
}

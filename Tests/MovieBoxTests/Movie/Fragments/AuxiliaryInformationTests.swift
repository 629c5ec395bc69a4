import MovieBox
import TestSupport
import Testing

/// Auxiliary information and groups of samples in fragments.
@Suite struct AuxiliaryInformationTests {
  private let pictures: [TestSample] = .pictures(4, around: 20, duration: 50)

  private func read(
    _ atoms: [UInt8], base: TestFragment.Base = .movieFragment, runs: Int = 1
  ) throws -> (ReadFragments, TrackFragment, AtomTree) {
    let all = (0..<runs).map { _ in TestFragment.Run(pictures) }
    let part = TestFragment.Track(id: 1, runs: all).with { ($0.atoms, $0.base) = (atoms, base) }
    let read = try ReadFragments(initialMovie.bytes(fragments: [TestFragment([part])]))
    let fragment = read.fragments.fragments[0]
    return (read, try #require(fragment.trackFragments.first), try fragment.tree())
  }

  @Test func keepsTheOrderOfOtherAtoms() throws {
    let atoms = movie {
      fullAtom("sdtp") { u8(0x20, 0x10, 0x10, 0x10) }
      atom("uuid") { zeros(16) }
      fullAtom("senc") { u32(0) }
      atom("what")
    }
    let (_, part, tree) = try read(atoms)
    #expect(part.otherAtoms(in: tree).map { tree[$0].type.description } == ["sdtp", "uuid", "senc", "what"])
  }

  @Test func appliesOnePositionToAllRuns() throws {
    let atoms = movie {
      fullAtom("saiz", flags: 1) {
        code("cenc")
        u32(0)
        u8(0)
        u32(8)
        u8(8, 8, 16, 8, 8, 8, 8, 0)
      }
      fullAtom("saio", flags: 1) {
        code("cenc")
        u32(0)
        u32(1, 400)
      }
    }
    for base in [TestFragment.Base.movieFragment, .absolute, .implied] {
      let (_, part, tree) = try read(atoms, base: base, runs: 2)
      let information = try #require(try part.auxiliaryInformation(in: tree).first)
      #expect(information.kind?.type == "cenc")
      #expect(information.ranges == [ByteRange(offset: try #require(part.baseOffset) + 400, count: 64)])
      #expect(tree[information.sizesAtom].type == "saiz")
      #expect(tree[information.offsetsAtom].type == "saio")
      #expect((part.baseOffset == tree.offset) == (base != .absolute))
    }
  }

  @Test func assignsSeveralPositionsToRuns() throws {
    let (_, part, tree) = try read(
      movie {
        fullAtom("saiz") {
          u8(10)
          u32(6)
        }
        fullAtom("saio", version: 1) {
          u32(2)
          u64(100, 900)
        }
      }, runs: 2)
    let information = try #require(try part.auxiliaryInformation(in: tree).first)
    // The last two samples have no information.
    #expect(
      information.ranges == [
        ByteRange(offset: tree.offset + 100, count: 40), ByteRange(offset: tree.offset + 900, count: 20),
      ])
  }

  @Test func separatesKindsOfInformation() throws {
    let (_, part, tree) = try read(
      movie {
        fullAtom("saiz", flags: 1) {
          code("aaaa")
          u32(1)
          u8(1)
          u32(4)
        }
        fullAtom("saiz") {
          u8(2)
          u32(4)
        }
        fullAtom("saio") { u32(1, 10) }
        fullAtom("saio", flags: 1) {
          code("aaaa")
          u32(1, 1, 20)
        }
      })
    let all = try part.auxiliaryInformation(in: tree)
    #expect(all.map(\.kind?.type) == ["aaaa", nil])
    #expect(
      all.map(\.ranges) == [
        [ByteRange(tree.offset + 20..<tree.offset + 24)], [ByteRange(tree.offset + 10..<tree.offset + 18)],
      ])
  }

  @Test func rejectsInformationThatDoesNotFit() throws {
    func error(_ atoms: [UInt8], runs: Int = 1) throws -> MovieError? {
      let (_, part, tree) = try read(atoms, runs: runs)
      return movieError { _ = try part.auxiliaryInformation(in: tree) }
    }
    func saiz(_ count: Int) -> [UInt8] {
      fullAtom("saiz") {
        u8(2)
        u32(count)
      }
    }
    #expect(try error(saiz(4))?.path == "moof/traf/saiz")
    #expect(try error(saiz(4) + fullAtom("saio") { u32(1, 0) }) == nil)
    #expect(try error(saiz(5) + fullAtom("saio") { u32(1, 0) })?.path == "moof/traf/saiz")
    #expect(try error(saiz(4) + fullAtom("saio") { u32(0) })?.path == "moof/traf/saio")
    #expect(try error(saiz(4) + fullAtom("saio") { u32(2, 0, 0) })?.path == "moof/traf/saio")
    #expect(try error(saiz(8) + fullAtom("saio") { u32(2, 0, 0) }, runs: 2) == nil)
    let far = fullAtom("saio", version: 1) {
      u32(1)
      u64(.max)
    }
    #expect(try error(saiz(4) + far)?.path == "moof/traf/saio")
  }

  @Test func findsGroupDescriptionsOfTheFragment() throws {
    func sgpd(_ type: String, _ content: [UInt8]) -> [UInt8] {
      fullAtom("sgpd", version: 1) {
        code(type)
        u32(content.count, 1)
        content
      }
    }
    let (_, part, tree) = try read(
      movie {
        fullAtom("sbgp") {
          code("seig")
          u32(2, 3, 0x10001, 1, 1)
        }
        fullAtom("sbgp") {
          code("rap ")
          u32(1, 4, 1)
        }
        sgpd("roll", u16(-1))
        sgpd("seig", [1, 2, 3])
      })
    let groups = try part.sampleGroups(in: tree)
    #expect(groups.map(\.groupingType) == ["seig", "rap ", "roll"])
    #expect(groups[0].assignments?.map(\.fragmentDescriptionIndex) == [0, nil])
    #expect(groups[0].assignments?.map(\.descriptionIndex) == [0x1_0001, 1])
    #expect(groups[0].descriptions?.entries == [Bytes([1, 2, 3])])
    #expect(groups[1].descriptions == nil)
    #expect(groups[2].assignments == nil)
    #expect(groups[2].descriptionsAtom.map { tree[$0].type } == "sgpd")
  }

  /// In all fragments of the corpus, the positions refer to `senc` of the same track, or to PIFF's `uuid`.
  @Test func locatesInformationInRealFragments() throws {
    let corpus = try Corpus.require()
    var rangeCount = 0
    var groupCount = 0
    for entry in corpus.movies where entry.features.contains("moof") && !entry.features.contains("no_moov") {
      let source = try FileSource(path: entry.path)
      for fragment in try Movie(of: source).readFragments(of: source).fragments {
        let tree = try fragment.tree()
        for part in fragment.trackFragments {
          let origins = part.otherAtoms(in: tree).filter { ["senc", "uuid"].contains(tree[$0].type) }.map(
            tree.range(of:))
          for information in try part.auxiliaryInformation(in: tree) {
            for range in information.ranges {
              #expect(origins.contains { $0.contains(range) && $0.end == range.end }, "\(entry.name) \(range)")
              rangeCount += 1
            }
          }
          for group in try part.sampleGroups(in: tree) {
            let own = group.descriptions?.entries?.count ?? 0
            let used = group.assignments?.compactMap(\.fragmentDescriptionIndex).max() ?? -1
            #expect(used < own, "\(entry.name) \(group.groupingType)")
            groupCount += 1
          }
        }
      }
    }
    #expect(rangeCount > 20 && groupCount > 20, "\(rangeCount) ranges, \(groupCount) groups")
  }

  @Test func rejectsTwoSizeTablesWithOnePositionTable() throws {
    let sizes = fullAtom("saiz") {
      u8(2)
      u32(4)
    }
    let offsets = fullAtom("saio") { u32(1, 10) }
    let (_, part, tree) = try read(sizes + offsets + sizes)
    #expect(movieError { _ = try part.auxiliaryInformation(in: tree) }?.path == "moof/traf/saiz[2]")
  }
}

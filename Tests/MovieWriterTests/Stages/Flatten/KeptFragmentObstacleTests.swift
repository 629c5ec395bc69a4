import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// The layouts in which fragments can be kept or cannot, and the checker's findings about them.
struct KeptFragmentObstacleTests {
  private static let pictures: [TestSample] = .pictures(6, around: 20, duration: 50)
  private static let sound: [TestSample] = .varied(8, around: 9, duration: 30)

  private static let fragment = TestFragment([
    .init(id: 1, runs: [.init(pictures), .init(pictures)]), .init(id: 2, runs: [.init(sound)]),
  ])

  /// `ftyp` and the header after it.
  private static let parts: (type: [UInt8], header: [UInt8]) = {
    let header = Flattened.header.bytes(fragments: [])
    return (Array(header[..<Int(header[3])]), Array(header[Int(header[3])...]))
  }()

  private func edited(_ bytes: [UInt8]) throws -> FragmentedMovieTrial {
    try FragmentedMovieTrial(bytes) { try $0.setTitle("A title that is long", of: 2) }
  }

  private func expectKept(_ bytes: [UInt8]) throws {
    let trial = try edited(bytes)
    #expect(!trial.edit.flattens)
    let allowed = AllowedChanges().with {
      $0.addedAtoms = ["moov/trak#2/udta", "moov/trak#2/udta/name", "moov/trak#2/udta/tnam", "moov/trak#2/udta/titl"]
    }
    #expect(try differences(old: bytes, new: trial.new, allowing: allowed) == [])
  }

  private func expectGone(_ bytes: [UInt8], _ reason: String) throws {
    let trial = try edited(bytes)
    #expect(trial.edit.flattens)
    #expect(
      trial.edit.notices.map(\.message).contains(
        "the fragments could not be kept, although no samples are added: " + reason))
    #expect(try !Movie(of: MemorySource(Bytes(trial.new))).isFragmented)
  }

  @Test func keepsFragmentsBeforeTheMovieAtom() throws {
    let (type, header) = Self.parts
    let before = Self.fragment.bytes(at: UInt64(type.count))
    try expectKept(type + before + header)
    let start = UInt64(type.count + before.count + header.count)
    try expectKept(type + before + header + Self.fragment.bytes(at: start))
  }

  @Test func movesFragmentsAfterALeadingMovieAtom() throws {
    let (type, header) = Self.parts
    let bytes = type + Self.fragment.bytes(at: UInt64(type.count)) + header
    let fast = OutputLayout(isFastStart: true)
    let trial = try FragmentedMovieTrial(bytes, fast) { try $0.setTitle("A title that is long", of: 2) }
    #expect(try !Movie(of: MemorySource(Bytes(trial.new))).isFragmented)
    #expect(
      trial.edit.notices(for: fast).contains { $0.message.hasSuffix(": fast start was requested") })
  }

  @Test func removesFragmentsForASegmentIndexBeforeTheMovieAtom() throws {
    let (type, header) = Self.parts
    let size = Self.fragment.bytes(at: 0).count
    func sidx(_ distance: Int) -> [UInt8] {
      fullAtom("sidx") { u32(1, 600, 0, distance) + u16(0, 1) + u32(size, 300, 0) }
    }
    let start = UInt64(type.count + sidx(0).count + header.count)
    try expectGone(
      type + sidx(header.count) + header + Self.fragment.bytes(at: start),
      "the movie atom may be between the segment index (sidx) and its segments")
    try expectKept(type + header + sidx(0) + Self.fragment.bytes(at: start))
  }

  @Test func removesFragmentsForExternalSamples() throws {
    let header = Flattened.header.with { $0.tracks[1].externalOffsets = [] }
    let start = header.bytes(fragments: []).count
    try expectGone(
      header.bytes(fragments: [Self.fragment]),
      "the fragment at byte \(start) has samples in another file or of an unknown track")
  }

  @Test func removesFragmentsForACutOffFragment() throws {
    let bytes = Flattened.header.bytes(fragments: [Self.fragment, Self.fragment])
    let last = try #require(SecondReader(bytes).topLevel.last { $0.type == "moof" })
    try expectGone(
      Array(bytes[..<Int(last.end - 1)]), "the fragment at byte \(last.offset) is cut off")
  }

  // MARK: - The checker

  /// With an absolute base, all fragments are rewritten.
  @Test(arguments: [TestFragment.Base.movieFragment, .absolute])
  func detectsAChangedFragment(base: TestFragment.Base) throws {
    var fragment = Self.fragment
    for index in fragment.tracks.indices { fragment.tracks[index].base = base }
    fragment.atoms = atom("free") { zeros(4) }
    let trial = try edited(Flattened.header.bytes(fragments: [fragment, fragment]))
    for moof in try trial.atoms("moof").new {
      let children = moof.children.map { child in Int(child.offset - moof.offset)..<Int(child.end - moof.offset) }
      let trun = try #require(moof.children[1].child("trun"))
      let entry = Int(trun.offset - moof.offset) + 20
      func expectRefused(_ what: Comment, _ spoil: (inout [UInt8]) throws -> Void) throws {
        #expect(try trial.isRefused(moof, spoil), what)
      }
      #expect(try !trial.isRefused(moof) { _ in })
      try expectRefused("the numbers of a sample changed") { $0.replaceSubrange(entry..<entry + 8, with: u32(49, 21)) }
      try expectRefused("two parts changed places") {
        $0.replaceSubrange(children[1].lowerBound..<children[2].upperBound, with: $0[children[2]] + $0[children[1]])
      }
      try expectRefused("a part became something else") {
        $0.replaceSubrange(children[2].lowerBound + 4..<children[2].lowerBound + 8, with: code("free"))
      }
      try expectRefused("the number of the fragment changed") {
        $0.replaceSubrange(children[0], with: fullAtom("mfhd") { u32(77) })
      }
      try expectRefused("an atom was added") {
        $0.resize(by: 8)
        $0 += atom("free")
      }
      try expectRefused("an atom is lost") {
        $0.resize(by: -children[3].count)
        $0.removeSubrange(children[3])
      }
      try expectRefused("a part is lost, with its bytes as free space") {
        $0.resize(by: -children[2].count)
        let part = $0[children[2]]
        $0.removeSubrange(children[2])
        $0 += part[..<(part.startIndex + 4)] + code("free") + part[(part.startIndex + 8)...]
      }
    }
  }

  @Test func detectsSwappedFragments() throws {
    let trial = try edited(Flattened.header.bytes(fragments: [Self.fragment, Self.fragment]))
    let atoms = try SecondReader(trial.new).topLevel.suffix(4)
    let (first, last) = (try #require(atoms.first), try #require(atoms.last))
    let halves = [Array(atoms.prefix(2)), Array(atoms.suffix(2))].map { $0.flatMap { trial.bytes(of: $0) } }
    #expect(try trial.isRefused(first.offset..<last.end, as: halves[1] + halves[0]))
    #expect(try trial.isRefused(first.offset..<last.end, as: halves[0]))
  }
}

/// Compares what the fragments of two fragmented movies say of a track's samples beside times, sizes and places:
/// groups, dependencies, subsamples, encryption.
struct FragmentComparison {
  /// Whether the samples are cut into fragments in the same way; else nothing is compared.
  private(set) var isComparable = true
  /// Whether there is something to compare.
  private(set) var hasContents = false
  /// The first atom that differs, in the old and in the new movie.
  private(set) var first: (old: Contents.Place?, new: Contents.Place?)?
  /// How many do.
  private(set) var count = 0

  /// What is compared by samples, or says where something lies.
  fileprivate static let leftOut: Set<FourCC> = ["tfhd", "tfdt", "trun", "saio"]

  init(_ old: Contents, _ new: Contents, trackID: UInt32) {
    let before = old.parts[trackID] ?? []
    let after = new.parts[trackID] ?? []
    hasContents = !(before + after).allSatisfy(\.atoms.isEmpty)
    guard before.map(\.samples) == after.map(\.samples) else {
      isComparable = false
      return
    }
    for (left, right) in zip(before, after) {
      for index in 0..<Swift.max(left.atoms.count, right.atoms.count) {
        let one = left.atoms.indices.contains(index) ? left.atoms[index] : nil
        let other = right.atoms.indices.contains(index) ? right.atoms[index] : nil
        guard one?.bytes != other?.bytes else { continue }
        count += 1
        if first == nil { first = (one?.place, other?.place) }
      }
    }
  }

  /// A track fragment.
  fileprivate struct Part {
    let samples: Range<Int>
    let atoms: [(bytes: Bytes, place: Contents.Place)]
  }

  /// The track fragments of a movie by track: each fragment is read once, however many tracks are compared.
  struct Contents {
    /// The position of a fragment in the movie, and of an atom in the fragment's tree.
    typealias Place = (fragment: Int, atom: Int)

    fileprivate private(set) var parts: [UInt32: [Part]] = [:]
    private let fragments: MovieFragments
    /// The trees of the fragments that ``place(_:)`` was asked for.
    private var trees: [Int: AtomTree] = [:]

    init(_ fragments: MovieFragments) throws(MovieError) {
      self.fragments = fragments
      for fragment in fragments.fragments {
        let tree = try fragment.tree()
        for part in fragment.trackFragments {
          guard let track = fragments.track(part.trackID) else { continue }
          let runs = track.runs[part.runs]
          guard let first = runs.first, let last = runs.last else { continue }
          let atoms = tree.children(of: part.atom).filter { !FragmentComparison.leftOut.contains(tree[$0].type) }
            .map { (tree.bytes(of: $0), (fragment.index, $0)) }
          parts[part.trackID, default: []].append(
            Part(samples: first.firstSample..<last.samples.upperBound, atoms: atoms))
        }
      }
    }

    /// Returns the path and the bytes of an atom. Reads the atom's fragment again, once for all its atoms.
    mutating func place(_ place: Place?) throws(MovieError) -> MovieDifference.Place? {
      guard let place else { return nil }
      if let tree = trees[place.fragment] { return tree.place(of: place.atom) }
      let tree = try fragments.fragments[place.fragment].tree()
      trees[place.fragment] = tree
      return tree.place(of: place.atom)
    }
  }
}

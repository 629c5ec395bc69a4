/// Compares what the fragments of two fragmented movies say of a track's samples beside times, sizes and places:
/// groups, dependencies, subsamples, encryption.
struct FragmentComparison {
  /// Whether the samples are cut into fragments in the same way; else nothing is compared.
  private(set) var isComparable = true
  /// Whether there is something to compare.
  private(set) var hasContents = false
  /// The first atom that differs, in the old and in the new movie.
  private(set) var first: (old: MovieDifference.Place?, new: MovieDifference.Place?)?
  /// How many do.
  private(set) var count = 0

  /// What is compared by samples, or says where something lies.
  private static let leftOut: Set<FourCC> = ["tfhd", "tfdt", "trun", "saio"]

  init(_ old: MovieFragments, _ new: MovieFragments, trackID: UInt32) throws(MovieError) {
    let before = try Self.contents(old, trackID)
    let after = try Self.contents(new, trackID)
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

  private struct Part {
    let samples: Range<Int>
    let atoms: [(bytes: Bytes, place: MovieDifference.Place)]
  }

  /// The track fragments of a track.
  private static func contents(_ fragments: MovieFragments, _ trackID: UInt32) throws(MovieError) -> [Part] {
    guard let track = fragments.track(trackID) else { return [] }
    var parts: [Part] = []
    for fragment in fragments.fragments {
      guard fragment.trackFragments.contains(where: { $0.trackID == trackID }) else { continue }
      let tree = try fragment.tree()
      for part in fragment.trackFragments where part.trackID == trackID {
        let runs = track.runs[part.runs]
        guard let first = runs.first, let last = runs.last else { continue }
        let atoms = tree.children(of: part.atom).filter { !leftOut.contains(tree[$0].type) }.map { index in
          (tree.bytes(of: index), tree.place(of: index))
        }
        parts.append(Part(samples: first.firstSample..<last.samples.upperBound, atoms: atoms))
      }
    }
    return parts
  }
}

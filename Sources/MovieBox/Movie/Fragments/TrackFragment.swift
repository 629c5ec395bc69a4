/// What one fragment holds of one track: the `traf` atom (ISO/IEC 14496-12 8.8.6).
package struct TrackFragment: Sendable {
  /// The index of the `traf` atom in the tree of its fragment.
  package let atom: Int
  /// The track, and what the fragment says of its samples.
  package let header: TrackFragmentHeader
  /// What holds where a run does not say otherwise.
  package let defaults: SampleDefaults
  /// Where offsets of data count from, in bytes from the start of the file; `nil` when that would not fit in 64 bits,
  /// which only a broken file asks for.
  package let baseOffset: UInt64?
  /// The fragment's runs among ``FragmentedTrack/runs``; empty where the movie does not have the track.
  package let runs: Range<Int>

  /// The number of its samples that are in the file, or `nil` if all are: the end of the file may cut off the rest.
  package let keptSampleCount: Int?

  /// The track's ID.
  package var trackID: UInt32 { header.trackID }

  /// The indices in `tree`, that of the fragment, of the atoms that say more of the samples than where they lie and
  /// when they are decoded: `sbgp`, `sgpd`, `saiz`, `saio`, `senc`, `subs`, `sdtp`, `uuid`, whatever else there is.
  package func otherAtoms(in tree: AtomTree) -> [Int] {
    tree.children(of: atom).filter { !Self.known.contains(tree[$0].type) }
  }

  private static let known: Set<FourCC> = ["tfhd", "tfdt", "trun"]
}

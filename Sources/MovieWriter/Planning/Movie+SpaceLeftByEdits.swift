package import MovieBox

extension Movie {
  /// No more atoms of free space are looked at: real files have a handful.
  private static var largestExaminedSpaceCount: Int { 64 }

  /// The numbers of the top-level atoms of free space that are zeros in a new file: an edit in place left them, mostly as
  /// old movie atoms, and these may say what was taken out since.
  ///
  /// What the movie names stays, and all that is in a movie in fragments, whose samples may lie anywhere.
  package func spaceLeftByEdits(in source: some RandomAccessSource) throws -> Set<Int> {
    guard !isFragmented else { return [] }
    var named = NamedPlaces(of: self, in: source)
    let spaces = layout.atoms.indices.lazy.filter { layout.atoms[$0].isFreeSpace }
    var found: Set<Int> = []
    for index in spaces.prefix(Self.largestExaminedSpaceCount) {
      let atom = layout.atoms[index]
      guard try atom.isSpaceLeftByEdit(in: source), !tracks.contains(where: { $0.hasSamples(in: atom.range) }),
        !named.mayHoldReferencedBytes(in: atom.range)
      else { continue }
      found.insert(index)
    }
    return found
  }
}

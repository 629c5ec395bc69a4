import MovieBox

// Descriptions of samples of a shared movie, which lose names: what is left of them is compared with the chunks.
extension EditedMovieComparison {
  /// Whether an atom of the old movie is the name in a description of time codes, which goes.
  func isReel(_ index: Int, _ side: Side) -> Bool {
    guard old[index].type == "name", let parent = old[index].parent else { return false }
    return side.descriptions[parent] == "tmcd"
  }

  /// Whether an atom of the old movie names the buyer in a description of samples, and goes.
  func isBuyer(_ index: Int, _ side: Side) -> Bool {
    old[index].type == "pinf" && old[index].parent.map { side.descriptions[$0] != nil } == true
  }

  /// Whether an atom lies in a description of samples of a shared movie: what is left of it is looked at with the chunks.
  func isInsideOfDescription(_ index: Int, _ side: Side) -> Bool {
    guard !side.descriptions.isEmpty else { return false }
    var holder = old[index].parent
    while let this = holder {
      if side.descriptions[this] != nil { return true }
      holder = old[this].parent
    }
    return false
  }
}

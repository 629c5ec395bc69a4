import MovieBox
import TestSupport

extension AtomTree {
  /// The tree of one atom at the start of a file.
  init(_ bytes: [UInt8], limits: MovieLimits = MovieLimits()) throws(MovieError) {
    try self.init(Bytes(bytes), at: 0, limits: limits)
  }

  /// Every atom by its path, in the order of the file.
  var paths: [String] { atoms.indices.map { path(of: $0) } }

  /// The bytes put together again from heads, leaves and tails: all of them, when the tree has lost none.
  var reassembled: [UInt8] {
    var written: [UInt8] = []
    var open: [Int] = []
    func close(before index: Int) {
      while let last = open.last, atoms[last].subtreeEnd <= index {
        written += tail(of: last).array
        open.removeLast()
      }
    }
    for index in atoms.indices {
      close(before: index)
      if atoms[index].isContainer {
        written += head(of: index).array
        open.append(index)
      } else {
        written += bytes(of: index).array
      }
    }
    close(before: atoms.count)
    return written
  }
}

/// A movie of one track, as small as one can be.
var smallestMovie: TestMovie {
  TestMovie(tracks: [
    TestTrack(.subtitle, id: 1).with {
      $0.userData = atom("tagc") { text("public.easy-to-read") }
      $0.references = [TestReference("chap", 1)]
    }
  ])
}

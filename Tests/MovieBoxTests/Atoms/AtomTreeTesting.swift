import MovieBox
import TestSupport

extension AtomTree {
  /// Reads the tree of an atom at the start of a file.
  init(_ bytes: [UInt8], limits: MovieLimits = MovieLimits()) throws(MovieError) {
    try self.init(Bytes(bytes), at: 0, limits: limits)
  }

  /// The paths of all atoms, in file order.
  var paths: [String] { atoms.indices.map { path(of: $0) } }

  /// The bytes reassembled from headers, leaves and tails. They equal the original if the tree has lost none.
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

/// The smallest possible movie with one track.
var smallestMovie: TestMovie {
  TestMovie(tracks: [
    TestTrack(.subtitle, id: 1).with {
      $0.userData = atom("tagc") { text("public.easy-to-read") }
      $0.references = [TestReference("chap", 1)]
    }
  ])
}

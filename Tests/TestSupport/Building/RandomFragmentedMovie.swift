/// A random fragmented movie with the expected properties of all its samples.
///
///     var chance = Chance(seed: 7)
///     let movie = RandomFragmentedMovie(&chance)
///     let file = movie.bytes()
package struct RandomFragmentedMovie: Sendable {
  /// The expected properties of a sample.
  package struct Sample: Sendable {
    package var content: [UInt8]
    package var decodeTime: Int64
    package var duration: Int
    package var compositionOffset: Int
    package var isSync: Bool
    package var description: Int
    package var extras = ReadExtras()
  }

  /// The origin of positions in a `traf`, as far as it is known before the layout.
  enum Base {
    case movieFragment, firstRun, implied, fragmentPosition, fileStart
  }

  /// The auxiliary information of samples in a `traf`.
  struct Auxiliary {
    var kind: [UInt8] = []
    var sizes: [Int] = []
    var bytes: [UInt8] = []
    /// The index in ``bytes`` to which each position of `saio` refers.
    var starts: [Int] = []
    /// Whether the bytes are in `senc` of the `traf` instead of an `mdat`.
    var isInFragment = true
    var usesLongOffsets = false
  }

  /// A `traf` without its positions.
  struct Part {
    var track: TestFragment.Track
    var base: Base
    var auxiliary: Auxiliary?
  }

  struct Fragment {
    var parts: [Part] = []
    /// Atoms at the end of `moof`.
    var atoms: [UInt8] = []
  }

  /// Bytes of an `mdat` that stay together.
  enum Block {
    /// Consecutive runs: fragment, part and run.
    case runs([(fragment: Int, part: Int, run: Int)])
    /// The auxiliary information of a part.
    case auxiliary(fragment: Int, part: Int)
    /// Unused bytes.
    case gap(Int)
  }

  /// A top-level item after the header.
  enum Piece {
    case fragment(Int)
    case media([Block], HeaderForm)
    case bytes([UInt8])
  }

  /// `moov` with its own samples and additional atoms.
  package var header: TestMovie
  /// The samples of each track in order, by track ID.
  package internal(set) var samples: [UInt32: [Sample]] = [:]
  /// The number of unknown atoms in fragments, by type.
  package internal(set) var unknownAtoms: [String: Int] = [:]
  /// The `senc` data of all samples of a track without other encryption data.
  package internal(set) var encryption: [UInt32: [UInt8]] = [:]
  var fragments: [Fragment] = []
  var pieces: [Piece] = []

  // MARK: - The file

  /// Returns the file.
  package func bytes() -> [UInt8] {
    let start = header.bytes()
    let places = places(from: start.count)
    var bytes = start
    for piece in pieces {
      switch piece {
      case .bytes(let other): bytes += other
      case .fragment(let index): bytes += moof(index, places)
      case .media(let blocks, let form):
        let media = blocks.flatMap { content($0) }
        bytes += atomHeader(code("mdat"), payloadByteCount: UInt64(media.count), claiming: nil, form) + media
      }
    }
    return bytes
  }

  /// The positions of fragments, runs and auxiliary information.
  private struct Places {
    var fragments: [Int: UInt64] = [:]
    var runs: [[Int]: UInt64] = [:]
    var auxiliary: [[Int]: UInt64] = [:]
  }

  private func places(from start: Int) -> Places {
    var places = Places()
    var position = UInt64(start)
    for piece in pieces {
      switch piece {
      case .bytes(let other): position += UInt64(other.count)
      case .fragment(let index):
        places.fragments[index] = position
        position += UInt64(moof(index, Places()).count)
      case .media(let blocks, let form):
        position += UInt64(atomHeader(code("mdat"), payloadByteCount: 0, claiming: nil, form).count)
        for block in blocks {
          switch block {
          case .runs(let runs):
            for run in runs {
              places.runs[[run.fragment, run.part, run.run]] = position
              position += UInt64(content(.runs([run])).count)
            }
          case .auxiliary(let fragment, let part):
            places.auxiliary[[fragment, part]] = position
            position += UInt64(content(block).count)
          case .gap(let count): position += UInt64(count)
          }
        }
      }
    }
    return places
  }

  private func content(_ block: Block) -> [UInt8] {
    switch block {
    case .runs(let runs):
      runs.flatMap { fragments[$0.fragment].parts[$0.part].track.runs[$0.run].samples.flatMap { $0.content ?? [] } }
    case .auxiliary(let fragment, let part): fragments[fragment].parts[part].auxiliary?.bytes ?? []
    case .gap(let count): [UInt8](repeating: 0xEE, count: count)
    }
  }

  /// Returns the `moof`. Without places, only its size is correct.
  private func moof(_ index: Int, _ places: Places) -> [UInt8] {
    let position = places.fragments[index] ?? 0
    var fragment = TestFragment([])
    fragment.sequenceNumber = index + 1
    fragment.atoms = fragments[index].atoms
    for (number, part) in fragments[index].parts.enumerated() {
      var track = part.track
      for run in track.runs.indices { track.runs[run].position = places.runs[[index, number, run]] ?? 0 }
      switch part.base {
      case .movieFragment: track.base = .movieFragment
      case .firstRun: track.base = .absolute
      case .implied: track.base = .implied
      case .fragmentPosition: track.base = .position(position)
      case .fileStart: track.base = .position(0)
      }
      if let auxiliary = part.auxiliary {
        let base = part.base == .fileStart ? 0 : position
        var start = places.auxiliary[[index, number]] ?? base
        if auxiliary.isInFragment {
          // `senc` is the last atom of the `traf`, so everything before it has a known size.
          track.atoms = part.track.atoms + Self.atoms(auxiliary, from: 0)
          fragment.tracks.append(track)
          let end = position + UInt64(fragment.moof(at: position).count - fragment.atoms.count)
          fragment.tracks.removeLast()
          start = end - UInt64(auxiliary.bytes.count)
        }
        track.atoms = part.track.atoms + Self.atoms(auxiliary, from: Int(start) - Int(base))
      }
      fragment.tracks.append(track)
    }
    return fragment.moof(at: position)
  }

  /// Returns `saiz` and `saio`, and `senc` if it contains the bytes.
  private static func atoms(_ auxiliary: Auxiliary, from start: Int) -> [UInt8] {
    let flags = auxiliary.kind.isEmpty ? 0 : 1
    let isUniform = Set(auxiliary.sizes).count == 1 && auxiliary.sizes[0] > 0
    return movie {
      fullAtom("saiz", flags: flags) {
        auxiliary.kind
        u8(isUniform ? auxiliary.sizes[0] : 0)
        u32(auxiliary.sizes.count)
        if !isUniform { auxiliary.sizes.flatMap { u8($0) } }
      }
      fullAtom("saio", version: auxiliary.usesLongOffsets ? 1 : 0, flags: flags) {
        auxiliary.kind
        u32(auxiliary.starts.count)
        auxiliary.starts.flatMap { auxiliary.usesLongOffsets ? u64(UInt64(start + $0)) : u32(start + $0) }
      }
      if auxiliary.isInFragment {
        fullAtom("senc") {
          u32(auxiliary.sizes.count)
          auxiliary.bytes
        }
      }
    }
  }
}

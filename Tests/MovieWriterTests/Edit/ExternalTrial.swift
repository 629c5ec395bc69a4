import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// A movie whose samples are in other files, those files, and the edit that copies them, all in memory.
struct ExternalTrial {
  let movie: MemorySource
  let files: [String: [UInt8]]
  let source: JoinedSource
  var edit: MovieEdit
  /// The copied files, in the order of the source's parts.
  let taken: [String]

  /// Creates a trial whose files are identified by the URLs of references.
  init(_ movie: TestMovie, _ files: [String: [UInt8]] = TestMovie.mediaFiles) throws {
    self.movie = movie.source
    self.files = files
    var edit = try MovieEdit(of: self.movie)
    let taken = try edit.makeSelfContained { reference in try Self.file(reference, files) }
    source = try JoinedSource([self.movie] + taken.map(\.source))
    self.taken = taken.map(\.name)
    self.edit = edit
  }

  static func file(_ reference: ExternalReference, _ files: [String: [UInt8]]) throws -> ExternalFile {
    guard case .inMovieFolder(let names) = reference.entry.location, let bytes = files[names.joined(separator: "/")]
    else { throw TestSupportError("\(reference.entry.location) is not followed") }
    return ExternalFile(name: names.joined(separator: "/"), source: MemorySource(Bytes(bytes)))
  }

  /// Returns the edited movie as a new file.
  func remuxed(_ layout: OutputLayout = OutputLayout()) throws -> [UInt8] {
    try edit.outputPlan(of: source, layout).rendered(from: source)
  }

  /// Returns the movie edited in place.
  func appended(_ position: InPlacePlan.Position = .keepingFastStart) throws -> [UInt8] {
    try edit.inPlacePlan(of: source, position).rendered().rendered(from: source)
  }

  /// The changes allowed for an edited movie.
  var allowed: AllowedChanges {
    AllowedChanges().with {
      for track in edit.movie.tracks {
        for (index, entry) in track.sampleDescriptions.entries.enumerated() {
          let reference = track.dataReferences?.entries[Int(entry.dataReferenceIndex) - 1]
          guard case .inMovieFolder(let names)? = reference?.location, let bytes = files[names.joined(separator: "/")]
          else { continue }
          $0.takenIn[track.id, default: [:]][UInt32(index + 1)] = ByteStore(bytes)
        }
      }
      $0.mediaDataRearranged = true
    }
  }

  /// Checks that a movie contains all samples itself, and that nothing else changed.
  func check(
    _ new: [UInt8], allowing change: (inout AllowedChanges) -> Void = { _ in },
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let reader = try SecondReader(new)
    let found = try differences(
      old: SecondReader(movie.bytes.array), new: reader, allowing: allowed.with { change(&$0) })
    #expect(found.isEmpty, sourceLocation: location)
    #expect(reader.tracks.allSatisfy { $0.samples.allSatisfy { !$0.isExternal } }, sourceLocation: location)
    #expect(try MovieEdit(of: MemorySource(Bytes(new))).externalReferences.isEmpty, sourceLocation: location)
  }
}

extension TestMovie {
  /// A reference movie as QuickTime Player saves it: video in one file, audio in that and another, by `url ` and `alis`,
  /// without media of its own.
  static let referring = TestMovie(tracks: [
    TestTrack(.video, id: 1).with {
      $0.dataReferences = [urlReference("media%20one.mov")]
      $0.externalOffsets = [100, 400, 1000, 1300, 1700, 2100]
    },
    TestTrack(.sound, id: 2).with {
      $0.dataReferences = [
        aliasReference("media one.mov", levels: (1, 1)),
        aliasReference("two.wav", levels: (1, 2), path: "D:a:b:two.wav"),
      ]
      $0.sampleEntries = [
        SampleEntry.sound("mp4a", rate: 8000), SampleEntry.sound("mp4a", rate: 8000, dataReference: 2),
      ]
      $0.externalOffsets = [2500, 2700, 40, 300]
      $0.descriptionOfChunk = [1, 1, 2, 2]
    },
  ]).with { $0.layout = [.fileType, .movie(.ordinary)] }

  /// ``referring`` with media of its own: the first half of the audio is internal, and the video uses one chunk twice.
  static let mixed = referring.with {
    $0.layout = .movieLast
    $0.tracks[0].externalOffsets = [100, 400, 1000, 100, 1700, 2100]
    $0.tracks[1].externalOffsets = nil
    $0.tracks[1].dataReferences = [fullAtom("url ", flags: 1), urlReference("b/two.wav")]
    $0.tracks[1].externalChunks = [2: 40, 3: 300]
  }

  /// The files to which ``referring`` and ``mixed`` refer.
  static let mediaFiles = [
    "media one.mov": TestSample.pattern(track: 91, number: 1, byteCount: 3000),
    "b/two.wav": TestSample.pattern(track: 92, number: 1, byteCount: 500),
  ]
}

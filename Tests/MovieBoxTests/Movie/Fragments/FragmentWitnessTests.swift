import MovieBox
import TestSupport
import Testing

/// ffprobe reads the same packets from fragmented movies as we do.
///
/// Decode and presentation times are compared after applying the edit list, as ffprobe does: it subtracts the media time
/// of the first edit. Known differences are listed by file, with reasons.
@Suite struct FragmentWitnessTests {
  /// A known difference of ffprobe, with the reason.
  private struct Exception {
    enum Difference {
      /// All durations differ.
      case durations
      /// The duration of the last packet differs.
      case lastDuration
      /// The sample sizes in tracks of this format differ.
      case sizes(FourCC)
      /// Only this number of packets is listed, by stream index.
      case packets([Int: Int])
      /// The last packet is smaller.
      case lastSize
      /// The sync samples differ.
      case syncSamples
    }

    let reason: String
    let differences: [Difference]
  }

  private static let exceptions: [String: Exception] = [
    "media3-sample-eac3-fragmented.mp4": Exception(
      reason: "ffprobe takes durations from the codec's parser, which counts blocks of 256", differences: [.durations]),
    "media3-fragmented-captions.mp4": Exception(
      reason: "ffprobe gives a mean of the durations; its own decode times are as far apart as the fragments say",
      differences: [.durations]),
    "media3-emsg-sample-audio.mp4": Exception(
      reason: "ffprobe gives the last frame of AAC, which is shorter, the codec's duration",
      differences: [.lastDuration]),
    "media3-sample-fragmented-sgpd-v2.mp4": Exception(
      reason: "pictures without composition offsets: ffprobe reckons durations from a frame rate it cannot decode",
      differences: [.durations]),
    "mp4ff-complseg-1-0001.mp4": Exception(
      reason: "ffprobe reckons durations from a frame rate, which is off by a tick", differences: [.durations]),
    "mp4ff-bbb5s-aac.isma": Exception(
      reason: "ffprobe reckons the durations of AAC from a frame of 1024, which is off by a tick",
      differences: [.durations]),
    "mp4ff-audio-dec.mp4": Exception(
      reason: "ffprobe reckons the durations of WMA from a block size", differences: [.durations]),
    "mp4ff-wma-piff-scheme-audio.mp4": Exception(
      reason: "ffprobe reckons the durations of WMA from a block size", differences: [.durations]),
    "mp4ff-cbcsdec.mp4": Exception(
      reason: "ffprobe unwraps closed captions from their cdat atoms", differences: [.sizes("c608")]),
    "mp4ff-main-1.mp4": Exception(
      reason: "ffprobe unwraps closed captions from their cdat atoms", differences: [.sizes("c608")]),
    "mp4ff-testdata-cbcs.mp4": Exception(
      reason: "ffprobe gives up in the second fragment: it counts its encryption information otherwise",
      differences: [.sizes("c608"), .packets([0: 91, 1: 4])]),
    "made-fragmented.mp4": Exception(
      reason: "ffprobe gives the last frame of AAC, which is shorter, the codec's duration",
      differences: [.lastDuration]),
    "media3-sample-fragmented-uuid.mp4": Exception(
      reason: "the pictures are broken, and ffprobe's parser clears the key flag of the first",
      differences: [.syncSamples]
    ),
  ]

  @Test func agreesWithFFprobeOnTheCorpus() throws {
    let corpus = try Corpus.require()
    let ffprobe = try Witness.require("ffprobe")
    var lines: [String] = []
    var refused = 0
    for path in corpus.movies.map(\.path) + corpus.broken {
      let source = try FileSource(path: path)
      do {
        let movie = try Movie(of: source)
        // Of cut-off files, ffprobe also reads the incomplete sample.
        guard try movie.missingSamples(readingFragmentsOf: source).isEmpty else { continue }
        if movie.isFragmented { lines += try compare(movie, source, path, ffprobe) }
      } catch let error as MovieError where error.code != .sourceChanged {
        // Segments without a header, images and damaged movies are rejected with a reason.
        refused += 1
      }
    }
    print("\(refused) files are not movies that can be read")
    print("Fragmented movies as ffprobe reads them:\n" + lines.joined(separator: "\n"))
    #expect(lines.count > 30)
  }

  @Test func agreesWithFFprobeOnAMovieWithSamplesInBothPlaces() throws {
    let ffprobe = try Witness.require("ffprobe")
    let movie = TestMovie.playable.with { $0.layout = .movieFirst }
    let pictures = Array(movie.tracks[0].samples[..<4])
    func part(_ base: TestFragment.Base, _ time: UInt64?) -> TestFragment {
      TestFragment([
        .init(id: 1, decodeTime: time, runs: [.init(pictures), .init(pictures).with { $0.gap = 5 }]).with {
          $0.base = base
        },
        .init(id: 2, runs: [.init(Array(movie.tracks[1].samples[..<100]), fields: [])]).with {
          ($0.base, $0.duration, $0.size) = (base, 1, 2)
        },
      ])
    }
    let folder = try TemporaryFolder()
    let path = try folder.write(
      movie.bytes(fragments: [part(.implied, nil), part(.movieFragment, 3000), part(.absolute, nil)]), as: "hybrid.mov")
    let source = try FileSource(path: path)
    let read = try Movie(of: source)
    let lines = try compare(read, source, path, ffprobe, streams: [0])
    #expect(lines.count == 1)
    // ffprobe joins samples of uncompressed audio, so their bytes must be contiguous.
    let sound = try packets(path, ffprobe).filter { $0.stream == 1 && $0.position ?? 0 > read.movieAtom.range.offset }
    let own = try #require(try read.readFragments(of: source).track(2))
    let starts = Set(own.samples.compactMap { $0.byteRange?.offset })
    #expect(sound.allSatisfy { $0.position.map(starts.contains) ?? false })
    #expect(sound.reduce(0) { $0 + ($1.size ?? 0) } == UInt64(2 * own.sampleCount))
  }

  // MARK: - Comparing

  private struct Packet {
    let stream: Int
    let presentationTime: Int64?
    let decodeTime: Int64?
    let duration: UInt32?
    let size: UInt64?
    let position: UInt64?
    let isSync: Bool
  }

  private func packets(_ path: String, _ ffprobe: Witness) throws -> [Packet] {
    let result = try ffprobe.run([
      "-v", "quiet", "-show_packets", "-show_entries", "packet=stream_index,pts,dts,duration,size,pos,flags", "-of",
      "csv=p=0", path,
    ])
    return result.outputText.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      guard cells.count >= 7, let stream = Int(cells[0]) else { return nil }
      return Packet(
        stream: stream, presentationTime: Int64(cells[1]), decodeTime: Int64(cells[2]), duration: UInt32(cells[3]),
        size: UInt64(cells[4]), position: UInt64(cells[5]), isSync: cells[6].contains("K"))
    }
  }

  /// Compares all streams, or some, and returns a line for each comparison.
  private func compare(
    _ movie: Movie, _ source: FileSource, _ path: String, _ ffprobe: Witness, streams: Set<Int>? = nil
  ) throws -> [String] {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let fragments = try movie.readFragments(of: source)
    let packets = Dictionary(grouping: try packets(path, ffprobe), by: \.stream)
    let exception = Self.exceptions[name]
    var lines: [String] = []
    for (stream, track) in movie.tracks.enumerated() where streams?.contains(stream) ?? true {
      let samples = Array(try #require(fragments.track(track.id)).samples)
      let theirs = packets[stream] ?? []
      compareTrack(samples, theirs, track, stream, "\(name) stream \(stream)", exception?.differences ?? [])
      let reason = exception.map { ": " + $0.reason } ?? ""
      lines.append("\(name)\t\(track.mediaType.rawValue)\t\(samples.count)\t\(theirs.count)\(reason)")
    }
    return lines
  }

  private func compareTrack(
    _ samples: [Sample], _ packets: [Packet], _ track: Track, _ stream: Int, _ name: String,
    _ differences: [Exception.Difference]
  ) {
    var expected = samples.count
    var comparesSizes = true
    var comparesLastSize = true
    var comparesDurations = true
    var comparesLastDuration = true
    // ffprobe marks every packet of audio, text and data.
    var comparesSync = track.mediaType == .video
    for difference in differences {
      switch difference {
      case .durations: comparesDurations = false
      case .lastDuration: comparesLastDuration = false
      case .sizes(let format): comparesSizes = comparesSizes && !track.formats.contains(format)
      case .packets(let counts): expected = counts[stream] ?? expected
      case .lastSize: comparesLastSize = false
      case .syncSamples: comparesSync = false
      }
    }
    #expect(packets.count == expected, "\(name): packets")
    let shift = track.editList?.entries.first { !$0.isEmptyEdit }?.mediaTime ?? 0
    for (sample, packet) in zip(samples, packets) {
      let place: Comment = "\(name), sample \(sample.index)"
      let isLast = sample.index + 1 == packets.count
      #expect(packet.position == sample.byteRange?.offset, place)
      #expect(packet.decodeTime == Int64(clamping: sample.decodeTime) - shift, place)
      #expect(packet.presentationTime == sample.presentationTime - shift, place)
      if comparesSizes, comparesLastSize || !isLast {
        #expect(packet.size == sample.byteRange?.count, place)
      }
      // ffprobe usually has no duration for packets without composition offsets.
      if comparesDurations, comparesLastDuration || !isLast, let duration = packet.duration {
        #expect(duration == sample.duration, place)
      }
      if comparesSync { #expect(packet.isSync == sample.isSync, place) }
    }
  }
}

import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Fragmented movies from the wild become plain ones with the same samples.
@Suite struct FragmentedCorpusTests {
  /// The movies that are refused, and why.
  private static let refusals: [String: String] = [
    "media3-sample-fragmented-uuid.mp4": "reaches into the header",
    "media3-sample-fragmented-zero-size-atom.mp4": "reaches past the end of the file",
    "mp4parse-opus-audioinit-two-desc.mp4": "reaches into the header",
    "atl-fragmented.mp4": "reaches past the end of the file",
    "mp4ff-stpp-combined-23b53d.mp4": "more than one movie header",
  ]

  /// The movies whose packets ffprobe reads otherwise afterwards, and why.
  private static let exceptions: [String: String] = [
    "mp4ff-testdata-cbcs.mp4": "ffprobe gives up in the second fragment of the old file; the new one has no fragments"
  ]

  private func fragmented() throws -> [(name: String, path: String, movie: Movie)] {
    let corpus = try Corpus.require()
    return (corpus.movies.map(\.path) + corpus.broken).compactMap { path in
      let name = String(path.split(separator: "/").last ?? "")
      do {
        let movie = try Movie(of: FileSource(path: path))
        return movie.layout.first("moof") == nil ? nil : (name, path, movie)
      } catch {
        return nil
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func fragmentedMovieTakesATrackAndKeepsItsSamples() throws {
    let folder = try TemporaryFolder()
    var refused: [String: String] = [:]
    var edited = 0
    for (name, path, movie) in try fragmented() {
      for road in EditRoad.allCases {
        do {
          let result = try road.add(.english, to: path, in: folder, as: "\(edited) \(road.rawValue)")
          #expect(road != .itself || result.obstacle == "the movie is fragmented")
          #expect(result.notes.contains { $0.kind == .defragmented })
          try compare(movie, path, result, "\(name), \(road.rawValue)")
        } catch let error as MovieError {
          refused[name] = error.reason
        }
      }
      edited += 1
    }
    print("\(edited - refused.count) fragmented movies from the wild took a track on every road, but:")
    for (name, reason) in refused.sorted(by: { $0.key < $1.key }) { print("  \(name): \(reason)") }
    #expect(Set(refused.keys) == Set(Self.refusals.keys))
    for (name, reason) in refused { #expect(Self.refusals[name].map(reason.contains) == true, "\(name): \(reason)") }
  }

  /// Holds the samples that we read from the fragments against those that the second reader finds in the tables.
  private func compare(_ movie: Movie, _ path: String, _ result: EditRoad.Result, _ name: String) throws {
    let source = try FileSource(path: path)
    let fragments = try movie.readFragments(of: source)
    let new = try SecondReader(path: result.path)
    #expect(!new.topLevel.contains { ["moof", "sidx", "styp", "mfra"].contains($0.type) }, "\(name)")
    #expect(new.atom("moov/mvex") == nil, "\(name)")
    #expect(new.tracks.map(\.id) == movie.tracks.map(\.id) + [result.trackID], "\(name)")
    for track in fragments.tracks {
      let start = Int64(clamping: track.startTime ?? 0)
      let found = try #require(new.track(track.trackID), "\(name)").samples
      #expect(found.count == track.sampleCount, "\(name)")
      for (sample, other) in zip(track.samples, found) {
        let place: Comment = "\(name), track \(track.trackID), sample \(sample.index)"
        let range = try #require(sample.byteRange, place)
        #expect(other.decodeTime + start == Int64(clamping: sample.decodeTime), place)
        #expect(other.presentationTime + start == sample.presentationTime, place)
        #expect(other.isSync == sample.isSync && other.description == sample.sampleDescriptionIndex, place)
        #expect(try new.bytes(of: other) == source.read(range).array, place)
      }
    }
    let added = try #require(new.tracks.last, "\(name)")
    let longest = movie.tracks.compactMap { new.track($0.id)?.duration }.max() ?? 0
    #expect(added.mediaDuration == longest * 1000 / UInt64(movie.header.timeScale), "\(name)")
  }

  @Test(.timeLimit(.minutes(5))) func ffprobeSeesTheSamePacketsBeforeAndAfter() throws {
    let ffprobe = try Witness.require("ffprobe")
    let folder = try TemporaryFolder()
    var compared = 0
    for (name, path, movie) in try fragmented() where Self.refusals[name] == nil {
      let result = try EditRoad.keptOrder.add(.english, to: path, in: folder, as: name)
      let old = try packets(path, ffprobe, movie)
      let new = try packets(result.path, ffprobe, movie)
      if let reason = Self.exceptions[name] {
        print("  \(name): \(reason)")
        for (stream, rows) in old { #expect(new[stream]?.prefix(rows.count) == rows[...], "\(name)") }
      } else {
        #expect(old == new, "\(name)")
      }
      compared += 1
    }
    #expect(compared > 20)
  }

  /// Times, sizes and hashes of all packets of the old tracks by stream; the key flag of pictures. ffprobe marks every
  /// packet of sound in fragments, and knows no durations there of what has no composition offsets.
  private func packets(_ path: String, _ ffprobe: Witness, _ movie: Movie) throws -> [Int: [String]] {
    let result = try ffprobe.run([
      "-v", "quiet", "-advanced_editlist", "0", "-show_packets", "-show_data_hash", "md5", "-show_entries",
      "packet=stream_index,pts,dts,size,flags,data_hash", "-of", "compact=p=0", path,
    ])
    // What ffprobe says of data beside a packet, `side_data_type`, takes lines of its own.
    var rows: [[Substring: Substring]] = []
    for line in result.outputText.split(separator: "\n") {
      if line.hasPrefix("stream_index=") { rows.append([:]) }
      for cell in line.split(separator: "|") {
        let parts = cell.split(separator: "=", maxSplits: 1)
        if parts.count == 2, parts[0] != "side_data_type", !rows.isEmpty { rows[rows.count - 1][parts[0]] = parts[1] }
      }
    }
    var packets: [Int: [String]] = [:]
    for var row in rows {
      guard let stream = row["stream_index"].flatMap({ Int($0) }), movie.tracks.indices.contains(stream) else {
        continue
      }
      #expect(row["data_hash"] != nil)
      if movie.tracks[stream].mediaType != .video { row["flags"] = nil }
      packets[stream, default: []].append(row.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "|"))
    }
    return packets
  }
}

/// Encrypted movies can still be decrypted.
struct DecryptionTests {
  @Test func ffmpegDecryptsTheSamePicturesAndSound() throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let corpus = try Corpus.require()
    let name = "mp4ff-prog-8s-enc-dashinit.mp4"
    let entry = try #require(corpus.movies.first { $0.name == name }, "\(name) is not in the corpus")
    let folder = try TemporaryFolder()
    let result = try EditRoad.keptOrder.add(.english, to: entry.path, in: folder, as: name)
    // The key that the makers of the file tell (mp4ff, cmd/mp4ff-decrypt).
    func frames(_ path: String) throws -> [String] {
      let result = try ffmpeg.run([
        "-nostdin", "-v", "error", "-decryption_key", "63cb5f7184dd4b689a5c5ff11ee6a328", "-i", path, "-map", "0:v",
        "-map", "0:a", "-f", "framemd5", "-",
      ])
      #expect(result.code == 0 && result.errorText.isEmpty, "\(result.errorText)")
      return result.outputText.split(separator: "\n").map(String.init)
    }
    let old = try frames(entry.path)
    #expect(old.count > 600)
    #expect(try frames(result.path) == old)
  }
}

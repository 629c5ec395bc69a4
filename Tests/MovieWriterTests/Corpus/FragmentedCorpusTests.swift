import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Real fragmented movies are converted to movies without fragments with equal samples.
@Suite struct FragmentedCorpusTests {
  /// The rejected movies, with reasons.
  private static let refusals: [String: String] = [
    "media3-sample-fragmented-uuid.mp4": "reaches into the moov or moof atom",
    "media3-sample-fragmented-zero-size-atom.mp4": "it contains nothing to play",
    "mp4parse-opus-audioinit-two-desc.mp4": "reaches into the moov or moof atom",
  ]

  /// The movies whose packets ffprobe reads differently afterwards, with reasons.
  private static let exceptions: [String: String] = [
    "mp4ff-testdata-cbcs.mp4": "ffprobe gives up in the second fragment of the old file; the new one has no fragments"
  ]

  /// The movies whose packets ffprobe reads differently after a track is removed and the fragments are kept.
  private static let exceptionsOfRemoval: [String: String] = [
    "mp4ff-testdata-cbcs.mp4": "ffprobe gives up in the second fragment of the old file",
    "mp4ff-prog-8s-enc-dashinit.mp4":
      "ffprobe gives up in the second fragment of encrypted files without a segment index, of the old one too",
  ]

  private func fragmented() throws -> [(name: String, path: String, movie: Movie)] {
    let corpus = try Corpus.require()
    return (corpus.movies.map(\.path) + corpus.broken).compactMap { path in
      let name = String(path.split(separator: "/").last ?? "")
      do {
        let source = try FileSource(path: path)
        let movie = try Movie(of: source)
        // A cut-off movie cannot be edited in place.
        if name == "atl-fragmented.mp4" { return nil }
        return movie.layout.first("moof") == nil ? nil : (name, path, movie)
      } catch {
        return nil
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func addsTracksToRealFragmentedMovies() throws {
    var refused: [String: String] = [:]
    var edited = 0
    for (name, path, _) in try fragmented() {
      let outcome = try MovieTrial(name: name, path: path).run()
      if let refusal = outcome.refusal {
        refused[name] = refusal.reason
      } else {
        #expect(outcome.obstacle == "the movie is fragmented", "\(name)")
        edited += 1
      }
    }
    print("\(edited) fragmented movies from the wild took two tracks on every strategy, but:")
    for (name, reason) in refused.sorted(by: { $0.key < $1.key }) { print("  \(name): \(reason)") }
    #expect(Set(refused.keys) == Set(Self.refusals.keys))
    for (name, reason) in refused { #expect(Self.refusals[name].map(reason.contains) == true, "\(name): \(reason)") }
  }

  @Test func salvagesACutOffRecording() throws {
    let corpus = try Corpus.require()
    let path = try #require(corpus.broken.first { $0.hasSuffix("atl-fragmented.mp4") })
    let source = try FileSource(path: path)
    let edit = try MovieEdit(of: Movie(of: source), from: source)
    #expect(edit.missingSamples.map(\.sampleCount) == [4081])
    let output = try edit.outputPlan(of: source).rendered(from: source)
    let movie = try Movie(of: MemorySource(Bytes(output)))
    #expect(movie.tracks.map(\.samples.sampleCount) == [7] && movie.layout.cutOffset == nil)
  }

  @Test func agreesWithTheSecondReader() throws {
    for (name, path, movie) in try fragmented() where movie.layout.cutOffset == nil {
      let fragments = try movie.readFragments(of: FileSource(path: path))
      let reader = try SecondReader(path: path)
      #expect(reader.tracks.map(\.id) == fragments.tracks.map(\.trackID), "\(name)")
      for (track, other) in zip(fragments.tracks, reader.tracks) {
        #expect(track.sampleCount == other.samples.count, "\(name)")
        for (sample, same) in zip(track.samples, other.samples) {
          let isSame =
            sample.byteRange?.offset == same.offset && sample.byteRange?.count == UInt64(same.byteCount)
            && Int64(clamping: sample.decodeTime) == same.decodeTime && sample.duration == same.duration
            && sample.presentationTime == same.presentationTime && sample.isSync == same.isSync
            && sample.sampleDescriptionIndex == same.description
          #expect(isSame, "\(name), track \(other.id), sample \(sample.index)")
          if !isSame { break }
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func keepsPacketsThatFFprobeReads() throws {
    let ffprobe = try Witness.require("ffprobe")
    let folder = try TemporaryFolder()
    var compared = 0
    for (name, path, movie) in try fragmented() where Self.refusals[name] == nil {
      // The new file starts with the earliest track.
      let old = try packets(path, ffprobe, movie, from: movie.includingFragments(from: FileSource(path: path)).start)
      if let reason = Self.exceptions[name] { print("  \(name): \(reason)") }
      // The file itself equals the new file, as ``MovieTrial`` checks.
      for strategy in [EditStrategy.keptOrder, .fastStart] {
        let result = try strategy.add(.english, to: path, in: folder, as: "\(strategy.rawValue) \(name)")
        let new = try packets(result.path, ffprobe, movie)
        if Self.exceptions[name] != nil {
          for (stream, rows) in old { #expect(new[stream]?.prefix(rows.count) == rows[...], "\(name)") }
        } else {
          #expect(old == new, "\(name), \(strategy.rawValue)")
        }
      }
      compared += 1
    }
    #expect(compared > 20)
  }

  @Test(.timeLimit(.minutes(5))) func keepsPacketsThatFFprobeReadsWhenChangingLabels() throws {
    let ffprobe = try Witness.require("ffprobe")
    let folder = try TemporaryFolder()
    var compared = 0
    for (name, path, movie) in try fragmented() where Self.refusals[name] == nil {
      let source = try FileSource(path: path)
      var edit = try MovieEdit(of: movie, from: source)
      for id in Set(movie.tracks.map(\.id)) { try edit.setTitle("A title for track \(id)", of: id) }
      #expect(!edit.flattens && edit.notices.allSatisfy { !$0.isWarning }, "\(name)")
      let output = folder.file(name)
      try MovieFileWriter(edit, to: .newFile(output, overwrites: false, synchronizes: false)).write()
      #expect(try packets(path, ffprobe, movie) == packets(output, ffprobe, movie), "\(name)")
      compared += 1
    }
    #expect(compared > 20)
  }

  @Test(.timeLimit(.minutes(5))) func keepsPacketsThatFFprobeReadsWhenRemovingATrack() throws {
    let ffprobe = try Witness.require("ffprobe")
    let folder = try TemporaryFolder()
    var compared = 0
    for (name, path, movie) in try fragmented() where Self.refusals[name] == nil && movie.tracks.count > 1 {
      let source = try FileSource(path: path)
      let old = try packets(path, ffprobe, movie)
      for (place, gone) in movie.tracks.enumerated() {
        var edit = try MovieEdit(of: movie, from: source)
        try edit.remove(gone.id)
        #expect(!edit.flattens, "\(name): \(edit.notices)")
        let output = folder.file("\(gone.id) \(name)")
        try MovieFileWriter(edit, to: .newFile(output, overwrites: false, synchronizes: false)).write()
        let left = try Movie(of: FileSource(path: output))
        #expect(left.isFragmented && left.tracks.map(\.id) == movie.tracks.map(\.id).filter { $0 != gone.id })
        let new = try packets(output, ffprobe, left)
        // ffprobe counts streams.
        var wanted: [Int: [String]] = [:]
        for (stream, rows) in old where stream != place {
          let now = stream < place ? stream : stream - 1
          wanted[now] = rows.map { $0.replacing("stream_index=\(stream)", with: "stream_index=\(now)") }
        }
        if let reason = Self.exceptionsOfRemoval[name] {
          print("  \(name): \(reason)")
          for (stream, rows) in wanted {
            let count = min(rows.count, new[stream]?.count ?? 0)
            #expect(count > 3 && rows.prefix(count) == new[stream]?.prefix(count), "\(name)")
          }
        } else {
          #expect(!wanted.isEmpty && wanted == new, "\(name) without track \(gone.id)")
        }
        compared += 1
      }
    }
    #expect(compared > 8)
  }

  /// Returns times, sizes and hashes of all packets of the old tracks by stream, and the key flag of video. ffprobe marks
  /// every audio packet in fragments, and has no durations there for packets without composition offsets.
  private func packets(
    _ path: String, _ ffprobe: Witness, _ movie: Movie, from start: MediaTime? = nil
  ) throws -> [Int: [String]] {
    let result = try ffprobe.run([
      "-v", "quiet", "-advanced_editlist", "0", "-show_packets", "-show_data_hash", "md5", "-show_entries",
      "packet=stream_index,pts,dts,size,flags,data_hash", "-of", "compact=p=0", path,
    ])
    // ffprobe prints side data, `side_data_type`, on separate lines.
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
      let shift = start?.ticks(of: movie.tracks[stream].mediaTimeScale) ?? 0
      for name in ["pts", "dts"] as [Substring] {
        row[name] = row[name].map { time in Int64(time).map { Substring(String($0 - shift)) } ?? time }
      }
      packets[stream, default: []].append(row.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "|"))
    }
    return packets
  }
}

/// Encrypted movies can still be decrypted.
struct DecryptionTests {
  @Test func keepsEncryptedMediaDecryptable() throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let corpus = try Corpus.require()
    let name = "mp4ff-prog-8s-enc-dashinit.mp4"
    let entry = try #require(corpus.movies.first { $0.name == name }, "\(name) is not in the corpus")
    let folder = try TemporaryFolder()
    let result = try EditStrategy.keptOrder.add(.english, to: entry.path, in: folder, as: name)
    // The key that the file's authors publish (mp4ff, cmd/mp4ff-decrypt).
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

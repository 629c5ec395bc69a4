import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Other programs list the same contents before and after fragments are removed from real movies.
@Suite struct FragmentedWitnessTests {
  /// A movie, the edited movie, and the ID of the new track.
  private struct Pair {
    let name: String
    let old: String
    let new: String
    let trackID: UInt32
  }

  private func forEachMovie(_ strategies: [EditStrategy], _ body: (Pair) throws -> Void) throws {
    let corpus = try Corpus.require()
    let folder = try TemporaryFolder()
    var count = 0
    for entry in corpus.movies {
      do {
        let source = try FileSource(path: entry.path)
        guard try Movie(of: source).layout.first("moof") != nil else { continue }
        _ = try MovieEdit(of: Movie(of: source), from: source)
      } catch is MovieError {
        continue  // Rejected movies are covered by ``FragmentedCorpusTests``.
      }
      for strategy in strategies {
        let result = try strategy.add(.english, to: entry.path, in: folder, as: "\(count).mp4")
        try body(Pair(name: entry.name, old: entry.path, new: result.path, trackID: result.trackID))
        count += 1
      }
    }
    #expect(count > 20)
  }

  /// The values that MediaInfo estimates from some of the fragments.
  private static let reckoned = [
    "@typeorder", "Duration", "Source_", "BitRate", "StreamSize", "SamplingCount", "FrameCount", "Events_Total",
    "Delay",
  ]

  @Test(.timeLimit(.minutes(5))) func keepsTracksThatMediaInfoLists() throws {
    let mediaInfo = try Witness.require("mediainfo")
    func tracks(_ path: String) throws -> [[String: String]] {
      let json = try JSONSerialization.jsonObject(with: Data(mediaInfo.run(["--Output=JSON", path]).output))
      let media = try #require((json as? [String: Any])?["media"] as? [String: Any])
      return try #require(media["track"] as? [[String: Any]]).map { track in
        track.filter { field in !Self.reckoned.contains { field.key.hasPrefix($0) } }.compactMapValues { $0 as? String }
      }
    }
    try forEachMovie([.keptOrder, .fastStart]) { pair in
      let (before, after) = (try tracks(pair.old), try tracks(pair.new))
      #expect(after.contains { $0["ID"] == "\(pair.trackID)" && $0["CodecID"] == "tx3g" }, "\(pair.name)")
      #expect(after.count == before.count + 1, "\(pair.name)")
      for track in before {
        guard let id = track["ID"] else { continue }  // The entry of the file as a whole.
        let same = try #require(after.first { $0["ID"] == id }, "\(pair.name), track \(id)")
        // The new track joins the group of subtitles.
        let mayChange: Set<String> = track["@type"] == "Text" ? ["AlternateGroup", "Default"] : []
        let changed = Set(track.keys).union(same.keys).filter { track[$0] != same[$0] }
        #expect(changed.subtracting(mayChange) == [], "\(pair.name), track \(id)")
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func keepsTracksThatMkvmergeLists() throws {
    let mkvmerge = try Witness.require("mkvmerge")
    func tracks(_ path: String) throws -> String {
      let json = try JSONSerialization.jsonObject(with: Data(mkvmerge.run(["-J", path]).output)) as? [String: Any]
      let tracks = json?["tracks"] as? [Any] ?? []
      let data = try JSONSerialization.data(withJSONObject: tracks, options: [.sortedKeys, .prettyPrinted])
      return String(decoding: data, as: UTF8.self)
    }
    try forEachMovie([.keptOrder, .fastStart]) { pair in
      let (before, after) = (try tracks(pair.old), try tracks(pair.new))
      #expect(before == after, "\(pair.name)")
    }
  }

  // MARK: - GStreamer

  private struct Buffer: Equatable {
    let byteCount: Int
    let decodeTime: Int
    /// The presentation time in nanoseconds.
    let presentationTime: Int
  }

  @Test(.timeLimit(.minutes(5))) func keepsMediaThatGStreamerReads() throws {
    let launch = try Witness.require("gst-launch-1.0")
    var compared = 0
    try forEachMovie([.fastStart]) { pair in
      let reader = try SecondReader(path: pair.new)
      for (pad, handler) in [("video_0", "vide"), ("audio_0", "soun")] {
        // GStreamer waits forever for the keys of encrypted tracks.
        guard let track = reader.tracks.first(where: { $0.handler == handler }),
          !track.formats.contains(where: { $0.hasPrefix("enc") })
        else { continue }
        let before = try buffers(pair.old, pad, launch)
        guard let first = before.first else { continue }
        let after = try buffers(pair.new, pad, launch)
        // Without an edit list, GStreamer omits media after the last decode time. An empty edit is reported separately from the
        // buffers.
        let scale = Int(try TrialChecks.movieDuration(reader).timeScale)
        let end = (Int(track.duration) * 1_000_000_000 + scale - 1) / scale
        let shift = first.decodeTime - (after.first?.decodeTime ?? 0)
        var rest = after[...]
        let lost = before.filter { buffer in
          guard let next = rest.first, next.byteCount == buffer.byteCount,
            abs(next.presentationTime + shift - buffer.presentationTime) < 2
          else { return true }
          rest.removeFirst()
          return false
        }
        #expect(rest.isEmpty && lost.allSatisfy { $0.presentationTime >= end }, "\(pair.name), \(pad)")
        compared += 1
      }
    }
    #expect(compared > 10)
  }

  private func buffers(_ path: String, _ pad: String, _ launch: Witness) throws -> [Buffer] {
    let result = try launch.run([
      "-v", "filesrc", "location=\(path)", "!", "qtdemux", "name=d", "d.\(pad)", "!", "queue", "!", "fakesink",
      "silent=false", "sync=false",
    ])
    return result.outputText.split(separator: "\n").filter { $0.contains("chain   *****") }.compactMap { row in
      let row = String(row)
      guard
        let bytes = row.components(separatedBy: " bytes, dts").first?.split(separator: "(").last.flatMap({ Int($0) })
      else { return nil }
      return Buffer(
        byteCount: bytes, decodeTime: time("dts", in: row) ?? 0, presentationTime: time("pts", in: row) ?? 0)
    }
  }

  /// Returns the nanoseconds of `pts: 0:00:01.500000000`, or `nil` if there are none.
  private func time(_ name: String, in row: String) -> Int? {
    guard let text = row.components(separatedBy: "\(name): ").dropFirst().first else { return nil }
    let parts = text.prefix { "0123456789:.".contains($0) }.split { ":.".contains($0) }.compactMap { Int($0) }
    return parts.count == 4 ? ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1_000_000_000 + parts[3] : nil
  }
}

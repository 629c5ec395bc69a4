import Foundation
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Converting real movies to another type loses nothing.
@Suite struct ConversionCorpusTests {
  /// Converts a movie without the tracks that the type does not support; returns `nil` if none is left.
  private func convert(
    _ bytes: [UInt8], to type: MovieType, _ refused: inout [String], _ name: String
  ) throws -> ConversionTrial? {
    var reasons: [String] = []
    do {
      let trial = try ConversionTrial(bytes, to: type) { edit in
        let refusals = edit.stages.converted?.refusals ?? [:]
        reasons = refusals.values.map(\.reason).sorted()
        if refusals.count < edit.tracks.count { for id in refusals.keys { try edit.remove(id) } }
      }
      refused += reasons.map { "\(name): \($0)" }
      return trial
    } catch let error as MovieError {
      try #require(error.code != .planCheckFailed, "\(name): \(error)")
      refused.append("\(name): \(error.reason)")
      return nil
    }
  }

  /// The numbers of comparisons of movies that were converted there and back.
  private struct Counts {
    var movies = 0, tracks = 0, samples = 0, texts = 0, items = 0, listed = 0

    var summary: String {
      "\(movies) movies from the wild were converted there and back: \(samples) samples of \(tracks) tracks have the same "
        + "bytes and times, \(texts) texts the same words, \(items) items of metadata are there again with their values, "
        + "\(listed) were listed as left out; not converted, or not all of their tracks, were:"
    }
  }

  /// The second reader finds the bytes and times of all samples again. Texts have the same words, and each metadata item
  /// has its value or was listed.
  @Test(.timeLimit(.minutes(10))) func roundTripsRealMoviesByConversion() throws {
    var (counts, refused) = (Counts(), [String]())
    _ = try Corpus.require().forEachEditable { bytes, name in
      let source = MemorySource(Bytes(bytes))
      let movie = try Movie(of: source)
      let types: [MovieType] = movie.isQuickTime ? [.mp4, .quickTime] : [.quickTime, .mp4]
      let before = refused.count
      guard let there = try convert(bytes, to: types[0], &refused, name) else { return }
      counts.movies += 1
      // Tracks that the type does not support are absent.
      if !movie.isFragmented, refused.count == before { try there.expectSameMedia(name) }
      guard let back = try convert(there.bytes, to: types[1], &refused, name) else {
        // A real movie contains a format that MP4 does not support.
        #expect(refused.last?.contains("not registered") == true, "\(name)")
        return
      }
      try back.expectSameMedia(name)
      for track in back.movie.tracks {
        guard let old = movie.track(track.id) else {
          // The titles of a Nero list became a track.
          #expect(back.movie.chapterTrackIDs.contains(track.id), "\(name): track \(track.id)")
          continue
        }
        #expect(track.language == old.language, "\(name)")
        #expect(track.title == old.title && track.taggedCharacteristics == old.taggedCharacteristics, "\(name)")
        #expect(track.handler?.name == old.handler?.name, "\(name)")
        counts.tracks += 1
        if ![.text, .subtitle, .isoSubtitle].contains(track.mediaType) {
          counts.samples += track.samples.sampleCount
        } else if !movie.isFragmented {
          let words = try [(old, MemorySource(Bytes(bytes))), (track, MemorySource(Bytes(back.bytes)))].map {
            try Self.words(of: $0, in: $1)
          }
          #expect(words[0] == words[1], "\(name): track \(track.id)")
          counts.texts += words[0].count
        }
      }
      for item in movie.metadata where item.atomLocation.atom != nil && item.isWellFormed && !item.isStructural {
        if let id = item.trackID, back.movie.track(id) == nil { continue }  // It went with its track.
        let isThere = back.movie.metadata.contains { $0.trackID == item.trackID && says($0, item) }
        #expect(isThere || isListed(item, there.notices + back.notices), "\(name): \(item.identifier)")
        if isThere { counts.items += 1 } else { counts.listed += 1 }
      }
    }
    print(counts.summary)
    for reason in refused { print("  " + reason) }
    #expect(counts.movies > 0 && counts.samples > 0 && counts.texts > 0 && counts.items > 0)
  }

  /// Returns the text of each sample of a text track, or the bytes for formats that are not rewritten.
  private static func words(of track: Track, in source: MemorySource) throws -> [String] {
    let readers = try track.sampleDescriptions.entries.map { try ConversionTextDecoder($0, of: track, fontSize: 0) }
    return try track.samples.samples.map { sample in
      let range = try #require(sample.byteRange)
      let bytes = range.count > 0 ? try source.readExactly(range) : Bytes()
      guard let reader = readers[Int(sample.sampleDescriptionIndex) - 1] else { return "\(bytes.array)" }
      return reader.read(bytes).text?.text ?? ""
    }
  }

  /// Whether two items are equivalent: equal bytes under the same name, or equal values of the same fact.
  private func says(_ new: MetadataItem, _ old: MetadataItem) -> Bool {
    if new.identifier == old.identifier, new.bytes == old.bytes { return true }
    guard let fact = old.identifier.common, new.identifier.common == fact else { return false }
    if new.value == old.value { return true }
    if let date = new.dateValue, let other = old.dateValue { return date.agrees(with: other) }
    if let here = new.locationValue, let there = old.locationValue {
      return abs(here.latitude - there.latitude) < 0.0001 && abs(here.longitude - there.longitude) < 0.0001
    }
    guard let whole = new.stringValue, let part = old.stringValue else { return false }
    return whole == part || MetadataValue.isValue(part, inList: whole)
  }

  private func isListed(_ item: MetadataItem, _ notices: [EditNotice]) -> Bool {
    notices.contains { $0.kind == .leftOut && $0.message.contains(item.identifier.description) }
  }

  // MARK: - Decoded

  /// The result of comparing a movie as decoded by ffmpeg before and after.
  private enum Decoded {
    case equal
    /// ffmpeg cannot decode the movies, or reads other times in fragments, and the packets are equal.
    case equalPackets
    case different
    case skipped(String)
  }

  /// ffmpeg decodes equal frames at equal times, with edit lists applied. Two movies at a time: each test has a core.
  @Test(.timeLimit(.minutes(30))) func keepsDecodedFramesOfRealMovies() async throws {
    let corpus = try HeavyTests.corpus()
    let folder = try TemporaryFolder()
    let movies = corpus.movies
    let results = try await withThrowingTaskGroup(of: [(name: String, result: Decoded)].self) { group in
      for half in 0..<2 {
        group.addTask {
          try stride(from: half, to: movies.count, by: 2).compactMap { number in
            let movie = movies[number]
            return try decoded(movie.path, movie.name, in: folder).map { (name: movie.name, result: $0) }
          }
        }
      }
      var all: [(name: String, result: Decoded)] = []
      for try await part in group { all += part }
      return all
    }
    var (equal, equalPackets, skipped, different) = (0, 0, [String](), [String]())
    for (name, result) in results {
      switch result {
      case .equal: equal += 1
      case .equalPackets: equalPackets += 1
      case .different: different.append(name)
      case .skipped(let reason): skipped.append("\(name): \(reason)")
      }
    }
    #expect(different.isEmpty)
    print(
      "\(equal) movies from the wild decode to the same frames and sound after conversion; \(equalPackets) more, in "
        + "formats that ffmpeg does not decode or in fragments, have the same packets; \(skipped.count) were not compared:"
    )
    for reason in skipped.sorted() { print("  " + reason) }
    #expect(equal > 0)
  }

  /// Converts a movie and compares the decoded results. Returns `nil` for a file that is not a movie or is not editable.
  private func decoded(_ path: String, _ name: String, in folder: TemporaryFolder) throws -> Decoded? {
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    var refused: [String] = []
    let source = MemorySource(Bytes(bytes))
    guard let movie = try? Movie(of: source), (try? MovieEdit(of: movie, from: source)) != nil else { return nil }
    let type: MovieType = movie.isQuickTime ? .mp4 : .quickTime
    guard let trial = try convert(bytes, to: type, &refused, name) else {
      return .skipped(refused.first?.replacing(name + ": ", with: "") ?? "not converted")
    }
    // Tracks that the type does not support are omitted on both sides.
    let kept = Set(trial.movie.tracks.map(\.id))
    let gone = movie.tracks.enumerated().filter { !kept.contains($1.id) }.map(\.offset)
    let after = try Frames(of: folder.write(trial.bytes, as: name + "." + type.rawValue))
    let before = try Frames(of: path, without: gone)
    if !before.lines.isEmpty, before.formats == after.formats, before.lines == after.lines { return .equal }
    guard before.lines.isEmpty || before.formats != after.formats || movie.isFragmented else { return .different }
    let packets = try (
      Frames.packets(of: path, without: gone), Frames.packets(of: folder.file(name + "." + type.rawValue))
    )
    if !packets.0.isEmpty, packets.0 == packets.1 { return .equalPackets }
    if trial.notices.contains(where: { $0.message.contains("is re-encoded as") }) {
      return .skipped("its text is written again, and ffmpeg decodes nothing else of it")
    }
    if packets.0.isEmpty { return .skipped("ffmpeg finds no packets in it") }
    return movie.isFragmented && packets.0.count < packets.1.count
      ? .skipped(
        "ffmpeg reads \(packets.0.count) packets of its fragments and \(packets.1.count) after: compared by its samples"
      )
      : .different
  }

  // MARK: - By name

  /// The expected format of a track by writer and original format, or `nil` if the type does not support it.
  ///
  /// The corpus lacks: AC-3, Apple Lossless, PCM and ProRes of an iPhone; video and audio of HandBrake; a file that declares
  /// GarageBand as its writer (the podcast has its structure, as `chap` and `gmhd` show); QuickTime 7's AC-3, Apple Lossless
  /// and PCM.
  private static let byName: [(writer: String, file: String, type: MovieType, track: String, format: String?)] = [
    ("iPhone, HEVC", "streamio-vertical-video-from-iphone.mov", .mp4, "vide", "hvc1"),
    ("iPhone, AAC", "streamio-vertical-video-from-iphone.mov", .mp4, "soun", "mp4a"),
    ("iPhone, HEVC", "media3-dolbyvision-hdr.mov", .mp4, "vide", "hvc1"),
    ("iPhone, AVC", "livephoto-pairedvideo.mov", .mp4, "vide", "avc1"),
    ("AVFoundation, AVC", "streamio-awesome-movie.mov", .mp4, "vide", "avc1"),
    ("AVFoundation, AAC", "streamio-awesome-movie.mov", .mp4, "soun", "mp4a"),
    ("AVFoundation, HEVC", "wwdc20-hdrmovie.mov", .mp4, "vide", "hvc1"),
    ("QuickTime 7, AVC", "applesample-movie.m4v", .quickTime, "vide", "avc1"),
    ("QuickTime 7, AAC", "mediafile-full.m4a", .quickTime, "soun", "mp4a"),
    ("QuickTime 7, text", "atl-chapters-qt.m4v", .quickTime, "text", "text"),
    ("QuickTime 7, ProRes", "opf-apple-prores-422-lt.mov", .mp4, "vide", nil),
    ("QuickTime 7, ProRes", "opf-apple-prores-422-proxy.mov", .mp4, "vide", nil),
    ("QuickTime 7, JPEG", "opf-photo-jpeg.mov", .mp4, "vide", "mp4v"),
    ("iTunes, Apple Lossless", "lofty-empty-alac.m4a", .quickTime, "soun", "alac"),
    ("GarageBand's form, AAC", "bento4-data-0004.mp4", .quickTime, "soun", "mp4a"),
    ("GarageBand's form, chapters", "bento4-data-0004.mp4", .quickTime, "text", "text"),
    ("GarageBand's form, pictures of chapters", "bento4-data-0004.mp4", .quickTime, "vide", "jpeg"),
    ("HandBrake 1.5, tx3g", "subtitleedit-sample-mp4.mp4", .quickTime, "sbtl", "tx3g"),
    ("mp4v2, as of Subler, tx3g", "streamio-awesome-movie-with-subtitles.m4v", .quickTime, "sbtl", "tx3g"),
    ("ffmpeg, AVC", "made-torture.mov", .mp4, "vide", "avc1"),
    ("ffmpeg, HEVC", "mp4parse-hevc-white-frame.mp4", .quickTime, "vide", "hev1"),
    ("ffmpeg, ProRes", "jcodec-test-prores.mov", .mp4, "vide", nil),
    ("ffmpeg, AAC", "jcodec-itunes.mov", .mp4, "soun", "mp4a"),
    ("ffmpeg, Apple Lossless", "lofty-m4a-codec-alac.m4a", .quickTime, "soun", "alac"),
    ("ffmpeg, AC-3", "media3-sample-ac3-aac.mp4", .quickTime, "soun", "ac-3"),
    ("ffmpeg, PCM", "media3-sample-twos-pcm.mp4", .mp4, "soun", "ipcm"),
    ("ffmpeg, PCM", "media3-sample-ipcm-16be.mp4", .quickTime, "soun", "twos"),
    ("ffmpeg, PCM", "media3-sample-fpcm-32le.mp4", .quickTime, "soun", "fl32"),
    ("ffmpeg, tx3g", "made-spanish.mov", .mp4, "sbtl", "tx3g"),
    ("ffmpeg, tx3g", "made-spanish-text-entry.mov", .mp4, "sbtl", "tx3g"),
    ("Bento4, AC-3", "media3-sample-ac3.mp4", .quickTime, "soun", "ac-3"),
    ("mp4v2, chapters", "mutagen-ep7.m4b", .quickTime, "text", "text"),
  ]

  @Test(.timeLimit(.minutes(5))) func convertsFormatsToThoseOfTheType() throws {
    let corpus = try Corpus.require()
    for (writer, file, type, handler, format) in Self.byName {
      let entry = try #require(corpus.movies.first { $0.name == file }, "\(file)")
      let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: entry.path)))
      guard let format else {
        #expect(throws: MovieError.self, "\(writer)") { try ConversionTrial(bytes, to: type) }
        continue
      }
      let trial = try ConversionTrial(bytes, to: type)
      let formats = trial.new.tracks.filter { $0.handler == handler }.flatMap(\.formats)
      #expect(formats.contains(format), "\(writer): \(trial.new.tracks.map { ($0.handler, $0.formats) })")
    }
  }
}

/// The decoded frames of a movie by ffmpeg: video and audio with times, except covers and chapter images.
struct Frames {
  let formats: [String]
  let lines: [String]

  /// Returns the packets of all tracks: stream and hash of each, in order within the streams. Times are compared
  /// separately by sample, because ffmpeg changes the times of fragments.
  static func packets(of path: String, without omitted: [Int] = []) throws -> [String] {
    var arguments = ["-v", "error", "-nostdin", "-i", path, "-map", "0"]
    for number in omitted { arguments += ["-map", "-0:\(number)"] }
    arguments += ["-c", "copy", "-copy_unknown", "-f", "framehash", "-hash", "md5", "-"]
    let result = try Witness.require("ffmpeg").run(arguments, timeout: 300)
    let packets = result.outputText.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      // Stream, two times, duration, size, hash, and possibly side data of ffmpeg.
      return (stream: fields[0], hash: fields.count > 5 ? fields[5] : "")
    }
    // Tracks may be interleaved differently. Within a track, the order counts.
    let streams = Dictionary(grouping: packets, by: \.stream)
    return streams.keys.sorted().flatMap { stream in (streams[stream] ?? []).map { stream + " " + $0.hash } }
  }

  /// Decodes a movie without the tracks with these indices, and only some seconds of very large pictures.
  init(of path: String, without omitted: [Int] = []) throws {
    let probe = try Witness.require("ffprobe").run([
      "-v", "error", "-show_entries", "stream=index,codec_type,codec_name,width:stream_disposition=attached_pic",
      "-of", "csv=p=0", path,
    ])
    // Index, codec, kind, the width of video, and whether it is a cover.
    var streams: [[String]] = []
    for line in probe.outputText.split(separator: "\n") {
      let fields: [String] = line.split(separator: ",").map { String($0) }
      guard fields.count > 3, fields[2] == "video" || fields[2] == "audio", fields.last == "0" else { continue }
      guard let number = Int(fields[0]), !omitted.contains(number) else { continue }
      streams.append(fields)
    }
    formats = streams.map { $0[1] }
    guard !streams.isEmpty else {
      lines = []
      return
    }
    let widths: [Int] = streams.filter { $0[2] == "video" }.compactMap { Int($0[3]) }
    let isLarge = widths.contains { $0 > 2_000 }
    var arguments: [String] = ["-v", "error", "-nostdin"]
    if isLarge { arguments += ["-t", "3"] }
    arguments += ["-i", path]
    for fields in streams { arguments += ["-map", "0:" + fields[0]] }
    arguments += ["-vsync", "passthrough", "-f", "framehash", "-hash", "md5", "-"]
    let result = try Witness.require("ffmpeg").run(arguments, timeout: 300)
    lines = result.outputText.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      // Stream, decode time, presentation time and hash.
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      return (Array(fields.prefix(3)) + [fields.last ?? ""]).joined(separator: " ")
    }
  }
}

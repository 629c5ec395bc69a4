import TestSupport
import Testing

/// Checks of a new subtitle track by the second reader.
struct TrialChecks {
  let name: String
  let old: SecondReader
  let new: SecondReader
  let id: UInt32
  let track: TrialTrack

  func run() throws {
    #expect(new.tracks.map(\.id) == old.tracks.map(\.id) + [id], "\(name)")
    let added = try #require(new.tracks.last)
    #expect(added.handler == "sbtl" && added.formats == ["tx3g"], "\(name)")
    #expect(added.language == track.code && added.extendedLanguage == track.extendedTag, "\(name)")
    #expect(
      added.characteristics == [
        "public.accessibility.transcribes-spoken-dialog", "public.accessibility.describes-music-and-sound",
      ], "\(name)")
    #expect(!added.isEnabled && added.layer == -1 && added.volume == 0, "\(name)")
    let visibility = old.tracks.reduce(0) { $0 | $1.flags & 0x6 }
    #expect(added.flags == visibility, "\(name): flags")
    checkGroup(added)
    try checkSamples(added)
    for audio in new.tracks where audio.handler == "soun" {
      let before = old.track(audio.id)?.references("folw") ?? []
      #expect(before.isEmpty || before == audio.references("folw"), "\(name): track \(audio.id) follows another")
    }
  }

  /// Checks that the new track joins the group of existing subtitles, or has a group of its own.
  private func checkGroup(_ added: ReadTrack) {
    let legible = Self.legibleTracks(of: old)
    let groups = Set(legible.map(\.group)).subtracting([0])
    #expect(added.group != 0, "\(name)")
    if groups.isEmpty {
      #expect(!old.tracks.contains { $0.group == added.group }, "\(name): the group is another kind's")
    } else {
      #expect(groups.contains(added.group), "\(name): the group is not that of the old subtitles")
    }
    for before in legible {
      let expected = before.group == 0 ? added.group : before.group
      #expect(new.track(before.id)?.group == expected, "\(name): group of track \(before.id)")
    }
  }

  private func checkSamples(_ added: ReadTrack) throws {
    // The duration of a fragmented movie is the duration of its longest track. The header does not declare it.
    let movie = try Self.movieDuration(old.isFragmented ? new : old)
    let raised = try Self.headerDuration(new).ticks ?? 0
    let stated = max(movie.ticks, raised) * 1000 / movie.timeScale
    // Alternatively up to the last cue, if the header declares a longer movie than the first fragments in the file.
    let claimed = (old.isFragmented ? try Self.headerDuration(old).ticks ?? 0 : 0) * 1000 / movie.timeScale
    let promised = track.pieces(movieMilliseconds: claimed)
    // If only text lasts to the end of the movie, new subtitles end with the other tracks.
    let limit = try Self.endWithoutText(old).map { min(stated, $0 * 1000 / movie.timeScale) } ?? stated
    let least = claimed > stated ? max(stated, promised.last { $0.text != "" }?.end ?? 0) : limit
    // Tracks, and so subtitles, may end up to half a second after the declared end.
    let end = added.mediaDuration
    #expect(added.timeScale == 1000 && (least...least + 500).contains(end), "\(name): media duration")
    #expect(added.duration == end * movie.timeScale / 1000, "\(name): duration in movie ticks")
    var pieces: [TrialTrack.Piece] = []
    for sample in added.samples {
      #expect(sample.presentationTime == sample.decodeTime && sample.isSync && !sample.isExternal, "\(name)")
      let start = UInt64(sample.decodeTime)
      let bytes = try new.bytes(of: sample)
      let count = Int(bytes[0]) << 8 | Int(bytes[1])
      #expect(bytes.count == count + 2, "\(name): a plain text has no boxes after it")
      let text = String(decoding: bytes[2..<2 + count], as: UTF8.self)
      pieces.append(TrialTrack.Piece(start: start, end: start + UInt64(sample.duration), text: text))
    }
    let expected =
      claimed > stated || limit < stated
      ? (limit < stated ? track.pieces(movieMilliseconds: stated) : promised).filter { $0.start < end }.map {
        TrialTrack.Piece(start: $0.start, end: min($0.end, end), text: $0.text)
      } : track.pieces(movieMilliseconds: end)
    #expect(pieces == Self.delayed(expected, of: name, until: end), "\(name)")
  }

  /// Returns the pieces at the times of a movie that ffmpeg delayed: its pictures begin at 83 ms.
  private static func delayed(_ pieces: [TrialTrack.Piece], of name: String, until end: UInt64) -> [TrialTrack.Piece] {
    guard name.hasPrefix("made-fragmented.mp4") else { return pieces }
    return pieces.map {
      TrialTrack.Piece(start: $0.start == 0 ? 0 : $0.start + 83, end: min($0.end + 83, end), text: $0.text)
    }
  }

  /// Returns subtitle, text and caption tracks, without chapters.
  static func legibleTracks(of reader: SecondReader) -> [ReadTrack] {
    let chapters = reader.tracks.flatMap { $0.references("chap") }
    return reader.tracks.filter {
      ["sbtl", "text", "subt", "subp", "clcp"].contains($0.handler) && !chapters.contains($0.id)
    }
  }

  /// Returns the end of the tracks that are not text in movie ticks, or `nil` if text does not last longer.
  private static func endWithoutText(_ reader: SecondReader) throws -> UInt64? {
    guard !reader.isFragmented else { return nil }
    let movie = try movieDuration(reader)
    let texts = Set(legibleTracks(of: reader).map(\.id))
    let others = reader.tracks.filter {
      ["vide", "soun"].contains($0.handler) || $0.isEnabled && !texts.contains($0.id)
    }
    let rounding = movie.timeScale / 10
    guard let end = others.map(\.duration).max(), end + rounding < movie.ticks,
      reader.tracks.contains(where: { texts.contains($0.id) && $0.duration + rounding >= movie.ticks })
    else { return nil }
    return end
  }

  /// Returns the duration in `mvhd`, or the duration of the longest track if `mvhd` contains 0 or no known duration.
  static func movieDuration(_ reader: SecondReader) throws -> (ticks: UInt64, timeScale: UInt64) {
    let header = try headerDuration(reader)
    return (header.ticks ?? reader.tracks.map(\.duration).max() ?? 0, header.timeScale)
  }

  private static func headerDuration(_ reader: SecondReader) throws -> (ticks: UInt64?, timeScale: UInt64) {
    let mvhd = try reader.content(of: try #require(reader.atom("moov/mvhd")))
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      mvhd[offset..<offset + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
    let isLong = mvhd[0] == 1
    let timeScale = number(isLong ? 20 : 12, 4)
    let ticks = isLong ? number(24, 8) : number(16, 4)
    return (ticks != 0 && ticks != (isLong ? .max : UInt64(UInt32.max)) ? ticks : nil, timeScale)
  }

  static func movieComesFirst(_ reader: SecondReader) -> Bool {
    let types = reader.topLevel.map(\.type)
    guard let movie = types.firstIndex(of: "moov") else { return false }
    return !types[..<movie].contains("mdat")
  }
}

public import MovieBox
import MovieWriter

/// Edits a movie with many small tracks, using the edits that examine all tracks. Each track is described by four
/// bytes, so an input of 8000 bytes results in 2000 tracks. An edit that takes too long is a finding.
public func editTracks(_ bytes: Bytes) {
  let movie = Bytes(smallMovie(tracks(describedBy: bytes)))
  readMovie(movie)
  let kind = bytes.first.map { Int($0) } ?? 0
  edit(movie) { edit in
    let media = edit.tracks.isEmpty ? nil : edit.tracks[kind % edit.tracks.count].mediaType
    try edit.remove(Set(edit.tracks.filter { $0.mediaType == media }.map(\.id)))
  }
  edit(movie) { try $0.linkByLanguage() }
  edit(movie) { try $0.removeChapters() }
  fix(movie)
  compare(movie)
  convert(movie)
}

/// Returns the tracks that the bytes describe. Each track has four bytes, which contain its type, its language and
/// whether it is enabled, its group, and the distance to the track that it refers to.
private func tracks(describedBy bytes: Bytes) -> [SmallTrack] {
  let kinds: [(handler: FourCC, format: FourCC, entry: [UInt8])] = [
    ("vide", "mjpa", [UInt8](repeating: 0, count: 70)),
    ("soun", "sowt", [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 16, 0, 0, 0, 0, 0xBB, 0x80, 0, 0]),
    ("sbtl", "tx3g", TextKind.timedText.entry), ("text", "text", TextKind.quickTimeText.entry),
    ("text", "wvtt", TextKind.webVTT.entry), ("meta", "mett", [0, 120, 0]),
  ]
  let types: [FourCC] = ["folw", "forc", "fall", "chap", "cdsc", "tmcd"]
  return (0..<bytes.count / 4).map { index in
    let (what, language, group, target) = (
      bytes[bytes.startIndex + 4 * index], bytes[bytes.startIndex + 4 * index + 1],
      bytes[bytes.startIndex + 4 * index + 2], bytes[bytes.startIndex + 4 * index + 3]
    )
    let kind = kinds[Int(what) % kinds.count]
    var track = SmallTrack(
      id: UInt32(index + 1), handler: kind.handler, format: kind.format, entry: kind.entry, samples: [[0, 1, 65, 0]])
    track.isEnabled = language & 1 == 1
    // The languages are `aaa` to `dzz`.
    track.language = 1 << 10 | UInt16(language >> 1 & 3 + 1) << 5 | UInt16(language >> 3 & 0xF + 1)
    track.group = UInt16(group)
    if target > 0 {
      track.references = [(types[Int(what >> 3) % types.count], UInt32(index) &+ UInt32(target) &- 127)]
    }
    return track
  }
}

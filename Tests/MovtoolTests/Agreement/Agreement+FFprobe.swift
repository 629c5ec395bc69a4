import Foundation
import MovieBox
import TestSupport
import Testing

/// Agreement with ffprobe 5.1.
extension Agreement {
  /// The roles of `kind`, by the beginning of its value (isom.c, `ff_mov_track_kind_table`).
  private static let roles: [(disposition: String, kind: String)] = [
    ("hearing_impaired", "caption"), ("captions", "caption"), ("comment", "commentary"),
    ("visual_impaired", "description"), ("descriptions", "description"), ("dub", "dub"), ("forced", "forced-subtitle"),
  ]
  /// Dispositions that do not occur in these files.
  private static let unused = [
    "original", "lyrics", "karaoke", "clean_effects", "metadata", "dependent", "still_image",
  ]
  private static let roleScheme = "urn:mpeg:dash:role:2011"

  mutating func compare(_ path: String, withProbe ffprobe: Witness) throws {
    let tracks = try AgreedTrack.all(of: path)
    guard !tracks.isEmpty else { return }
    let result = try ffprobe.run(["-v", "quiet", "-show_streams", "-of", "json", path])
    // ffprobe cannot open some broken files, and xHE-AAC.
    guard result.code == 0 else { return explain("ffprobe does not open the file") }
    let json = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
    var streams: [UInt32: [String: Any]] = [:]
    for stream in json?["streams"] as? [[String: Any]] ?? [] {
      guard let id = (stream["id"] as? String).flatMap({ UInt32($0.dropFirst(2), radix: 16) }) else { continue }
      // Cover art is listed as a stream with ID 0 but is not a track.
      if id == 0, Self.disposition("attached_pic", stream) == true { continue }
      if streams[id] == nil { streams[id] = stream }
      if !tracks.contains(where: { $0.track.id == id }) { disagree("\(path): ffprobe lists a track \(id)") }
    }
    guard !streams.isEmpty else { return explain("ffprobe lists no streams") }
    for track in tracks {
      if let stream = streams[track.track.id] {
        compare(track, with: stream)
      } else {
        disagree("\(track): ffprobe does not list it")
      }
    }
  }

  private static func disposition(_ name: String, _ stream: [String: Any]) -> Bool? {
    (stream["disposition"] as? [String: Any]).map { $0[name] as? Int == 1 }
  }

  private mutating func compare(_ agreed: AgreedTrack, with stream: [String: Any]) {
    let track = agreed.track
    func judgeFlag(_ name: String, _ ours: Bool, _ exceptions: [Exception] = []) {
      judge(name, of: agreed, theirs: Self.disposition(name, stream).map(String.init), ours: String(ours), exceptions)
    }
    judgeFlag("default", track.isEnabled)
    for name in Self.unused { judgeFlag(name, false) }
    judgeFlag(
      "attached_pic", false,
      [Exception("calls pictures of chapters so", if: track.mediaType == .video && agreed.isChapterList, "true")])
    let kinds = track.kinds.filter { $0.schemeURI == Self.roleScheme }.map(\.value)
    for (name, kind) in Self.roles {
      let isKind = kinds.contains { $0.hasPrefix(kind) }
      judgeFlag(
        name, says(name, track),
        [
          Exception("reads kind alone, not tags (tagc) and display flags", if: !isKind, "false"),
          Exception("reads kind, which Apple's players do not", if: isKind, "true"),
        ])
    }
    let language = AgreedTrack.language((stream["tags"] as? [String: Any])?["language"] as? String)
    judge("language", of: agreed, theirs: language, ours: agreed.language, languageExceptions(agreed, language))
  }

  /// Whether tags and display flags declare a role.
  private func says(_ disposition: String, _ track: Track) -> Bool {
    let tags = track.taggedCharacteristics
    return switch disposition {
    case "hearing_impaired", "captions": tags.contains(where: MediaCharacteristic.sdh.contains)
    case "visual_impaired", "descriptions": tags.contains(.describesVideo)
    case "comment": tags.contains(.auxiliaryContent)
    case "dub": tags.contains(.dubbedTranslation)
    default: track.containsOnlyForcedSubtitles
    }
  }

  private func languageExceptions(_ agreed: AgreedTrack, _ theirs: String?) -> [Exception] {
    // isom.c, `mov_mdhd_language_map`: wrong and missing entries.
    let macintosh: [UInt16: String?] = [5: "sve", 29: "smi", 35: "iri", 34: nil, 58: nil]
    let predicted = macintosh[agreed.languageCode]
    return [
      Exception("does not read elng", if: agreed.track.extendedLanguage != nil, agreed.headerLanguage),
      Exception("has another name for a Macintosh code", if: predicted != nil, predicted ?? nil),
      Exception("prints bits as letters", if: agreed.hasOddLanguageCode, theirs),
    ]
  }
}

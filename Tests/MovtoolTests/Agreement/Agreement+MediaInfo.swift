import Foundation
import MovieBox
import TestSupport
import Testing

/// Agreement with MediaInfoLib 23.04. The exceptions also accept correct values, which later versions may return.
extension Agreement {
  /// Kinds of tracks that MediaInfo does not list.
  private static let unlisted: [MediaType] = [
    .metadata, MediaType(rawValue: "sprt"), MediaType(rawValue: "hint"),
    // The node and the panorama of QuickTime VR.
    MediaType(rawValue: "qtvr"), MediaType(rawValue: "pano"),
  ]

  mutating func compare(_ path: String, with mediaInfo: Witness) throws {
    let tracks = try AgreedTrack.all(of: path)
    guard !tracks.isEmpty else { return }
    let objects = try Self.objects(mediaInfo.run(["--Full", "--Output=JSON", path]).output)
    var listed: [UInt32: [String: Any]] = [:]
    for object in objects {
      // "2-CC1" is the first caption channel in track 2.
      guard let id = (object["ID"] as? String)?.split(separator: "-").first.flatMap({ UInt32($0) }) else { continue }
      if listed[id] == nil { listed[id] = object }
    }
    for track in tracks {
      if let object = listed[track.track.id] {
        compare(track, with: object)
      } else if Self.unlisted.contains(track.track.mediaType) {
        explain("MediaInfo does not list \(track.track.mediaType.name)")
      } else if !objects.isEmpty {
        disagree("\(track): MediaInfo does not list it")
      }
    }
  }

  private static func objects(_ output: [UInt8]) throws -> [[String: Any]] {
    guard !output.isEmpty else { return [] }
    let json = try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any]
    return (json?["media"] as? [String: Any])?["track"] as? [[String: Any]] ?? []
  }

  private mutating func compare(_ agreed: AgreedTrack, with object: [String: Any]) {
    func value(_ key: String) -> String? { object[key] as? String }
    let track = agreed.track
    let isText = value("@type") == "Text"
    let isMenu = value("@type") == "Menu"  // Chapters.
    let isCaptions = value("ID")?.contains("-") ?? false
    judge(
      "AlternateGroup", of: agreed, theirs: value("AlternateGroup") ?? "0", ours: String(track.alternateGroup))

    let tellsDefault = (track.alternateGroup != 0 || !track.isEnabled) && !isMenu && !isCaptions
    judge(
      "Default", of: agreed, theirs: value("Default"),
      ours: tellsDefault ? (track.isEnabled ? "Yes" : "No") : nil,
      [
        Exception(
          "says that a track is excluded from selection (txas) here",
          if: tellsDefault && track.isExcludedFromAutomaticSelection, "Excluded")
      ])
    if isText, !isCaptions {
      let forced = track.containsOnlyForcedSubtitles ? "Yes" : track.containsSomeForcedSubtitles ? "Mixed" : "No"
      judge("Forced", of: agreed, theirs: value("Forced"), ours: forced)
    }
    judge(
      "Language", of: agreed, theirs: AgreedTrack.language(value("Language")), ours: agreed.language,
      languageExceptions(agreed, AgreedTrack.language(value("Language"))))
    let title = value("Title")
    judge(
      "Title", of: agreed, theirs: title, ours: track.title,
      [
        Exception(
          "takes the handler's name for a title",
          if: track.title == nil && title.map(agreed.handlerNames.contains) ?? false,
          title)
      ])
  }

  private func languageExceptions(_ agreed: AgreedTrack, _ theirs: String?) -> [Exception] {
    let code = agreed.languageCode
    return [
      Exception("does not read elng", if: agreed.track.extendedLanguage != nil, agreed.headerLanguage),
      Exception("leaves mis out", if: agreed.language == "mis", nil),
      // QTFF, table 5-1: 29 is Northern Sámi, 50 is Azerbaijani in Arabic script.
      Exception("has another name for the Macintosh code 29", if: code == 29, "smi"),
      Exception("has another name for the Macintosh code 50", if: code == 50, "hy"),
      // MediaInfo repeats 61 to 94 for 95 to 127, and is off by one for 128 to 138.
      Exception("has a wrong table of Macintosh codes", if: code == 86 || (95..<0x400).contains(code), theirs),
      Exception("prints bits as letters", if: agreed.hasOddLanguageCode, theirs),
    ]
  }
}

// Rules about decoder configurations, and about the formats that Apple's players decode (``PlayerSupport``).
extension Rule {
  static let playbackRules = [
    configuration, inBandParameterSets, unplayableFormat, partlySupportedFormat, notInBrowsers,
  ]

  private static let configuration = Rule(
    "description.configuration", .error,
    clause: "ISO/IEC 14496-15, 5.3.3 and 8.3.3; ISO/IEC 14496-14, 5.6; the binding of each codec",
    effect: "Players do not play this track: its picture or sound is missing.",
    fix: [.makeAgain]
  ) { examination, report in
    for track in examination.tracks where track.isPlayed && !report.isFull {
      guard let defect = examination.movie.configurationDefect(of: track) else { continue }
      report.add(examination.atom(track, "mdia", "minf", "stbl", "stsd"), "the track \(defect)")
    }
  }

  private static let inBandParameterSets = Rule(
    "format.hev1", .error, for: [.apple],
    clause: "HLS Authoring Specification for Apple Devices, 1.10; ISO/IEC 14496-15, 8.4.1",
    effect: "QuickTime Player, Apple TV, iPhone and Safari show no picture.",
    fix: [.fixAutomatically, encodeHEVCAgain()],
    automatically: .declareParameterSetsComplete
  ) { examination, report in
    for track in examination.tracks where InBandParameterSets.mayContainParameterSets(track) && !report.isFull {
      let stsd = examination.atom(track, "mdia", "minf", "stbl", "stsd")
      let name = track.formats.first(where: { InBandParameterSets.replacementFormats[$0] != nil })?.description ?? ""
      let reason = "has the format \(name), which Apple's players do not open: viewers see no picture"
      if let obstacle = examination.parameterSetObstacles?[track.atom] {
        report.add(
          stsd, "\(reason); the format cannot be renamed, because the track \(obstacle)",
          fix: [encodeHEVCAgain(of: examination)])
      } else {
        report.add(stsd, reason, fix: [.fixAutomatically, encodeHEVCAgain(of: examination)])
      }
    }
  }

  private static func encodeHEVCAgain(of examination: MovieExamination? = nil) -> Remedy {
    encode("video", "-c:v libx265 -tag:v hvc1", of: examination)
  }

  private static let unplayableFormat = Rule(
    "format.not-played", .error, for: [.apple], clause: formatClause,
    effect: "QuickTime Player, Apple TV, iPhone and Safari do not play this track: its picture or sound is missing.",
    fix: [encodeAgain(.video), encodeAgain(.audio)]
  ) { examination, report in
    for track in examination.tracks where track.isPlayed && !examination.isChapterList(track) && !report.isFull {
      for row in examination.movie.playerSupport(of: track) {
        guard let effect = row.apple.effect, !InBandParameterSets.mayContainParameterSets(track) else { continue }
        report.add(
          examination.atom(track, "mdia", "minf", "stbl", "stsd"),
          "has the format \(row.name), which Apple's players do not play: \(effect)",
          fix: [encodeAgain(track.mediaType, of: examination)])
        break
      }
    }
  }

  private static let partlySupportedFormat = Rule(
    "format.some-players", .note, for: [.apple], clause: formatClause,
    effect: "Apple's other players do not play this track: its picture or sound is missing.",
    fix: [encodeAgain(.video), encodeAgain(.audio)]
  ) { examination, report in
    for track in examination.tracks where track.isPlayed && !examination.isChapterList(track) && !report.isFull {
      for row in examination.movie.playerSupport(of: track) {
        guard case .some(let players) = row.apple else { continue }
        report.add(
          examination.atom(track, "mdia", "minf", "stbl", "stsd"),
          "has the format \(row.name), which only some of Apple's players play (\(players))",
          fix: [encodeAgain(track.mediaType, of: examination)])
        break
      }
    }
  }

  private static let notInBrowsers = Rule(
    "format.browsers", .note, for: [.iso],
    clause: "MDN, \"Web video codec guide\" and \"Web audio codec guide\"; measured",
    effect: "At least one of Chrome, Edge and Firefox shows no picture or plays no sound for this track.",
    fix: [encodeAgain(.video), encodeAgain(.audio)]
  ) { examination, report in
    for track in examination.tracks where track.isPlayed && !examination.isChapterList(track) && !report.isFull {
      for row in examination.movie.playerSupport(of: track) {
        let reason: String
        switch row.browsers {
        case .none(let effect): reason = "Chrome, Edge and Firefox do not play: \(effect)"
        case .some(let players): reason = "only some browsers play (\(players))"
        default: continue
        }
        report.add(
          examination.atom(track, "mdia", "minf", "stbl", "stsd"), "has the format \(row.name), which \(reason)",
          fix: [encodeAgain(track.mediaType, of: examination)])
        break
      }
    }
  }

  private static let formatClause =
    "HLS Authoring Specification for Apple Devices, 1.1 to 1.10 and 2.1 to 2.25; technical specifications of the devices"

  private static func encodeAgain(_ type: MediaType, of examination: MovieExamination? = nil) -> Remedy {
    type == .video
      ? encode("video", FFmpegConversion.videoOptions, of: examination)
      : encode("audio", FFmpegConversion.audioOptions, of: examination)
  }

  /// Returns the advice to encode the video or audio again.
  private static func encode(_ noun: String, _ options: String, of examination: MovieExamination?) -> Remedy {
    let conversion = FFmpegConversion(options, of: examination?.tracks ?? [])
    return .manual(
      "encode the \(noun) again: ffmpeg -i FILE -map 0 -dn -c copy \(conversion.options) OUT"
        + (conversion.isQuickTime ? ".mov" : ""))
  }
}

extension Track {
  fileprivate var isPlayed: Bool { mediaType == .video || mediaType == .audio }
}

/// The captions of both fields of line 21, decoded into the screens of their channels.
///
///     let captions = try DecodedCaptions([pairs, []])
///     if let channel = captions.channel(nil) { show(captions.screens(of: channel)) }
package struct DecodedCaptions {
  /// The maximum distance of a repeated control code in pictures and in MCC files. Up to two frames without a pair may
  /// be between the codes.
  package static let pictureRepetitionFrames: Int64 = 3

  private let decoders: [CaptionDecoder]

  /// Decodes the pairs of the fields. The times of the pairs must not decrease. `unitsPerFrame` is the duration of a
  /// frame in units of these times. `repetitionFrames` is the maximum distance of a repeated control code.
  ///
  /// Throws if the captions exceed `limits`.
  package init(
    _ fields: [[TimedCaptionPair]], unitsPerFrame: Int64 = 1, repetitionFrames: Int64 = 1,
    parity: CaptionDecoder.Parity = .ignored, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) {
    var decoders: [CaptionDecoder] = []
    for (field, pairs) in fields.enumerated() {
      var decoder = CaptionDecoder(
        field: field, unitsPerFrame: unitsPerFrame, repetitionFrames: repetitionFrames, parity: parity, limits: limits)
      for pair in pairs { try decoder.receive(pair) }
      try decoder.finish()
      decoders.append(decoder)
    }
    self.decoders = decoders
  }

  /// The screens of a channel, in order of their times.
  package func screens(of channel: CaptionChannel) -> [CaptionScreen] {
    channel.field < decoders.count ? decoders[channel.field].screens(of: channel) : []
  }

  /// The channels that show captions.
  package var shownChannels: [CaptionChannel] {
    CaptionChannel.allCases.filter { screens(of: $0).contains { !$0.rows.isEmpty } }
  }

  /// Returns the requested channel, or the first channel that shows captions if `requested` is `nil`. Returns `nil` if
  /// the channel shows no captions.
  package func channel(_ requested: CaptionChannel?) -> CaptionChannel? {
    shownChannels.first { $0 == requested ?? $0 }
  }

  /// The names of the services that carry characters, such as CC1 and T2.
  package var serviceNames: [String] { decoders.flatMap(\.serviceNames) }

  /// Returns a notice that names the services except `channel`, or `nil` if there are none. `container` is the noun for
  /// the container of the captions.
  package func noticeAboutServices(
    except channel: CaptionChannel, of container: String
  ) -> SubtitleNotice? {
    let others = serviceNames.filter { $0 != channel.rawValue }
    guard !others.isEmpty else { return nil }
    return SubtitleNotice(
      line: 0, kind: .otherServices,
      message: "\(channel.rawValue) is read; \(container) also contains \(others.joined(separator: ", "))")
  }

  /// Returns the reason why no captions are shown. `digitalServices` are the numbers of the services of CEA-708.
  package func reasonForNoCues(_ digitalServices: [Int], of container: String) -> String {
    let names = serviceNames
    if !names.isEmpty { return "no captions are shown; \(container) contains \(names.joined(separator: ", "))" }
    guard !digitalServices.isEmpty else { return "no captions" }
    let services = digitalServices.map(String.init).joined(separator: ", ")
    let noun = digitalServices.count == 1 ? "service" : "services"
    return "all captions are CEA-708 (\(noun) \(services)); only CEA-608 captions can be read"
  }

  /// Returns notices about bytes and codes that are not shown as they were transmitted. If a channel is requested, the
  /// notices concern this channel alone.
  package func findings(of channel: CaptionChannel?) -> [SubtitleNotice] {
    var findings: [SubtitleNotice] = []
    for decoder in decoders {
      let faults = decoder.faults(of: channel)
      func add(
        _ kind: SubtitleNotice.Kind, _ found: CaptionFaults.Tally, _ noun: String, _ description: String,
        _ result: String, subject: String = ""
      ) {
        guard found.count > 0 else { return }
        let verb = found.count == 1 ? "was" : "were"
        let first = found.firstLine > 0 ? "; this line contains the first" : ""
        findings.append(
          SubtitleNotice(
            line: found.firstLine, kind: kind, subject: subject,
            message: "\(counted(found.count, noun)) \(description) \(verb) \(result)\(first)"))
      }
      add(
        .uncheckedBytes, faults.parityErrors, "byte", "with even parity",
        "read without the parity bit", subject: "parity")
      add(
        .textCut, faults.overwrittenCharacters, "character",
        "beyond the last column", "written into the last column, over the previous character")
      add(.ignoredCode, faults.ignoredCodes, "code", "without effect on captions", "ignored")
      add(
        .textOutsideCue, faults.strayCharacters, "character",
        "before the first control code", "dropped", subject: SubtitleNotice.pairsSubject)
    }
    return findings
  }
}

// Writing of subtitle files in all formats. `SubtitleFile.written(as:)` selects the writer of a format. All writers use
// `SubtitleTextWriter`.

extension SubtitleFile {
  /// A subtitle file as bytes, with notices about features that its format does not support.
  public struct Written: Hashable, Sendable {
    /// The file in UTF-8 without a byte order mark. Each line ends with LF.
    public let bytes: [UInt8]
    /// Notices about features of the cues that the format does not support.
    public let notices: [SubtitleNotice]

    package init(bytes: [UInt8], notices: [SubtitleNotice]) {
      self.bytes = bytes
      self.notices = notices
    }
  }

  /// Returns the cues as a file in `format`. Takes linear time.
  ///
  ///     let captions = try SubtitleFile.read(bytes, named: "film.en.srt").written(as: .webVTT).bytes
  public func written(as format: SubtitleFileFormat) -> Written { written(as: format, from: nil) }

  /// Returns the numbering of time codes in a file of `format`, or `nil` if the format contains times.
  package func numbering(as format: SubtitleFileFormat, dropsFrames: Bool = true) -> Timecode.Numbering? {
    switch format {
    case .subRip, .webVTT: nil
    case .scenarist: Timecode.Numbering(.line21, dropsFrames: dropsFrames)
    case .macCaption: Timecode.Numbering(macCaptions?.rate ?? .line21, dropsFrames: dropsFrames)
    }
  }

  /// Returns the cues as a file in `format`. `start` is the time code of time 0 in an SCC or MCC file, with a numbering
  /// of ``numbering(as:dropsFrames:)``. If `start` is `nil`, the time codes begin at 00:00:00:00.
  package func written(as format: SubtitleFileFormat, from start: Timecode.Start?) -> Written {
    switch format {
    case .subRip:
      let written = SubRipWriter.write(cues)
      return Written(bytes: written.bytes, notices: written.notices + (webVTT?.inexpressibleNotices ?? []))
    case .webVTT: return WebVTTWriter.write(cues, webVTT?.matching(cues))
    case .scenarist:
      let (numbering, frame) = (start?.numbering ?? .dropFrame, start?.frame ?? 0)
      if let captions = unchangedCaptions, captions.rate == .line21, captions.channel.field == 0 {
        return Written(
          bytes: ScenaristWriter.write(captions.fields[0], numbering, from: frame),
          notices: captions.lostSecondFieldNotices)
      }
      let encoded = encodedCaptions
      return Written(
        bytes: ScenaristWriter.write(encoded.pairs, numbering, from: frame), notices: encoded.notices.finished)
    case .macCaption:
      let captions = macCaptions
      let numbering = start?.numbering ?? Timecode.Numbering(captions?.rate ?? .line21, dropsFrames: true)
      if let captions {
        return Written(bytes: MacCaptionWriter.write(captions.fields, numbering, from: start?.frame ?? 0), notices: [])
      }
      let encoded = encodedCaptions
      return Written(
        bytes: MacCaptionWriter.write([encoded.pairs], numbering, from: start?.frame ?? 0),
        notices: encoded.notices.finished)
    }
  }

  /// The captions that an MCC file contains unchanged, or `nil` if the cues are encoded.
  private var macCaptions: CaptionSource? {
    unchangedCaptions.flatMap { MacCaptionWriter.supports($0.rate) ? $0 : nil }
  }

  /// The caption pairs from which the cues were read, or `nil` if the cues were not read from captions or have changed.
  private var unchangedCaptions: CaptionSource? {
    captions?.readCues == cues && captions?.fields.count == 2 ? captions : nil
  }

  /// The cues as pop-on captions. Regions and style sheets of WebVTT are reported as lost.
  private var encodedCaptions: CaptionEncoder.Encoded {
    var encoded = CaptionEncoder.encode(webVTT?.placedInCaptionRows(cues) ?? cues)
    for notice in webVTT?.inexpressibleNotices ?? [] where notice.appliesToCaptions {
      encoded.notices.add(notice.kind, notice.subject, line: notice.line, lostText: notice.lostText, notice.message)
    }
    return encoded
  }
}

extension CaptionSource {
  /// A notice about lost pairs, if there are pairs in the second field. An SCC file contains only the first field.
  fileprivate var lostSecondFieldNotices: [SubtitleNotice] {
    guard fields.count > 1, !fields[1].isEmpty else { return [] }
    return [
      SubtitleNotice(
        line: 0, kind: .otherServices, subject: "field",
        message: "\(counted(fields[1].count, "pair")) of the second field (CC3, CC4, program data) "
          + "\(fields[1].count == 1 ? "is" : "are") omitted: an SCC file contains only the first field"
          + "; an MCC file contains both fields")
    ]
  }
}

struct SubtitleTextWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

  mutating func write(_ byte: UInt8) { bytes.append(byte) }

  mutating func write(_ scalar: Unicode.Scalar) {
    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  /// Writes a time as `HH:MM:SS`, followed by `fractionMark` and milliseconds with three digits. Negative times are
  /// written as 0.
  mutating func write(time milliseconds: Int64, fractionMark: String) {
    let total = UInt64(max(0, milliseconds))
    write(number: total / 3_600_000, digits: 2)
    write(":")
    write(number: total / 60_000 % 60, digits: 2)
    write(":")
    write(number: total / 1_000 % 60, digits: 2)
    write(fractionMark)
    write(number: total % 1_000, digits: 3)
  }

  /// Writes a decimal number with at least `digits` digits. Leading zeros fill missing digits.
  mutating func write(number: UInt64, digits: Int = 1) {
    if digits > 1 || number > 9 { write(number: number / 10, digits: digits - 1) }
    bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}

extension StyledText.Color {
  /// Returns the color as six hexadecimal digits, or as eight digits if `withAlpha` is `true`.
  package func hexadecimal(withAlpha: Bool) -> String {
    let components = [red, green, blue] + (withAlpha ? [alpha] : [])
    return components.map { String($0, radix: 16).padded(to: 2) }.joined()
  }
}

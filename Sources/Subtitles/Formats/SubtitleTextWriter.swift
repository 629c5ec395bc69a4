// Writing of subtitle files, which begins in `SubtitleFile.written(as:)`. The writers of all formats use
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

  /// Returns the cues as a file in a format. Requires linear time.
  ///
  ///     let captions = try SubtitleFile.read(bytes, named: "film.en.srt").written(as: .webVTT).bytes
  public func written(as format: SubtitleFileFormat) -> Written {
    switch format {
    case .subRip:
      let written = SubRipWriter.write(cues)
      return Written(bytes: written.bytes, notices: written.notices + (webVTT?.inexpressibleNotices ?? []))
    case .webVTT: return WebVTTWriter.write(cues, webVTT?.matching(cues))
    case .scenarist:
      if let captions = unchangedCaptions, captions.channel.field == 0 {
        return Written(bytes: ScenaristWriter.write(captions.fields[0]), notices: captions.noticesAboutScenarist)
      }
      let encoded = encodedCaptions
      return Written(bytes: ScenaristWriter.write(encoded.pairs), notices: encoded.notices.finished)
    case .macCaption:
      if let captions = unchangedCaptions {
        return Written(bytes: MacCaptionWriter.write(captions.fields), notices: [])
      }
      let encoded = encodedCaptions
      return Written(bytes: MacCaptionWriter.write([encoded.pairs]), notices: encoded.notices.finished)
    }
  }

  /// The pairs of the captions, or `nil` if there are none or the cues were changed.
  private var unchangedCaptions: CaptionSource? {
    captions?.readCues == cues && captions?.fields.count == 2 && captions?.rate == .line21 ? captions : nil
  }

  /// The cues as pop-on captions. Regions and style sheets of WebVTT are reported as lost.
  private var encodedCaptions: CaptionEncoder.Encoded {
    var encoded = CaptionEncoder.encode(cues)
    for notice in webVTT?.inexpressibleNotices ?? [] {
      encoded.notices.add(notice.kind, notice.subject, line: notice.line, lostText: notice.lostText, notice.message)
    }
    return encoded
  }
}

extension CaptionSource {
  /// A notice that SCC files lack the second field, if it has pairs.
  fileprivate var noticesAboutScenarist: [SubtitleNotice] {
    guard fields.count > 1, !fields[1].isEmpty else { return [] }
    return [
      SubtitleNotice(
        line: 0, kind: .otherServices, subject: "field",
        message: "\(counted(fields[1].count, "pair")) of the second field (CC3, CC4, program data) "
          + "\(fields[1].count == 1 ? "is" : "are") left out: SCC contains only the first; MCC contains both")
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

  /// Writes a time as `HH:MM:SS`, the fraction mark and `mmm`. Negative times are written as 0.
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

  /// Writes a decimal number with leading zeros.
  mutating func write(number: UInt64, digits: Int = 1) {
    if digits > 1 || number > 9 { write(number: number / 10, digits: digits - 1) }
    bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}

extension StyledText {
  /// The pieces of the text in order. The text is divided at each change of style.
  package var pieces: [(text: Substring, style: StyledText.Style)] {
    if runs.isEmpty { return isEmpty ? [] : [(text[...], .plain)] }
    var pieces: [(Substring, StyledText.Style)] = []
    let scalars = text.unicodeScalars
    var position = scalars.startIndex
    var count = 0
    func piece(to end: Int, _ style: StyledText.Style) {
      guard end > count else { return }
      let next = scalars.index(position, offsetBy: end - count, limitedBy: scalars.endIndex) ?? scalars.endIndex
      pieces.append((Substring(scalars[position..<next]), style))
      (position, count) = (next, end)
    }
    for run in runs {
      piece(to: run.range.lowerBound, .plain)
      piece(to: run.range.upperBound, run.style)
    }
    if position < scalars.endIndex { pieces.append((Substring(scalars[position...]), .plain)) }
    return pieces
  }
}

extension StyledText.Color {
  /// Returns the color as six hexadecimal digits, or as eight digits including alpha.
  package func hexadecimal(withAlpha: Bool) -> String {
    let components = [red, green, blue] + (withAlpha ? [alpha] : [])
    return components.map { String($0, radix: 16).padded(to: 2) }.joined()
  }
}

/// Writes cues as WebVTT, with styles, colors, voices and placements.
///
///     let bytes = WebVTTWriter.write([Cue(startMilliseconds: 0, endMilliseconds: 900, text:
/// StyledText("Hello"))]).bytes
///
/// Colors become classes. Style sheets at the start of the file define these classes. WebVTT does not support forced
/// cues, so notices report them. If the cues were read from WebVTT, the file is written from their source.
package enum WebVTTWriter {
  /// Writes the cues. Takes linear time.
  ///
  /// If `source` has the same number of cues, the header, identifiers, settings and tagged texts are copied from it.
  /// Times in its texts are shifted with the cues. If `source` is not valid in a file, for example because a cue
  /// contains a blank line, the file is generated from the cues instead.
  package static func write(_ cues: [Cue], _ source: WebVTTSource? = nil) -> SubtitleFile.Written {
    if let source, source.cues.count == cues.count, source.isValidInFile { return write(cues, original: source) }
    var writer = SubtitleTextWriter()
    writer.writeWebVTTHeader(of: cues)
    var notices = NoticeList(SubtitleLimits())
    for cue in cues {
      writer.write("\n")
      writer.write(time: cue.startMilliseconds, fractionMark: ".")
      writer.write(" --> ")
      writer.write(time: cue.endMilliseconds, fractionMark: ".")
      writer.write(cue.placement.webVTTSettings)
      writer.write("\n")
      writer.write(webVTT: cue.text)
      writer.write("\n")
      if cue.isForced {
        notices.add(
          .inexpressibleStyle, line: cue.line, "\(cue.text.excerpt) is forced, which WebVTT does not support")
      }
    }
    return SubtitleFile.Written(bytes: writer.bytes, notices: notices.finished)
  }

  private static func write(_ cues: [Cue], original source: WebVTTSource) -> SubtitleFile.Written {
    var writer = SubtitleTextWriter()
    writer.write(source.header)
    for (cue, original) in zip(cues, source.cues) {
      writer.write("\n")
      if !original.identifier.isEmpty { writer.write(original.identifier + "\n") }
      writer.write(time: cue.startMilliseconds, fractionMark: ".")
      writer.write(" --> ")
      writer.write(time: cue.endMilliseconds, fractionMark: ".")
      writer.write(original.settings.isEmpty ? "\n" : " \(original.settings)\n")
      writer.write(original.text(startingAt: cue.startMilliseconds) + "\n")
    }
    return SubtitleFile.Written(bytes: writer.bytes, notices: [])
  }
}

extension SubtitleTextWriter {
  /// Writes the signature, and a style sheet for the classes that the cues use.
  mutating func writeWebVTTHeader(of cues: [Cue]) {
    write("WEBVTT\n")
    var classes: Set<String> = []
    for cue in cues {
      for run in cue.text.runs {
        for (name, rule) in run.style.webVTTClasses where classes.insert(name).inserted {
          write("\nSTYLE\n::cue(.\(name)) { \(rule) }\n")
        }
      }
    }
  }

  /// Writes the text of a cue. A blank line would end the cue, so an empty tag is written into each blank line.
  mutating func write(webVTT text: StyledText) {
    var isAtLineStart = true
    for segment in text.styledSegments {
      write(segment.style.webVTTStart)
      for scalar in segment.text.unicodeScalars {
        if scalar == "\n" {
          write(isAtLineStart ? "<b></b>\n" : "\n")
          isAtLineStart = true
          continue
        }
        isAtLineStart = false
        switch scalar {
        case "&": write("&amp;")
        case "<": write("&lt;")
        case ">": write("&gt;")
        case "\u{A0}": write("&nbsp;")
        default: write(scalar)
        }
      }
      write(segment.style.webVTTEnd)
    }
  }
}

extension StyledText.Style {
  /// The classes of the style, with their CSS declarations.
  fileprivate var webVTTClasses: [(name: String, rule: String)] {
    var classes: [(String, String)] = []
    if let color { classes.append((color.webVTTClass, "color: \(color.css)")) }
    if let backgroundColor {
      classes.append(("bg_" + backgroundColor.webVTTClass, "background-color: \(backgroundColor.css)"))
    }
    if let sizeInPercent { classes.append(("size_\(sizeInPercent)", "font-size: \(sizeInPercent)%")) }
    return classes
  }

  fileprivate var webVTTStart: String {
    var tags = ""
    if let voice {
      let name = voice.unicodeScalars.map { scalar -> String in
        switch scalar {
        case "&": "&amp;"
        case ">": "&gt;"
        case "<": "&lt;"
        case "\n": " "
        default: String(scalar)
        }
      }
      tags += "<v \(name.joined())>"
    }
    let classes = webVTTClasses
    if !classes.isEmpty { tags += "<c" + classes.map { "." + $0.name }.joined() + ">" }
    return tags + (isBold ? "<b>" : "") + (isItalic ? "<i>" : "") + (isUnderlined ? "<u>" : "")
  }

  fileprivate var webVTTEnd: String {
    (isUnderlined ? "</u>" : "") + (isItalic ? "</i>" : "") + (isBold ? "</b>" : "")
      + (webVTTClasses.isEmpty ? "" : "</c>") + (voice == nil ? "" : "</v>")
  }
}

extension Cue.Placement {
  /// The settings for this placement, with a blank before each setting. The text is empty for the standard placement.
  package var webVTTSettings: String {
    var text = ""
    switch vertical {
    case .bottom: break
    case .middle: text += " line:50%,center"
    case .top: text += " line:0"
    case .fromTop(let hundredths): text += " line:" + Self.percent(hundredths)
    }
    switch horizontal {
    case .left: text += " align:left"
    case .center: break
    case .right: text += " align:right"
    case .indented(let hundredths): text += " position:" + Self.percent(hundredths) + " align:left"
    case .centeredAt(let hundredths): text += " position:" + Self.percent(hundredths)
    case .endingAt(let hundredths): text += " position:" + Self.percent(hundredths) + " align:right"
    }
    return text
  }

  /// Formats hundredths of a percent, limited to the range from 0 to 100 %.
  private static func percent(_ hundredths: Int) -> String {
    let clamped = min(max(0, hundredths), 10_000)
    let (percent, rest) = (clamped / 100, clamped % 100)
    return "\(percent)" + (rest == 0 ? "" : rest < 10 ? ".0\(rest)" : ".\(rest)") + "%"
  }
}

extension StyledText.Color {
  /// The color in CSS syntax.
  fileprivate var css: String { "#" + hexadecimal(withAlpha: alpha < 255) }
}

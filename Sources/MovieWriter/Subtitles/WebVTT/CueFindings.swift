/// What was found in the text of one cue: each kind told once, and counted.
struct CueFindings {
  private struct Finding {
    let kind: SubtitleNotice.Kind
    let line: Int
    let message: String
    var lostText: String?
    var count = 1
  }

  private var found: [Finding] = []

  /// Notes a finding; `lost` is what is shown nowhere because of it.
  mutating func add(
    _ kind: SubtitleNotice.Kind, line: Int, lost: String? = nil, _ message: () -> String
  ) {
    guard let index = found.firstIndex(where: { $0.kind == kind }) else {
      found.append(Finding(kind: kind, line: line, message: message(), lostText: lost))
      return
    }
    found[index].count += 1
    guard let lost else { return }
    if found[index].lostText == nil { found[index].lostText = lost } else { found[index].lostText? += " " + lost }
  }

  func add(to notices: inout NoticeList) {
    for finding in found {
      let more = finding.count > 1 ? " (and \(finding.count - 1) more in this cue)" : ""
      notices.add(finding.kind, line: finding.line, lostText: finding.lostText, finding.message + more)
    }
  }
}

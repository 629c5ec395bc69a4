/// What was found in the text of one cue: each kind reported once for a subject, and counted.
struct CueNotices {
  private struct Finding {
    let kind: SubtitleNotice.Kind
    let subject: String
    let line: Int
    let message: String
    var lostText: String?
    var count = 1
  }

  private var found: [Finding] = []

  /// Notes a finding; `lost` is what is shown nowhere because of it.
  mutating func add(
    _ kind: SubtitleNotice.Kind, _ subject: String = "", line: Int, lost: String? = nil, _ message: () -> String
  ) {
    guard let index = found.firstIndex(where: { $0.kind == kind && $0.subject == subject }) else {
      found.append(Finding(kind: kind, subject: subject, line: line, message: message(), lostText: lost))
      return
    }
    found[index].count += 1
    guard let lost else { return }
    if found[index].lostText == nil { found[index].lostText = lost } else { found[index].lostText? += " " + lost }
  }

  func add(to notices: inout NoticeList) {
    for finding in found {
      let more = finding.count > 1 ? " (and \(finding.count - 1) more in this cue)" : ""
      notices.add(
        finding.kind, finding.subject, line: finding.line, lostText: finding.lostText, finding.message + more)
    }
  }
}

/// What was found in the text of one cue: each kind reported once for a subject, and counted.
struct CueNotices {
  private struct Finding {
    let kind: SubtitleNotice.Kind
    let subject: String
    let line: Int
    let message: String
    /// What is shown nowhere because of all of them, blanks between; `nil` where nothing is lost.
    var lost: [UInt8]?
    var count = 1
  }

  private var found: [Finding] = []
  private static let largestCount = 64
  /// How often what is lost was moved to where there is room for more.
  private(set) var lostTextReallocationCount = 0

  /// Notes a finding; `lost` is what is shown nowhere because of it.
  mutating func add(
    _ kind: SubtitleNotice.Kind, _ subject: String = "", line: Int, lost: ArraySlice<UInt8>? = nil,
    _ message: () -> String
  ) {
    // The tag or override that a notice is about comes from the file, and can be a new one every five bytes: beyond a
    // few, notices are merged into one.
    let subject = found.count < Self.largestCount ? subject : ""
    let known = found.firstIndex { $0.kind == kind && $0.subject == subject }
    if let known { found[known].count += 1 }
    let index = known ?? found.count
    if known == nil { found.append(Finding(kind: kind, subject: subject, line: line, message: message())) }
    guard let lost else { return }
    // Appended where it is: a copy for each of many tags would cost their number squared.
    let room = found[index].lost?.capacity
    if found[index].lost == nil { found[index].lost = [] } else { found[index].lost?.append(Ascii.space) }
    found[index].lost?.append(contentsOf: lost)
    if found[index].lost?.capacity != room { lostTextReallocationCount += 1 }
  }

  func add(to notices: inout NoticeList) {
    for finding in found {
      let more = finding.count > 1 ? " (and \(finding.count - 1) more in this cue)" : ""
      notices.add(
        finding.kind, finding.subject, line: finding.line,
        lostText: finding.lost.map { String(decoding: $0, as: UTF8.self) }, finding.message + more)
    }
  }
}

import Testing

@testable import Subtitles

/// Screens become cues with times, placements and styles.
struct CaptionCueTests {
  private func cues(_ codes: [CaptionCode]) throws -> [Cue] {
    var notices = NoticeList(SubtitleLimits())
    return try codes.screens().cues(.line21, &notices)
  }

  @Test func rowsAtTheEdgesOfTheScreenAreTopAndBottom() throws {
    func vertical(_ rows: Int...) throws -> Cue.Placement.Vertical? {
      let codes = rows.flatMap { [CaptionCode.pac($0, indent: 12), .text("Some texts")] }
      return try cues([.rcl] + codes + [.eoc, .null, .edm]).first?.placement.vertical
    }
    #expect(try vertical(15) == .bottom)
    #expect(try vertical(14, 15) == .bottom)
    #expect(try vertical(1, 2) == .top)
    #expect(try vertical(14) == .fromTop(hundredthsOfPercent: 7_933))
    #expect(try vertical(2) == .fromTop(hundredthsOfPercent: 1_533))
  }

  @Test func rowsCentredOneByOneAreCentred() throws {
    let cue = try #require(
      cues([.rcl, .pac(14, indent: 8), .tab(2), .text("twelve chars"), .pac(15, indent: 12), .text("eight ch"), .eoc])
        .first)
    #expect(cue.text.text == "twelve chars\neight ch")
    #expect(cue.placement == .standard)
  }

  @Test func rowsThatAreNotCenteredKeepTheirColumns() throws {
    let cue = try #require(
      cues([.rcl, .pac(14, indent: 4), .text("- Who?"), .pac(15, indent: 8), .tab(1), .text("- Me."), .eoc]).first)
    #expect(cue.text.text == "- Who?\n     - Me.")
    #expect(cue.placement.horizontal == .indented(hundredthsOfPercent: 2_000))
  }

  @Test func rowsWithAnEmptyRowBetweenThemAreTwoCues() throws {
    let both = try cues([.rcl, .pac(2), .text("Up"), .pac(15), .text("Down"), .eoc, .null, .edm])
    #expect(both.map(\.text.text) == ["Up", "Down"])
    #expect(Set(both.map(\.startMilliseconds)).count == 1 && Set(both.map(\.endMilliseconds)).count == 1)
  }

  @Test func roundTripsPlacementsThroughRowsAndColumns() {
    for row in 1...15 { #expect(CaptionArea.row(at: CaptionArea.hundredthsOfPercent(ofRow: row)) == row) }
    for column in 0..<32 {
      #expect(CaptionArea.column(at: CaptionArea.hundredthsOfPercent(ofColumn: column)) == column)
    }
    #expect(CaptionArea.row(at: .min) == 1 && CaptionArea.row(at: .max) == 15)
    #expect(CaptionArea.column(at: .min) == 0 && CaptionArea.column(at: .max) == 31)
  }

  @Test func aCaptionThatNothingErasesEndsAfterSixteenSeconds() throws {
    var notices = NoticeList(SubtitleLimits())
    let cue = try #require([CaptionCode.rcl, .pac(15), .text("A"), .eoc].screens().cues(.line21, &notices).first)
    #expect(cue.endMilliseconds - cue.startMilliseconds == 16_000)
    #expect(notices.finished.map(\.kind) == [.endMoved])
  }

  // MARK: - What other formats lose

  @Test func otherFormatsReportALostDistanceFromTheLeftEdge() throws {
    let place = Cue.Placement(horizontal: .indented(hundredthsOfPercent: 3_250))
    let file = SubtitleFile(
      cues: [Cue(startMilliseconds: 0, endMilliseconds: 900, text: "A", placement: place)], notices: [])
    let subRip = file.written(as: .subRip)
    #expect(String(decoding: subRip.bytes, as: UTF8.self).hasSuffix("\nA\n"))
    #expect(subRip.notices.map(\.kind) == [.approximatedPlacement])
    let webVTT = file.written(as: .webVTT)
    #expect(String(decoding: webVTT.bytes, as: UTF8.self).contains(" position:32.50% align:left\nA\n"))
    #expect(try SubtitleFile.read(webVTT.bytes).cues.map(\.placement) == file.cues.map(\.placement))
    #expect(webVTT.notices.isEmpty)
  }
}

import SubtitleTestSupport
import Subtitles
import Testing

/// Settings and regions, by the rules that the public WebVTT tests name, and the resulting placement.
struct WebVTTSettingsTests {
  private struct Reading: Equatable {
    let placement: Cue.Placement
    let kinds: [SubtitleNotice.Kind]

    init(_ placement: Cue.Placement, _ kinds: [SubtitleNotice.Kind]) {
      self.placement = placement
      self.kinds = kinds
    }
  }

  private func read(_ settings: String, regions: String = "") throws -> Reading {
    let file = try readWebVTT("\(regions)00:01.000 --> 00:02.000 \(settings)\nA\n")
    return Reading(file.cues[0].placement, file.kinds)
  }

  @Test(arguments: [
    ("line:0", Cue.Placement.Vertical.top), ("line:-0", .top), ("line:0%", .top), ("line:00%", .top),
    ("line:-1", .bottom),
    ("line:-4", .bottom), ("line:14", .bottom), ("line:100", .bottom), ("line:65536", .bottom),
    ("line:10000000000000000000000000000000000", .bottom), ("line:100%", .bottom), ("line:90%", .bottom),
    ("line:89.99%", .fromTop(hundredthsOfPercent: 8_999)), ("line:1.5%", .fromTop(hundredthsOfPercent: 150)),
    ("line:50%", .fromTop(hundredthsOfPercent: 5_000)), ("line:50%,center", .middle), ("line:100%,end", .bottom),
  ])
  func settingsLine(setting: String, place: Cue.Placement.Vertical) throws {
    let reading = try read(setting)
    #expect(reading.placement == Cue.Placement(vertical: place))
    #expect(reading.kinds.isEmpty)
  }

  @Test(arguments: [
    ("line:1", 555), ("line:1.5", 555), ("line:13", 7_222), ("line:-5", 7_222), ("line:-17", 555),
    ("line:50%,end", 3_500), ("line:40%,center", 3_250),
  ])
  func approximatesIntermediateLines(setting: String, hundredths: Int) throws {
    let reading = try read(setting)
    #expect(reading.placement == Cue.Placement(vertical: .fromTop(hundredthsOfPercent: hundredths)))
    #expect(reading.kinds == [.approximatedPlacement])
  }

  @Test(arguments: ["line:-18", "line:-100", "line:10%,end", "line:15%,end", "line:7%,center"])
  func placesLinesAboveThePictureAtTheTop(setting: String) throws {
    let reading = try read(setting)
    #expect(reading == Reading(Cue.Placement(vertical: .top), [.approximatedPlacement]))
  }

  @Test(arguments: [
    "line:65536%", "line:-0%", "line:101%", "line:100.01%", "line:1%-", "line:1-", "line:%1", "line:1%%", "line:0%0",
    "line:0%x", "line:-", "line:%", "line:1..5", "line:.5", "line:5.", "line:", "line", "line:100%,middle", "line:0,",
    "line:0,start,end", "LINE:0", "line:x", "line:--1", "line:1-1",
  ])
  func invalidLine(setting: String) throws {
    let reading = try read(setting)
    #expect(reading.placement == .standard)
    #expect(reading.kinds == [.ignoredSetting])
  }

  @Test func splitsASettingAtABlank() throws {
    #expect(try read("line: 0%") == Reading(.standard, [.ignoredSetting]))
    #expect(
      try read("position:1% ,center")
        == Reading(Cue.Placement(horizontal: .centeredAt(hundredthsOfPercent: 100)), [.ignoredSetting]))
  }

  @Test(arguments: [
    ("start", Cue.Placement.Horizontal.left), ("left", .left), ("center", .center), ("middle", .center),
    ("end", .right),
    ("right", .right),
  ])
  func settingsAlign(value: String, side: Cue.Placement.Horizontal) throws {
    #expect(try read("align:\(value)") == Reading(Cue.Placement(horizontal: side), []))
  }

  @Test(arguments: ["align:Start", "align:", "align:start,end", "align:top"])
  func invalidAlign(setting: String) throws {
    #expect(try read(setting) == Reading(.standard, [.ignoredSetting]))
  }

  @Test(arguments: [
    ("position:33.99%", Cue.Placement.Horizontal.centeredAt(hundredthsOfPercent: 3_399)),
    ("position:50%", .center), ("position:50%,center", .center), ("position:0%,line-left", .center),
    ("position:60%,line-left", .centeredAt(hundredthsOfPercent: 8_000)),
    ("position:50%,line-right", .centeredAt(hundredthsOfPercent: 2_500)),
    ("position:20%,line-left size:30%", .centeredAt(hundredthsOfPercent: 3_500)),
    ("position:1% position:x", .centeredAt(hundredthsOfPercent: 100)),
    ("align:start position:50%", .indented(hundredthsOfPercent: 5_000)), ("position:0% align:left", .left),
    ("position:25%,line-left align:left", .indented(hundredthsOfPercent: 2_500)),
    ("position:90%,line-right align:left", .left),
    ("position:90%,line-right size:40% align:left", .indented(hundredthsOfPercent: 5_000)),
    ("position:70%,center size:40% align:left", .indented(hundredthsOfPercent: 5_000)),
    ("align:end position:10%", .endingAt(hundredthsOfPercent: 1_000)), ("align:right position:100%", .right),
    ("align:end position:40%,center size:20%", .endingAt(hundredthsOfPercent: 5_000)),
    ("align:end position:80%,line-left size:60%", .right),
  ])
  func settingsPosition(settings: String, side: Cue.Placement.Horizontal) throws {
    #expect(try read(settings).placement == Cue.Placement(horizontal: side))
  }

  @Test(arguments: [
    "position:-1%", "position:1", "position:1x", "position:1%x", "position:", "position:101%", "position:101%,center",
    "position:1%,start", "position:1%,", "size:-1%", "size:101%", "size:1", "size:1%%", "vertical:", "vertical:xx",
    "vertical:RL", "vertical:rl,lr", "other:1",
  ])
  func invalidPositionSizeVertical(setting: String) throws {
    #expect(try read(setting) == Reading(.standard, [.ignoredSetting]))
  }

  @Test func reportsInexpressibleSizeAndVertical() throws {
    #expect(try read("size:100%") == Reading(.standard, []))
    #expect(try read("size:99%") == Reading(.standard, [.placementLost]))
    #expect(try read("vertical:rl") == Reading(.standard, [.placementLost]))
    #expect(try read("vertical:lr line:0 align:start") == Reading(.standard, [.placementLost]))
  }

  @Test func settingsMultiple() throws {
    #expect(
      try read("align:start line:1% position:25%")
        == Reading(
          Cue.Placement(
            vertical: .fromTop(hundredthsOfPercent: 100), horizontal: .indented(hundredthsOfPercent: 2_500)), []))
    #expect(try read("line:0 line:-1").placement == .standard)
  }

  // MARK: - Regions

  private func region(_ settings: String, cue: String = "region:a") throws -> Reading {
    try read(cue, regions: "REGION\nid:a \(settings)\n\n")
  }

  @Test func placesACueInItsRegion() throws {
    #expect(try region("viewportanchor:0%,0% regionanchor:0%,0%").placement.vertical == .top)
    #expect(try region("viewportanchor:0%,0% regionanchor:0%,0%").kinds == [.approximatedPlacement])
    #expect(try region("").placement.vertical == .bottom)
    #expect(
      try region("lines:3 viewportanchor:0%,40% regionanchor:0%,0%").placement.vertical
        == .fromTop(hundredthsOfPercent: 4_000))
    #expect(
      try region("lines:2 viewportanchor:10%,40% regionanchor:0%,100%").placement.vertical
        == .fromTop(hundredthsOfPercent: 2_934)
    )
    #expect(try region("width:30% viewportanchor:100%,100% regionanchor:100%,100%").placement.horizontal == .right)
  }

  @Test func readsRegionSettingsOnSeveralLines() throws {
    let reading = try read(
      "region:bill",
      regions: "REGION\nid:bill\nwidth:40%\nlines:3\nregionanchor:0%,0%\nviewportanchor:0%,0%\nscroll:up\n\n")
    let place = Cue.Placement(vertical: .top, horizontal: .left)
    #expect(reading == Reading(place, [.ignoredSetting, .approximatedPlacement]))
  }

  @Test(arguments: [
    "lines:x", "lines:-1", "viewportanchor:0%", "viewportanchor:0,0", "viewportanchor:101%,0%", "regionanchor:",
    ":width:30%",
  ])
  func ignoresInvalidRegionSettings(settings: String) throws {
    let usual = try region("")
    #expect(try region(settings) == Reading(usual.placement, [.ignoredSetting] + usual.kinds))
  }

  @Test func prefersACuesLineToItsRegion() throws {
    #expect(
      try region("viewportanchor:0%,0% regionanchor:0%,0%", cue: "region:a line:50%").placement
        == Cue.Placement(vertical: .fromTop(hundredthsOfPercent: 5_000)))
  }

  @Test func ignoresRegionsWithoutIDsAndMissingRegions() throws {
    #expect(try read("region:b", regions: "REGION\nwidth:40%\n\n") == Reading(.standard, [.ignoredSetting]))
    #expect(try region("", cue: "region:b") == Reading(.standard, [.ignoredSetting]))
  }

  @Test func usesTheLastRegionWithAnID() throws {
    let reading = try read(
      "region:a",
      regions: "REGION\nid:a viewportanchor:0%,100%\n\nREGION\nid:a regionanchor:0%,0% viewportanchor:0%,0%\n\n")
    #expect(reading.placement.vertical == .top)
  }
}

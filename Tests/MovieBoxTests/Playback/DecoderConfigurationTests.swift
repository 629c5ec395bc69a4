import MovieBox
import TestSupport
import Testing

/// Sample descriptions without a decoder configuration.
struct DecoderConfigurationTests {
  /// Returns the defect of a video or audio track with this description.
  private func defect(_ entry: [UInt8], isSound: Bool = false, _ dialect: TestMovie.Dialect = .iso) throws -> String? {
    let track = TestTrack(isSound ? .sound : .video, id: 1).with { $0.sampleEntries = [entry] }
    let movie = try Movie(of: MemorySource(Bytes(TestMovie(tracks: [track]).with { $0.dialect = dialect }.bytes())))
    let reason = movie.configurationDefect(of: movie.tracks[0])
    // The rule reports it, whatever the target.
    #expect(movie.findings.contains { $0.rule.id == "description.configuration" } == (reason != nil))
    return reason
  }

  private func picture(_ format: String, _ extensions: [UInt8]) throws -> String? {
    try defect(SampleEntry.video(format, width: 64, height: 36, extensions: extensions))
  }

  private func sound(_ format: String, _ extensions: [UInt8]) throws -> String? {
    try defect(SampleEntry.sound(format, rate: 48_000, extensions: extensions), isSound: true)
  }

  private static let pictures = ["avcC": "avc1", "hvcC": "hvc1", "av1C": "av01", "vpcC": "vp09"]
  private static let sounds = [
    "esds": "mp4a", "dOps": "Opus", "dfLa": "fLaC", "dac3": "ac-3", "dec3": "ec-3", "alac": "alac",
  ]

  @Test func findsMissingAndEmptyConfigurations() throws {
    for (type, format) in Self.pictures {
      #expect(try picture(format, []) == "has no decoder configuration (\(type))")
      #expect(try picture(format, atom(type) {}) == "has a decoder configuration (\(type)) that is empty or cut off")
    }
    for (type, format) in Self.sounds {
      #expect(try sound(format, []) == "has no decoder configuration (\(type))")
      #expect(try sound(format, atom(type) {}) == "has a decoder configuration (\(type)) that is empty or cut off")
    }
    #expect(try picture("hev1", []) == "has no decoder configuration (hvcC)")
    #expect(try picture("avc3", atom("avcC") {})?.hasSuffix("empty or cut off") == true)
  }

  @Test func acceptsCompleteConfigurations() throws {
    #expect(try picture("avc1", SampleEntry.avcC) == nil)
    #expect(try picture("hvc1", SampleEntry.hvcC()) == nil)
    #expect(try picture("av01", atom("av1C") { u8(0x81, 0x08, 0x0C, 0) }) == nil)
    #expect(try picture("vp09", atom("vpcC") { u8(1, 0, 0, 0, 2, 31, 0xA2, 1, 1, 1, 0, 0) }) == nil)
    #expect(try sound("mp4a", SampleEntry.esds(rate: 48_000, channels: 2)) == nil)
    #expect(try sound("mp4a", StreamableMovie.esds([], objectType: 0x6B)) == nil)  // MP3 has no configuration.
    #expect(try sound("Opus", atom("dOps") { zeros(11) }) == nil)
    #expect(try sound("fLaC", atom("dfLa") { zeros(42) }) == nil)
    #expect(try sound("ac-3", atom("dac3") { u8(0x10, 0x3D, 0xE0) }) == nil)
    #expect(try sound("ec-3", atom("dec3") { zeros(5) }) == nil)
    #expect(try sound("alac", atom("alac") { zeros(28) }) == nil)
    // Formats that are not known to need a configuration.
    #expect(try picture("apch", []) == nil)
    #expect(try sound("sowt", []) == nil)
  }

  @Test func requiresParameterSetsUnlessSamplesMayContainThem() throws {
    let none = SampleEntry.avcC(sequence: nil)
    #expect(
      try picture("avc1", none) == "has no sequence and picture parameter set in its decoder configuration (avcC)")
    #expect(try picture("avc3", none) == nil)
    let withoutVideo = SampleEntry.hvcC(Array(SampleEntry.setsOfHEVC.dropFirst()))
    #expect(try picture("hvc1", withoutVideo) == "has no video parameter set in its decoder configuration (hvcC)")
    #expect(try picture("hev1", withoutVideo) == nil)
    #expect(try sound("mp4a", StreamableMovie.esds([]))?.contains("AudioSpecificConfig") == true)
  }

  @Test func findsAConfigurationInWave() throws {
    let entry = SampleEntry.soundVersion1(
      "mp4a", channels: 2, rate: 48_000, packet: (1024, 0, 0), compressionID: -2,
      extensions: atom("wave") { SampleEntry.esds(rate: 48_000, channels: 2) })
    #expect(try defect(entry, isSound: true, .quickTime) == nil)
  }

  @Test func namesTheSecondDescription() throws {
    let track = TestTrack(.video, id: 1).with {
      $0.sampleEntries = [
        SampleEntry.video(width: 64, height: 36, extensions: SampleEntry.avcC),
        SampleEntry.video(width: 64, height: 36),
      ]
    }
    let movie = try Movie(of: MemorySource(Bytes(TestMovie(tracks: [track]).bytes())))
    #expect(movie.configurationDefect(of: movie.tracks[0])?.hasSuffix("(avcC), in description 2") == true)
  }

  /// A truncated configuration is a defect and does not trap.
  @Test func reportsTruncatedConfigurations() throws {
    let (avc, hevc) = (Array(SampleEntry.avcC.dropFirst(8)), Array(SampleEntry.hvcC().dropFirst(8)))
    for count in 0..<avc.count { #expect(try picture("avc1", atom("avcC") { Array(avc.prefix(count)) }) != nil) }
    for count in 0..<hevc.count { #expect(try picture("hvc1", atom("hvcC") { Array(hevc.prefix(count)) }) != nil) }
  }
}

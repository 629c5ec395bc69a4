import MovieBox
import TestSupport
import Testing

/// The table of formats and the players that decode them.
struct PlayerSupportTests {
  private func row(_ format: FourCC, _ type: FourCC = "none", _ payload: [UInt8] = []) -> PlayerSupport? {
    PlayerSupport.support(for: CodedFormat(format) { $0 == type ? Bytes(payload) : nil })
  }

  private func payload(_ atom: [UInt8]) -> [UInt8] { Array(atom.dropFirst(8)) }

  private func sound(_ configuration: [UInt8], objectType: Int = 0x40) -> PlayerSupport? {
    row("mp4a", "esds", payload(StreamableMovie.esds(configuration, objectType: objectType)))
  }

  /// Returns a sequence parameter set of a high profile with chroma format and depth: identifier 0, then these numbers.
  private func avcC(profile: UInt8, chroma: Int, extraBits: Int) -> [UInt8] {
    func number(_ value: Int) -> String {
      let digits = String(value + 1, radix: 2)
      return String(repeating: "0", count: digits.count - 1) + digits
    }
    let bits = number(0) + number(chroma) + (chroma == 3 ? "0" : "") + number(extraBits) + number(extraBits) + "1000000"
    let padded = bits + String(repeating: "0", count: (8 - bits.count % 8) % 8)
    let bytes = stride(from: 0, to: padded.count, by: 8).compactMap { UInt8(padded.dropFirst($0).prefix(8), radix: 2) }
    return payload(SampleEntry.avcC(sequence: [0x67, profile, 0, 0x1F] + bytes))
  }

  @Test func distinguishesVideoByChromaAndDepth() {
    #expect(row("avc1", "avcC", payload(SampleEntry.avcC))?.apple == .all)
    let full = row("avc1", "avcC", avcC(profile: 244, chroma: 3, extraBits: 0))
    #expect(full?.name == "H.264 4:4:4" && full?.apple.effect == "viewers see no picture")
    let half = row("avc1", "avcC", avcC(profile: 122, chroma: 2, extraBits: 0))
    #expect(half?.name == "H.264 4:2:2" && half?.apple != .all && half?.apple.effect == nil)
    #expect(row("avc1", "avcC", avcC(profile: 110, chroma: 1, extraBits: 2))?.apple.effect != nil)
    #expect(row("avc1", "avcC", avcC(profile: 110, chroma: 1, extraBits: 0))?.apple == .all)  // High 10 of 8 bits.
    #expect(row("hvc1", "hvcC", payload(SampleEntry.hvcC(depth: 10)))?.apple == .all)
    #expect(row("hvc1", "hvcC", payload(SampleEntry.hvcC(depth: 12)))?.apple != .all)
    #expect(row("hvc1", "hvcC", payload(SampleEntry.hvcC(chroma: 2)))?.apple != .all)
    #expect(row("av01", "av1C", u8(0x81, 0x08, 0x0C, 0))?.apple.effect == nil)
    #expect(row("av01", "av1C", u8(0x81, 0x28, 0x00, 0))?.apple.effect != nil)  // 4:4:4.
    for format in ["hev1", "dvhe", "avc3", "vp09"] as [FourCC] {
      #expect(row(format)?.apple.effect == "viewers see no picture", "\(format)")
    }
    #expect(row("hvc1")?.browsers != .all && row("vp09")?.browsers == .all)
  }

  @Test func distinguishesAudioByObjectType() {
    #expect(sound([0x12, 0x10])?.name == "AAC")
    for mp3 in [sound([], objectType: 0x6B), sound([], objectType: 0x69)] {
      #expect(mp3?.apple == .all && mp3?.browsers == .all)
      #expect(mp3?.browserStreams.effect == "viewers hear nothing, without an error")
    }
    #expect(sound([0xF8, 0x80, 0, 0, 0])?.name == "MPEG-4 ALS")  // 31, then 4 for 36.
    #expect(sound([0xF9, 0x48, 0x80])?.name == "xHE-AAC")
    #expect(sound([0xF9, 0x48, 0x80])?.apple == .all)
    #expect(row("alac")?.browserStreams.effect == "the presentation stops" && row("alac")?.apple == .all)
    #expect(row("Opus")?.appleStreams.effect != nil && row("Opus")?.apple.effect == nil)
    #expect(row("fLaC")?.apple == .all && row("fLaC")?.browserStreams == .all)
    let atmos = u8(0, 0, 0x20, 0x0F, 0, 1, 16)
    #expect(row("ec-3", "dec3", atmos)?.name == "E-AC-3 with Dolby Atmos (JOC)")
    #expect(row("ec-3", "dec3", u8(0, 0, 0x20, 0x0F, 0))?.name == "E-AC-3")
    #expect(row("sowt")?.apple == .all && row("sowt")?.appleStreams.effect == "viewers hear nothing")
    #expect(PlayerSupport.support(for: CodedFormat("raw ") { _ in nil }, in: .video)?.name.contains("older") == true)
    #expect(PlayerSupport.support(for: CodedFormat("raw ") { _ in nil }, in: .audio)?.name == "PCM")
    #expect(row("fl64")?.browsers.effect == "viewers hear nothing")
    #expect(row("XXXX") == nil)
  }

  @Test(arguments: [
    ("avc1", SampleEntry.avcC(sequence: [0x67, 244, 0, 0x1F, 0x91, 0x60]), "format.not-played"),
    ("vp09", atom("vpcC") { u8(1, 0, 0, 0, 2, 31, 0xA2, 1, 1, 1, 0, 0) }, "format.not-played"),
    ("av01", atom("av1C") { u8(0x81, 0x08, 0x0C, 0) }, "format.some-players"),
  ]) func findsFormatsThatApplesPlayersLack(_ format: String, _ configuration: [UInt8], _ rule: String) throws {
    let movie = TestMovie.right.with {
      $0.tracks[0].sampleEntries = [SampleEntry.video(format, width: 1280, height: 720, extensions: configuration)]
    }
    let found = try RuleExample.broken(movie.bytes(), for: .apple)
    #expect(found.map(\.rule.id) == [rule] && found[0].trackID == 1)
    // Browsers play the other two formats.
    let foundInISO = try RuleExample.broken(movie.with { $0.dialect = .iso }.bytes(), for: .iso)
    #expect(foundInISO.map(\.rule.id) == (format == "avc1" ? ["format.browsers"] : []))
  }

  /// Truncated configurations do not trap.
  @Test func ignoresTruncatedConfigurations() {
    let high = avcC(profile: 244, chroma: 3, extraBits: 0)
    for count in 0..<high.count { #expect(row("avc1", "avcC", Array(high.prefix(count)))?.apple == .all) }
    let hevc = payload(SampleEntry.hvcC())
    for count in 0..<17 { #expect(row("hvc1", "hvcC", Array(hevc.prefix(count)))?.name == "HEVC") }
  }
}

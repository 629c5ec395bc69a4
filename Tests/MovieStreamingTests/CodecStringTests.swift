import MovieBox
import MovieStreaming
import TestSupport
import Testing

struct CodecStringTests {
  /// Returns the codec string for the sample entry of a video or audio track.
  private func codec(_ entry: [UInt8], isSound: Bool = false) throws -> CodecString? {
    var movie = TestMovie(tracks: [TestTrack(isSound ? .sound : .video, id: 1).with { $0.sampleEntries = [entry] }])
    movie.dialect = .iso
    let read = try Movie(of: MemorySource(Bytes(movie.bytes())))
    let stsd = try #require(read.tree.descendant(of: read.tracks[0].atom, "mdia", "minf", "stbl", "stsd"))
    return CodecString(try #require(read.tree.children(of: stsd).first { _ in true }), of: read.tree)
  }

  private func picture(_ format: String, _ type: String, _ configuration: [UInt8]) throws -> String? {
    let entry = SampleEntry.video(format, width: 64, height: 36, extensions: atom(type) { configuration })
    return try codec(entry)?.text
  }

  private func sound(_ configuration: [UInt8], objectType: Int = 0x40) throws -> String? {
    let esds = StreamableMovie.esds(configuration, objectType: objectType)
    return try codec(SampleEntry.sound("mp4a", rate: 44_100, extensions: esds), isSound: true)?.text
  }

  @Test func namesVideoByItsConfiguration() throws {
    #expect(try picture("avc1", "avcC", u8(1, 0x64, 0, 0x28)) == "avc1.640028")
    // Main profile, tier and level as in ISO/IEC 14496-15, E.3: hvc1.1.6.L93.B0.
    let main = u8(1, 1) + u32(0x6000_0000) + u8(0xB0, 0, 0, 0, 0, 0, 93)
    #expect(try picture("hvc1", "hvcC", main) == "hvc1.1.6.L93.B0")
    let main10 = u8(1, 0x22) + u32(0x2000_0000) + u8(0x90, 0, 0, 0, 0, 0x10, 153)
    #expect(try picture("hev1", "hvcC", main10) == "hev1.2.4.H153.90.0.0.0.0.10")
    #expect(try picture("av01", "av1C", u8(0x81, 0x08, 0x40, 0)) == "av01.0.08M.10")
    #expect(try picture("vp09", "vpcC", u8(1, 0, 0, 0, 2, 31, 0xA2, 1, 1, 1, 0, 0)) == "vp09.02.31.10")
    #expect(try picture("dvh1", "dvcC", u8(1, 0, 5 << 1, 6 << 3 | 5)) == "dvh1.05.06")
  }

  @Test func listsBackwardCompatibleDolbyVisionAsSupplemental() throws {
    let configuration = atom("hvcC") { u8(1, 2) + u32(0x2000_0000) + u8(0x90, 0, 0, 0, 0, 0, 153) }
    let vision = atom("dvvC") { u8(1, 0, 8 << 1, 9 << 3 | 5, 4 << 4) }
    let entry = SampleEntry.video("hvc1", width: 64, height: 36, extensions: configuration + vision)
    #expect(try codec(entry)?.supplement == "dvh1.08.09/db4h")
  }

  @Test func namesAudioByItsObjectType() throws {
    #expect(try sound([0x12, 0x10]) == "mp4a.40.2")
    #expect(try sound([0x2B, 0x92, 0x08, 0x00]) == "mp4a.40.5")  // The extended band is declared first.
    #expect(try sound([0x13, 0x90, 0x56, 0xE5, 0xA0]) == "mp4a.40.5")  // It is declared last.
    #expect(try sound([0x12, 0x10, 0x56, 0xE5, 0x00]) == "mp4a.40.2")  // It is declared as absent.
    #expect(try sound([0xEB, 0x09, 0x88, 0x00]) == "mp4a.40.29")
    #expect(try sound([0xF9, 0x48, 0x80]) == "mp4a.40.42")  // An escaped object type: 31 and six bits.
    #expect(try sound([], objectType: 0x6B) == "mp4a.40.34")
    #expect(try sound([], objectType: 0xA6) == "ec-3")
  }

  @Test func returnsNoNameForUnplayableFormats() throws {
    #expect(try codec(SampleEntry.sound("sowt", rate: 8_000), isSound: true) == nil)
    #expect(try codec(SampleEntry.video("apch", width: 64, height: 36)) == nil)
    #expect(try picture("avc1", "avcC", [1]) == nil)
    #expect(try sound([0x12, 0x10], objectType: 0x20) == nil)
  }

  /// Truncated configurations do not trap.
  @Test func returnsNoNameForTruncatedConfigurations() throws {
    let main = u8(1, 1) + u32(0x6000_0000) + u8(0xB0, 0, 0, 0, 0, 0, 93)
    for count in 0..<main.count { #expect(try picture("hvc1", "hvcC", Array(main.prefix(count))) == nil) }
    for count in 0..<3 { #expect(try picture("av01", "av1C", Array([0x81, 8, 0].prefix(count))) == nil) }
  }
}

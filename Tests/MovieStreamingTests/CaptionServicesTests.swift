import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// Closed captions in pictures are found and declared.
struct CaptionServicesTests {
  /// Returns a supplemental information unit with these triples of a type and two bytes.
  private func message(_ triples: [(type: Int, bytes: (Int, Int))], isHEVC: Bool = false) -> [UInt8] {
    let data =
      u8(0xB5, 0, 0x31) + code("GA94") + u8(3, 0x40 | triples.count, 0xFF)
      + triples.flatMap { u8(0xFC | $0.type, $0.bytes.0, $0.bytes.1) } + u8(0xFF)
    let unit = (isHEVC ? u8(39 << 1, 1) : u8(6)) + u8(4, data.count) + data + u8(0x80)
    return u32(unit.count) + unit
  }

  private let slice = u32(4) + u8(0x65, 1, 2, 3)

  private func names(_ samples: [[UInt8]], isHEVC: Bool = false) throws -> [String] {
    let configuration =
      isHEVC ? atom("hvcC") { zeros(21) + u8(3, 0) } : atom("avcC") { u8(1, 0x64, 0, 0x1F, 0xFF, 0xE0, 0) }
    let entry = SampleEntry.video(isHEVC ? "hvc1" : "avc1", width: 64, height: 36, extensions: configuration)
    let movie = TestMovie(tracks: [TestTrack(.video, id: 1).with { $0.sampleEntries = [entry] }]).with {
      $0.dialect = .iso
    }
    let read = try Movie(of: MemorySource(Bytes(movie.bytes())))
    let stsd = try #require(read.tree.descendant(of: read.tracks[0].atom, "mdia", "minf", "stbl", "stsd"))
    let description = try #require(read.tree.children(of: stsd).first { _ in true })
    var captions = try #require(CaptionServices(description, of: read.tree))
    for sample in samples { captions.look(at: Bytes(sample)) }
    return captions.names
  }

  @Test func findsChannelsByControlCodesBeforeText() throws {
    // Channel 1: RCL and "HI". Channel 2, in field 1: only a control code. Channel 3: text.
    #expect(try names([message([(0, (0x94, 0x20)), (0, (0xC8, 0x49))]) + slice]) == ["CC1"])
    #expect(try names([message([(0, (0x1C, 0x20))]) + slice]) == [])
    #expect(
      try names([
        message([(1, (0x15, 0x20)), (1, (0x48, 0x49))]) + slice,
        message([(0, (0x1C, 0x20)), (0, (0x48, 0x49))]) + slice,
      ]) == ["CC2", "CC3"])
    // Null pairs and extended data are not captions.
    #expect(try names([message([(0, (0x80, 0x80)), (1, (1, 3)), (1, (0x48, 0x49))]) + slice]) == [])
  }

  @Test func findsServicesInPackets() throws {
    // A packet of four bytes: the header, and a block of service 1 with two bytes.
    let packet: [(Int, (Int, Int))] = [(3, (0x02, 0x22)), (2, (0x41, 0x42))]
    #expect(try names([message(packet) + slice]) == ["SERVICE1"])
    #expect(
      try names([message([(3, (0x03, 0xE2)), (2, (0x09, 0x41)), (2, (0x42, 0))], isHEVC: true) + slice], isHEVC: true)
        == ["SERVICE9"])
  }

  @Test func ignoresTruncatedPictures() throws {
    let whole = message([(0, (0x94, 0x20)), (0, (0xC8, 0x49))]) + slice
    for count in 0..<whole.count { _ = try names([Array(whole.prefix(count))]) }
    #expect(try names([u32(0xFFFF_FFFF) + u8(6)]) == [])
  }

  @Test func declaresCaptionsInThePlaylist() throws {
    var movie = StreamableMovie.talk
    for index in 300..<330 {
      movie.tracks[0].samples[index].content = message([(0, (0x94, 0x20)), (0, (0xC8, 0x49))]) + slice
    }
    let lines = try Streamed(movie).lines("main.m3u8")
    #expect(
      lines.contains(
        #"#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="captions",NAME="English CC",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="CC1""#
      ))
    #expect(lines.contains { $0.contains("RESOLUTION") && $0.hasSuffix(#"CLOSED-CAPTIONS="captions""#) })
  }

  @Test func findsCaptionsInRealMovies() throws {
    let corpus = try Corpus.require()
    let source = try FileSource(path: corpus.folder + "/media3-fragmented-captions.mp4")
    let plan = try StreamPlan(of: Movie(of: source), from: source)
    let words = "(CC1), which the playlist lists without a language"
    #expect(plan.notices.contains { $0.code == "captions" && $0.message.hasSuffix(words) })
  }
}

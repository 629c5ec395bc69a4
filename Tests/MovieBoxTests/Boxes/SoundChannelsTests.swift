import MovieBox
import TestSupport
import Testing

/// The number of audible channels, regardless of the template value in the sample description.
struct SoundChannelsTests {
  /// Returns the channels of a track with this single description.
  private func channels(_ entry: [UInt8], _ dialect: TestMovie.Dialect = .iso) throws -> UInt32? {
    let track = TestTrack(.sound, id: 1).with { $0.sampleEntries = [entry] }
    let movie = try Movie(of: MemorySource(Bytes(TestMovie(tracks: [track]).with { $0.dialect = dialect }.bytes())))
    return movie.channelCount(of: movie.tracks[0])
  }

  private func sound(_ format: String, channels count: Int = 2, _ extensions: [UInt8] = []) -> [UInt8] {
    SampleEntry.sound(format, channels: count, rate: 48000, extensions: extensions)
  }

  /// Returns numbers of the given widths in bits, padded with zeros to a whole byte.
  private func bits(_ fields: (value: Int, count: Int)...) -> [UInt8] {
    let all = fields.flatMap { field in (0..<field.count).reversed().map { field.value >> $0 & 1 } }
    return stride(from: 0, to: all.count, by: 8).map { start in
      UInt8((0..<8).reduce(0) { $0 << 1 | (start + $1 < all.count ? all[start + $1] : 0) })
    }
  }

  /// Returns `esds` with sizes in the given number of 7-bit groups.
  private func esds(
    _ configuration: [UInt8], codec: Int = 0x40, flags: Int = 0, extra: [UInt8] = [], groups: Int = 1
  ) -> [UInt8] {
    func descriptor(_ tag: Int, _ content: [UInt8]) -> [UInt8] {
      u8(tag) + [UInt8](repeating: 0x80, count: groups - 1) + u8(content.count) + content
    }
    let decoder = descriptor(4, u8(codec, 0x15) + zeros(11) + descriptor(5, configuration))
    return fullAtom("esds") { descriptor(3, u16(1) + u8(flags) + extra + decoder + descriptor(6, u8(2))) }
  }

  private func aac(_ configuration: Int, kind: Int = 2) -> [UInt8] {
    bits((kind, 5), (3, 4), (configuration, 4), (0, 3))
  }

  @Test(arguments: [(1, 1), (2, 2), (3, 3), (6, 6), (7, 8), (11, 7), (12, 8), (13, 24), (14, 8)])
  func readsChannelsOfAAC(number: Int, count: UInt32) throws {
    #expect(try channels(sound("mp4a", esds(aac(number)))) == count)
    #expect(try channels(sound("mp4a", atom("wave") { esds(aac(number)) })) == count)
  }

  @Test func readsLongDescriptors() throws {
    #expect(try channels(sound("mp4a", esds(aac(1), groups: 4))) == 1)
    #expect(try channels(sound("mp4a", esds(aac(1), groups: 5))) == nil)
    #expect(try channels(sound("mp4a", esds(aac(1), flags: 0xE0, extra: u16(7) + pascalString("url") + u16(8)))) == 1)
    // Object types from 32, and explicit sample rates.
    #expect(try channels(sound("mp4a", esds(bits((31, 5), (10, 6), (3, 4), (2, 4))))) == 2)
    #expect(try channels(sound("mp4a", esds(bits((2, 5), (15, 4), (48000, 24), (1, 4))))) == 1)
  }

  @Test func countsParametricStereoAsTwoChannels() throws {
    func extended(_ kind: Int, _ configuration: Int) -> [UInt8] {
      bits((kind, 5), (6, 4), (configuration, 4), (3, 4), (2, 5), (0, 3))
    }
    #expect(try channels(sound("mp4a", esds(extended(29, 1)))) == 2)
    #expect(try channels(sound("mp4a", esds(extended(5, 1)))) == 1)
  }

  @Test func readsChannelsByElement() throws {
    // 5.1: front center and pair, rear pair, effects; with mixdowns.
    let program = bits(
      (2, 5), (3, 4), (0, 4), (0, 1), (1, 1), (5, 14), (0, 1), (0, 4), (1, 2), (3, 4), (2, 4), (0, 4), (1, 4), (1, 2),
      (0, 3), (0, 4), (1, 1), (9, 4), (0, 1), (1, 1), (5, 3), (0, 1), (0, 4), (1, 1), (0, 4), (1, 1), (1, 4), (0, 4))
    #expect(try channels(sound("mp4a", esds(program))) == 6)
    for length in 0..<program.count - 1 {
      #expect(try channels(sound("mp4a", esds(Array(program.prefix(length))))) == nil, "\(length)")
    }
    // xHE-AAC declares channels in its own way.
    #expect(try channels(sound("mp4a", esds(bits((31, 5), (10, 6), (3, 4), (0, 4), (0, 32))))) == nil)
  }

  @Test func readsChannelsOfDolbyFormats() throws {
    func dac3(_ mode: Int, _ effects: Int) -> [UInt8] {
      atom("dac3") { bits((0, 2), (8, 5), (0, 3), (mode, 3), (effects, 1), (10, 5), (0, 5)) }
    }
    #expect(try channels(sound("ac-3", dac3(7, 1))) == 6)
    #expect(try channels(sound("ac-3", dac3(1, 0))) == 1)
    #expect(try channels(sound("ac-3", dac3(0, 0))) == 2)
    #expect(try channels(sound("ac-3", atom("dac3") { u8(0) })) == nil)
    func dec3(_ mode: Int, _ effects: Int, places: Int? = nil) -> [UInt8] {
      let program = bits(
        (640, 13), (0, 3), (0, 2), (16, 5), (0, 1), (0, 1), (0, 3), (mode, 3), (effects, 1), (0, 3),
        (places == nil ? 0 : 1, 4), (places ?? 0, 9))
      return atom("dec3") { program }
    }
    #expect(try channels(sound("ec-3", dec3(7, 1))) == 6)
    #expect(try channels(sound("ec-3", dec3(2, 0))) == 2)
    #expect(try channels(sound("ec-3", dec3(7, 1, places: 0x2))) == 8)  // An additional rear pair.
    #expect(try channels(sound("ec-3", dec3(7, 1, places: 0x1FF))) == 20)
    #expect(try channels(sound("ec-3")) == nil)
  }

  @Test func usesTheDescriptionsFieldUnlessItIsATemplate() throws {
    #expect(try channels(sound("sowt", channels: 5)) == 5)
    #expect(try channels(sound("Opus", channels: 6)) == 6)
    #expect(try channels(SampleEntry.soundVersion2(channels: 7, packet: (21, 1))) == 7)
    #expect(try channels(SampleEntry.soundVersion2("mp4a", channels: 7, packet: (0, 1024))) == 7)
    for format in ["mp4a", "ac-3", "ec-3", "mlpa", "enca"] { #expect(try channels(sound(format)) == nil, "\(format)") }
    // In QuickTime files, the value is not a template.
    #expect(try channels(sound("mp4a", channels: 1), .quickTime) == 1)
    #expect(try channels(sound("mp4a", channels: 1, esds(aac(2))), .quickTime) == 2)
    #expect(try channels(sound("mp4a", esds([], codec: 0x6B))) == nil)  // MP3.
    for format in ["samr", "sawb"] { #expect(try channels(sound(format)) == 1) }
  }

  @Test func readsChannelsOfEncryptedAudio() throws {
    let protection = atom("sinf") { atom("frma") { code("mp4a") } }
    #expect(try channels(sound("enca", esds(aac(1)) + protection)) == 1)
    #expect(try channels(sound("enca", atom("sinf") { atom("frma") { code("fLaC") } })) == 2)
  }

  @Test func returnsNoChannelsForVideo() throws {
    let movie = try Movie(of: MemorySource(Bytes(TestMovie.simple.bytes())))
    #expect(movie.channelCount(of: movie.tracks[0]) == nil)
  }
}

import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Audio whose description differs between the two families of types.
struct ConvertedSoundTests {
  private func sound(_ movie: Movie) throws -> SoundDescription {
    try SoundDescription(body: movie.tracks[0].sampleDescriptions.entries[0].body)
  }

  private func movie(_ entry: [UInt8], timeScale: Int, _ change: (inout TestTrack) -> Void = { _ in }) -> TestMovie {
    TestMovie(tracks: [
      TestTrack(.sound, id: 1).with { track in
        track.timeScale = timeScale
        track.samples = .varied(8, around: 30, duration: 1024)
        track.sampleEntries = [entry]
        change(&track)
      }
    ])
  }

  /// Returns the `esds` of AAC with this configuration.
  private func aac(_ configuration: [UInt8]) -> [UInt8] {
    let size = UInt8(configuration.count)
    return [0, 0, 0, 0, 0x03, 23 + size, 0, 0, 0, 0x04, 15 + size, 0x40, 0x15] + zeros(11) + [0x05, size]
      + configuration + [0x06, 1, 2]
  }

  private func alac(_ rate: Int) -> [UInt8] { zeros(4) + zeros(20) + u32(rate) }

  // MARK: - High rates

  /// GStreamer 1.22 and mutagen cannot read sample descriptions of version 1.
  @Test(arguments: ["mp4a", "alac"]) func avoidsVersion1ForConfiguredCodecs(_ format: String) throws {
    let configuration = format == "mp4a" ? atom("esds") { aac([0x10, 0x10]) } : atom("alac") { alac(96_000) }
    let entry = SampleEntry.soundVersion2(
      format, bits: 0, rate: 96_000, flags: 0, packet: (0, 1024),
      extensions: atom("wave") { atom("frma") { code(format) } + configuration + u32(8, 0) })
    let trial = try ConversionTrial(movie(entry, timeScale: 96_000), to: .mp4)
    try trial.expectSameMedia()
    let new = try sound(trial.movie)
    #expect(new.version == 0 && new.storedSampleRate == 0 && new.storedChannelCount == 2)
    #expect(SampleEntryAtoms(new.tail).atoms.map(\.type) == [format == "mp4a" ? "esds" : "alac"])
    #expect(trial.movie.tracks[0].sampleDescriptions.version == 0)
    #expect(TrackDetails(trial.movie.tracks[0], in: trial.movie).sampleRate == 96_000)
    // Converted back, and once more.
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    #expect(try sound(back.movie).version == 2 && sound(back.movie).sampleRate == 96_000)
    let again = try ConversionTrial(back.bytes, to: .mp4)
    #expect(again.movie.tracks[0].sampleDescriptions == trial.movie.tracks[0].sampleDescriptions)
  }

  /// In some files, the time scale is not the sample rate.
  @Test func usesTheRateOfTheConfiguration() throws {
    let entry = SampleEntry.sound("alac", channels: 2, rate: 0, extensions: atom("alac") { alac(192_000) })
    let trial = try ConversionTrial(movie(entry, timeScale: 90_000).with { $0.dialect = .iso }, to: .quickTime)
    #expect(try sound(trial.movie).sampleRate == 192_000)
    let back = try ConversionTrial(trial.bytes, to: .mp4)
    #expect(TrackDetails(back.movie.tracks[0], in: back.movie).sampleRate == 192_000)
  }

  /// A rate that the configuration contradicts cannot be stored elsewhere.
  @Test func keepsAContradictedRate() throws {
    let entry = SampleEntry.soundVersion2(
      "alac", bits: 0, rate: 88_200, flags: 0, packet: (0, 4096),
      extensions: atom("wave") { atom("frma") { code("alac") } + atom("alac") { alac(96_000) } + u32(8, 0) })
    let new = try sound(ConversionTrial(movie(entry, timeScale: 88_200), to: .mp4).movie)
    #expect(new.version == 1 && SampleEntryAtoms(new.tail)["srat"]?.array == u32(0, 88_200))
  }

  /// The core of HE-AAC has half the rate.
  @Test func readsTheRateOfAnExtendedBand() throws {
    // Object type 5, a core of 48 kHz, two channels, 96 kHz, object type 2.
    let entry = SampleEntry.soundVersion2(
      "mp4a", bits: 0, rate: 96_000, flags: 0, packet: (0, 2048),
      extensions: atom("wave") { atom("esds") { aac([0x29, 0x90, 0x08]) } + u32(8, 0) })
    #expect(try sound(ConversionTrial(movie(entry, timeScale: 96_000), to: .mp4).movie).version == 0)
  }

  // MARK: - One byte a sample

  @Test(
    arguments: [
      ("alaw", 16, "alaw"), ("ulaw", 16, "ulaw"), ("raw ", 8, "raw "), ("NONE", 8, "raw "),
    ])
  func keepsTheNameOfOneByteAudioInMP4Files(_ format: String, _ bits: Int, _ name: String) throws {
    // Each packet is a sample of two channels, with a declared size of 1 byte in QuickTime's table.
    let old = movie(SampleEntry.sound(format, channels: 2, bits: bits, rate: 8000), timeScale: 8000) { track in
      track.samples = (0..<300).map { TestSample(content: [UInt8($0 & 0xFF), 7], duration: 1) }
      track.samplesPerPacket = 1
      track.chunking = [100]
    }
    let trial = try ConversionTrial(old, to: .mp4)
    try trial.expectSameMedia()
    #expect(trial.movie.tracks[0].formats == [try #require(FourCC(name))])
    #expect(trial.movie.tracks[0].samples.sampleSizes.layout == .uniform(2))
    #expect(try sound(trial.movie).version == 0 && sound(trial.movie).sampleSize == UInt32(bits))
    #expect(trial.notices.allSatisfy { !$0.isWarning })
    let back = try ConversionTrial(trial.bytes, to: .quickTime)
    try back.expectSameMedia()
    let again = try ConversionTrial(back.bytes, to: .mp4)
    #expect(again.movie.tracks[0].sampleDescriptions == trial.movie.tracks[0].sampleDescriptions)
    for type in [MovieType.m4a, .threeGPP] {
      #expect { try ConversionTrial(old, to: type) } throws: { ($0 as? MovieError)?.code == .unsupported }
    }
  }

  @Test func rejectsUnsigned16BitSamples() throws {
    #expect {
      try ConversionTrial(movie(SampleEntry.sound("raw ", bits: 16, rate: 8000), timeScale: 8000), to: .mp4)
    } throws: { ($0 as? MovieError)?.reason.contains("unsigned PCM of 16 bits") == true }
  }

  // MARK: - Bytes that are no atoms

  private static func entry(wave: [UInt8], after: [UInt8] = []) -> [UInt8] {
    SampleEntry.soundVersion1(
      "mp4a", channels: 2, rate: 48_000, packet: (1024, 0, 0), compressionID: -2,
      extensions: atom("wave") {
        atom("frma") { text("mp4a") } + atom("esds") { ElementaryStreamBytes.aac } + u32(8, 0) + wave
      } + after)
  }

  @Test(arguments: [[1, 2, 3], [0xFF, 0xFE, 0, 0, 0, 9, 8, 7, 6, 5]] as [[UInt8]])
  func dropsAndListsBytesAfterWave(_ junk: [UInt8]) throws {
    for entry in [Self.entry(wave: junk), Self.entry(wave: [], after: junk)] {
      let trial = try ConversionTrial(movie(entry, timeScale: 48_000), to: .mp4)
      try trial.expectSameMedia()
      let list = try SampleEntryAtoms(sound(trial.movie).tail)
      #expect(list.atoms.map(\.type) == ["esds"] && list.rest.isEmpty)
      let warning = trial.notices.first { $0.kind == .leftOut && $0.message.contains("not atoms") }
      #expect(warning?.isWarning == true && warning?.message.contains("\(junk.count) bytes") == true)
    }
  }

  /// Bytes that begin like an atom may be a truncated one.
  @Test func rejectsADamagedAtomAfterWave() throws {
    let cut = u32(99) + code("esds") + zeros(8)
    for entry in [Self.entry(wave: cut), Self.entry(wave: [], after: cut)] {
      #expect {
        try ConversionTrial(movie(entry, timeScale: 48_000), to: .mp4)
      } throws: { ($0 as? MovieError)?.code == .unsupported }
    }
  }
}

import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// `MovieEdit.retime` preserves everything except times.
struct RetimedTrackTests {
  private func cues(_ texts: String...) -> [Cue] {
    texts.enumerated().map { index, text in
      Cue(
        startMilliseconds: Int64(500 * index + 100), endMilliseconds: Int64(500 * index + 500), text: StyledText(text))
    }
  }

  /// Returns a movie in memory with these subtitles, enabled and without a group.
  private func source(_ inputs: SubtitleInput...) throws -> MemorySource {
    let bare = MemorySource(Bytes(TestMovie.simple.bytes()))
    var edit = try MovieEdit(of: Movie(of: bare), from: bare)
    for input in inputs { try edit.setEnabled(true, of: try edit.add(input)) }
    return try written(edit, of: bare)
  }

  private func written(_ edit: MovieEdit, of source: MemorySource) throws -> MemorySource {
    let plan = try edit.outputPlan(of: source)
    return MemorySource(try PlannedSource(plan, of: source).read(ByteRange(0..<plan.byteCount)))
  }

  private func edit(_ source: MemorySource) throws -> MovieEdit {
    try MovieEdit(of: Movie(of: source), from: source)
  }

  @Test func keepsOtherTracksAndTheDefault() throws {
    let source = try source(
      SubtitleInput(cues: cues("One", "Two"), language: LanguageTag("en")),
      SubtitleInput(cues: cues("Uno", "Dos"), language: LanguageTag("es")))
    var edit = try edit(source)
    let before = edit.tracks
    let id = try edit.retime(3, CueTiming(offsetMilliseconds: 50))
    #expect(edit.tracks.map(\.id) == [1, 2, 4, 5] && id == 5)
    for track in edit.tracks.dropLast() {
      let old = try #require(before.first { $0.id == track.id })
      #expect(track.isEnabled == old.isEnabled && track.alternateGroup == old.alternateGroup && !track.hasChanged)
    }
    #expect(edit.tracks.last?.isEnabled == true && edit.tracks.last?.alternateGroup == 0)
    let new = try written(edit, of: source)
    let text = try Movie(of: new).text(ofTrack: 5, from: new)
    #expect(text.cues.map(\.startMilliseconds) == [150, 650] && text.cues.map(\.text.text) == ["One", "Two"])
  }

  @Test func keepsTheFontSizeIfComparable() throws {
    var large = SubtitleInput(cues: cues("One"), language: LanguageTag("en"))
    large.fontSize = .pixels(31)
    let source = try source(large)
    var edit = try edit(source)
    try edit.retime(3, CueTiming(offsetMilliseconds: 50))
    let new = try written(edit, of: source)
    #expect(try Movie(of: new).track(4)?.tx3gDescriptions.first?.defaultStyle.fontSize == 31)
    // With another track width, or none, as ffmpeg writes it, an equal number would mean another size.
    var narrow = try Movie(of: source).tracks[2].header
    narrow.width = 0
    let offset = try Int(Movie(of: source).tree.range(of: Movie(of: source).tracks[2].atom).offset)
    var bytes = source.bytes.array
    let width = try #require(bytes[offset...].firstRange(of: Array("tkhd".utf8)))
    for index in width.lowerBound + 4 + 76..<width.lowerBound + 4 + 80 { bytes[index] = 0 }
    let odd = MemorySource(Bytes(bytes))
    #expect(try Movie(of: odd).tracks[2].header.width == narrow.width)
    var other = try self.edit(odd)
    try other.retime(3, CueTiming(offsetMilliseconds: 50))
    let usual = try written(other, of: odd)
    #expect(try Movie(of: usual).track(4)?.tx3gDescriptions.first?.defaultStyle.fontSize != 31)
  }

  @Test func rejectsAnotherSource() throws {
    let source = try source(SubtitleInput(cues: cues("One"), language: LanguageTag("en")))
    let other = try self.source(SubtitleInput(cues: cues("Two, and more"), language: LanguageTag("en")))
    var edit = try MovieEdit(of: Movie(of: source), from: other)
    #expect { try edit.retime(3, CueTiming(offsetMilliseconds: 50)) } throws: { error in
      (error as? MovieError)?.code == .sourceChanged
    }
    #expect { try Movie(of: source).text(ofTrack: 3, from: other) } throws: { error in
      (error as? MovieError)?.code == .sourceChanged
    }
    #expect(edit.isEmpty)
  }

  @Test func keepsTheEditUnchangedIfNoCueIsLeft() throws {
    let source = try source(SubtitleInput(cues: cues("One"), language: LanguageTag("en")))
    var edit = try edit(source)
    #expect(throws: MovieEdit.Conflict.noCueShown(trackID: 3)) {
      try edit.retime(3, CueTiming(offsetMilliseconds: 3_600_000))
    }
    #expect(edit.isEmpty)
  }
}

import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

@testable import movtool

/// The tool and a program that calls the library write the same bytes. The example service is compared with the tool by its
/// own tests.
struct SameBytesTests {
  @Test(arguments: [
    (["in.en.sdh.srt"], ""), (["in.fr.srt", "in.fr.forced.srt"], ""), (["in.en.commentary.srt", "in.en.srt"], ""),
    (["in.de.default.srt"], " --fast-start"),
  ]) func libraryAndToolWriteTheSame(_ files: [String], _ options: String) throws {
    let shop = try Workshop(.talk)
    for file in files { try shop.write(file, ["Who is there?", "Nobody."]) }
    let names = files.map { "@" + $0 }.joined(separator: " ")
    #expect(shop.run("add-subtitle @in.mov \(names) -o @tool.mov\(options)").exitCode == .done)

    try write(shop, isFastStart: !options.isEmpty) { edit in
      try edit.addSubtitles(
        files.map { name in
          let file = try SubtitleFile.read(shop.folder.read(name), named: name)
          return SubtitleAddition(file, named: name, besideMovie: "in.mov")
        })
    }
    #expect(try shop.folder.read("library.mov") == shop.folder.read("tool.mov"))
  }

  /// Tracks of another movie get their role, stand in groups, are paired and follow audio.
  @Test func tracksOfAnotherMovieAreAddedTheSame() throws {
    let shop = try Workshop(.talk)
    try shop.folder.write(.right, as: "other.mov")
    let options = "--track audio:1 --track subtitle:1 --role commentary --group 5 --enabled off"
    #expect(shop.run("add-track @in.mov @other.mov \(options) -o @tool.mov").exitCode == .done)
    let source = try FileSource(path: shop.folder.file("other.mov"))
    try write(shop, isFastStart: false) { edit in
      let other = try Movie(of: source)
      let chosen = [.audio, .subtitle].compactMap { kind in other.tracks.first { $0.mediaType == kind } }
      try #require(chosen.count == 2)
      _ = try edit.addTracks(
        chosen.map { track in
          var addition = MovieTrackAddition(MovieTrackInput(track))
          (addition.role, addition.alternateGroup, addition.isEnabled) = (.commentary, 5, false)
          return addition
        }, of: other, from: source)
      #expect(edit.tracks.suffix(2).allSatisfy { $0.alternateGroup == 5 && $0.isExcludedFromAutomaticSelection })
    }
    #expect(try shop.folder.read("library.mov") == shop.folder.read("tool.mov"))
  }

  private func write(
    _ shop: borrowing Workshop, isFastStart: Bool, _ body: (inout MovieEdit) throws -> Void
  ) throws {
    let source = try FileSource(path: shop.folder.file("in.mov"))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try body(&edit)
    let output = shop.folder.file("library.mov")
    try MovieFileWriter(
      edit, of: source, to: .newFile(output, overwrites: false, synchronizes: false),
      OutputLayout(isFastStart: isFastStart)
    ).write()
  }
}

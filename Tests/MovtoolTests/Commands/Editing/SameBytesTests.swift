import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// The tool and a program that calls the library write identical files. The example service has its own tests that
/// compare it with the tool.
struct SameBytesTests {
  @Test(arguments: [
    (["in.en.sdh.srt"], ""), (["in.fr.srt", "in.fr.forced.srt"], ""), (["in.en.commentary.srt", "in.en.srt"], ""),
    (["in.de.default.srt"], " --fast-start"),
  ]) func libraryAndToolWriteEqualFiles(_ files: [String], _ options: String) throws {
    let shop = try Workshop(.talk)
    for file in files { try shop.write(file, ["Who is there?", "Nobody."]) }
    let names = files.map { "@" + $0 }.joined(separator: " ")
    #expect(shop.run("add-subtitle @in.mov \(names) -o @tool.mov\(options)").exitCode == .done)

    try write(shop, isFastStart: !options.isEmpty) { edit in
      try edit.addSubtitles(
        files.map { name in
          let file = try SubtitleFile.read(shop.folder.read(name), named: name)
          return SubtitleInput(file, named: name, besideMovie: "in.mov")
        })
    }
    #expect(try shop.folder.read("library.mov") == shop.folder.read("tool.mov"))
  }

  /// Tracks of another movie get their role, groups, pairs and followers.
  @Test(arguments: [([2], TrackRole.commentary), ([6, 5], nil)] as [([UInt32], TrackRole?)])
  func addsTracksOfAnotherMovieLikeTheLibrary(_ ids: [UInt32], _ role: TrackRole?) throws {
    let shop = try Workshop(.talk)
    try shop.folder.write(.right, as: "other.mov")
    let options =
      ids.map { "--track id:\($0) " }.joined() + "--group 5 --enabled off"
      + (role.map { " --role \($0.rawValue)" } ?? "")
    #expect(shop.run("add-track @in.mov @other.mov \(options) -o @tool.mov").exitCode == .done)
    let source = try FileSource(path: shop.folder.file("other.mov"))
    try write(shop, isFastStart: false, taking: source) { edit in
      let other = try Movie(of: source)
      let new = try edit.addTracks(
        ids.map { id in
          var addition = TrackInput(try #require(other.track(id)))
          (addition.role, addition.alternateGroup, addition.isEnabled) = (role, 5, false)
          return addition
        }, of: other, from: source)
      let tracks = new.compactMap { id in edit.tracks.first { $0.id == id } }
      #expect(tracks.count == ids.count && tracks.allSatisfy { $0.alternateGroup == 5 })
      #expect(tracks.allSatisfy { $0.isExcludedFromAutomaticSelection == (role == .commentary) })
      if ids.count == 2 { #expect(tracks[1].references["forc"] == [tracks[0].id]) }
    }
    #expect(try shop.folder.read("library.mov") == shop.folder.read("tool.mov"))
  }

  private func write(
    _ shop: Workshop, isFastStart: Bool, taking other: FileSource? = nil, _ body: (inout MovieEdit) throws -> Void
  ) throws {
    let movie = try FileSource(path: shop.folder.file("in.mov"))
    var edit = try MovieEdit(of: Movie(of: movie), from: movie)
    try body(&edit)
    func write(_ source: some RandomAccessSource) throws {
      try MovieFileWriter(
        edit, to: .newFile(shop.folder.file("library.mov"), overwrites: false, synchronizes: false),
        OutputLayout(isFastStart: isFastStart)
      ).write()
    }
    if let other { try write(JoinedSource([movie, other])) } else { try write(movie) }
  }
}

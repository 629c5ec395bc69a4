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

    let source = try FileSource(path: shop.folder.file("in.mov"))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    _ = try edit.addSubtitles(
      files.map { name in
        let file = try SubtitleFile.read(shop.folder.read(name), named: name)
        return SubtitleAddition(file, named: name, besideMovie: "in.mov")
      })
    let output = shop.folder.file("library.mov")
    try MovieFileWriter(
      edit, of: source, to: .newFile(output, overwrites: false, synchronizes: false),
      OutputLayout(isFastStart: !options.isEmpty)
    ).write()
    #expect(try shop.folder.read("library.mov") == shop.folder.read("tool.mov"))
  }
}

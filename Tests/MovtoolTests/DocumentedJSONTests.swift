import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

@testable import MovtoolCommands

/// `Docs/json.md` agrees with the output of movtool: every member that is written is documented at its place, and the
/// reverse.
struct DocumentedJSONTests {
  /// Places and their members, such as `files[].tracks[]` and `id`.
  private typealias Members = [String: Set<String>]

  /// Returns the members in the tables of a chapter of the document.
  private func documented(_ chapter: String) throws -> Members {
    let path = TestMedia.path("../Docs/json.md")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    var members: Members = [:]
    var current = ""
    var place = ""
    for line in lines {
      if line.hasPrefix("## ") { current = line.dropFirst(3).filter { $0 != "`" } }
      guard current == chapter else { continue }
      if line.hasPrefix("### ") { place = line.hasPrefix("### `") ? String(line.dropFirst(5).dropLast()) : "" }
      guard line.hasPrefix("| `"), let name = line.dropFirst(3).split(separator: "`").first else { continue }
      members[place, default: []].insert(name.hasSuffix("[]") ? String(name.dropLast(2)) : String(name))
    }
    return members
  }

  /// Collects the members of a value and of all values in it.
  private func written(_ value: Any, at place: String, into members: inout Members) {
    if let object = value as? [String: Any] {
      members[place, default: []].formUnion(object.keys)
      for (key, inner) in object {
        written(inner, at: place.isEmpty ? key : "\(place).\(key)", into: &members)
      }
    } else if let array = value as? [Any] {
      for inner in array { written(inner, at: place + "[]", into: &members) }
    }
  }

  @Test func everyMemberOfInspectIsDocumented() throws {
    var movie = TestMovie.torture
    movie.tracks[2].userData = TestSupport.movie {
      fullAtom("kind") { cString("urn:mpeg:dash:role:2011") + cString("caption") }
    }
    let shop = try Workshop(movie)
    try shop.folder.write(Array(TestMovie.simple.bytes().dropLast(40)), as: "cut.mov")
    try shop.folder.write(TestMovie.simple.with { $0.layout += [.bytes([1])] }, as: "odd.mov")
    try shop.folder.write(
      Array(TestMovie.simple.with { $0.layout = .movieFirst }.bytes().dropLast(40)), as: "short.mov")
    var members: Members = [:]
    written(shop.run("inspect --json --layout @in.mov @cut.mov @odd.mov @short.mov").json, at: "", into: &members)
    members["files[].error"] = nil  // Documented once, in Errors.
    #expect(members == (try documented("inspect")))
  }

  /// A service that links the library gets the tool's report, except for commands and hints.
  @Test func printsTheLibrarysReport() throws {
    let shop = try Workshop(.torture)
    try shop.folder.write(Array(TestMovie.simple.bytes().dropLast(40)), as: "cut.mov")
    for name in ["in.mov", "cut.mov"] {
      let path = shop.folder.file(name)
      let data = Data(MovieReport(of: try FileSource(path: path), named: name).json(hasLayout: true))
      let report = try #require(JSONSerialization.jsonObject(with: data) as? NSDictionary)
      let answer = try #require(shop.run("inspect --json --layout @\(name)").json["files"] as? [[String: Any]])
      var expected = try #require(answer.first)
      expected["findings"] = (expected["findings"] as? [[String: Any]])?.map { finding in
        finding.filter { $0.key != "fixes" }
      }
      if var error = expected["error"] as? [String: Any] {
        for member in ["exitCode", "file", "line", "hint"] { error[member] = nil }
        expected["error"] = error
      }
      #expect(report == expected as NSDictionary, "\(name)")
    }
  }

  @Test func everyMemberOfListedAtomsIsDocumented() throws {
    let shop = try Workshop(.torture)
    var members: Members = [:]
    let answer = shop.run("inspect --atoms --json @in.mov")
    written(answer.json, at: "", into: &members)
    #expect(members == (try documented("inspect --atoms")))
    // The rows agree with the lines for people.
    let atoms = try #require((answer.json["files"] as? [[String: Any]])?.first?["atoms"] as? [[String: Any]])
    let lines = shop.run("inspect --atoms @in.mov").output.dropFirst()
    #expect(atoms.count == lines.count)
    for (atom, line) in zip(atoms, lines) {
      let words = line.split(separator: " ")
      #expect(words.prefix(2).map(String.init) == ["\(atom["offset"] ?? "")", "\(atom["byteCount"] ?? "")"])
    }
    try shop.folder.write(Array(TestMovie.simple.bytes().dropLast(40)), as: "cut.mov")
    let broken = shop.run("inspect --atoms --json --depth 1 @cut.mov @missing.mov")
    let files = try #require(broken.json["files"] as? [[String: Any]])
    #expect(broken.exitCode != .done && files.count == 2)
    #expect((files[0]["atoms"] as? [[String: Any]])?.contains { $0["isBroken"] as? Bool == true } == true)
    #expect((files[1]["error"] as? [String: Any])?["code"] as? String == "no-input")
  }

  @Test func everyMemberOfListedSamplesIsDocumented() throws {
    let shop = try Workshop(.torture)
    var members: Members = [:]
    written(shop.run("inspect --samples video --json @in.mov").json, at: "", into: &members)
    #expect(members == (try documented("inspect --samples")))
  }

  @Test func everyMemberOfStreamsIsDocumented() throws {
    let movie = StreamableMovie.talk.with { $0.tracks += [TestTrack(.timecode, id: 9), TestTrack(.sound, id: 10)] }
    let shop = try Workshop(movie)
    var members: Members = [:]
    written(shop.run("hls @in.mov -o @out --json").json, at: "", into: &members)
    #expect(members == (try documented("hls")))
    members = [:]
    try shop.write("und.srt", ["One"])
    written(shop.run("hls --add @und.srt --language en -o @out --json").json, at: "", into: &members)
    #expect(members == (try documented("hls --add")))
    shop.run("hls --add @und.srt --language und -o @out")
    // Files of another program are kept, with a warning.
    let main = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    try shop.folder.write(
      Array(main.replacing("subtitles-und/", with: "./subtitles-und/").utf8), as: "out/main.m3u8")
    members = [:]
    written(shop.run("hls --remove subtitle:und -o @out --json").json, at: "", into: &members)
    #expect(members == (try documented("hls --remove")))
  }

  @Test func everyMemberOfPairedMoviesIsDocumented() throws {
    let shop = try Workshop(.simple, as: "film.mov")
    try shop.write("film.en.srt", ["One"])
    try shop.folder.write(TestMovie.simple, as: "lone.mov")
    let lines = try shop.run("add-subtitle --pair @film.mov @missing.mov @lone.mov --json").output.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(lines.count == 4)
    let ofEdits = try documented(Self.edits)[""] ?? []
    let own = Set(lines.flatMap(\.keys)).subtracting(ofEdits).subtracting(["error"])
    #expect(own == (try documented("add-subtitle --pair")[""]))
  }

  @Test func everyMemberOfMetadataIsDocumented() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.userData = atom("©nam") { u16(5, 0x15C7) + text("Title") } })
    var members: Members = [:]
    try shop.folder.write(
      Array(TestMovie.simple.with { $0.layout = .movieFirst }.bytes().dropLast(40)), as: "short.mov")
    written(shop.run("metadata --json @in.mov").json, at: "", into: &members)
    written(shop.run("metadata --json @short.mov").json, at: "", into: &members)
    members["items[].details"] = nil  // Names of their own.
    #expect(members == (try documented("metadata")))
  }

  @Test func everyMemberOfChaptersIsDocumented() throws {
    let shop = try Workshop(
      TestMovie.podcast().with {
        $0.userData = fullAtom("chpl", version: 1) { u32(0) + u8(1) + u64(0) + pascalString("x") }
      })
    var members: Members = [:]
    written(shop.run("chapters --json @in.mov").json, at: "", into: &members)
    #expect(members == (try documented("chapters")))
    var exported: Members = [:]
    written(
      shop.run("chapters --json @in.mov --export ogm -o @a.txt --images @p{number}.{format}").json, at: "",
      into: &exported)
    #expect(exported == (try documented("chapters --export")))
  }

  @Test func everyMemberOfHelpIsDocumented() throws {
    let shop = try Workshop()
    var members: Members = [:]
    let all = shop.run("help --json").json
    written(all, at: "", into: &members)
    #expect(members == (try documented("help")))
    let names = (all["commands"] as? [[String: Any]])?.map { $0["name"] as? String }
    #expect(names == CommandTable.all.map { $0.name })
    #expect((shop.run("help retime --json").json["commands"] as? [Any])?.count == 1)
    #expect(shop.run("help man --json").exitCode == .usage)
  }

  @Test func everyMemberOfSelectIsDocumented() throws {
    var members: Members = [:]
    let shop = try Workshop(.talk)
    try shop.folder.write(
      Array(TestMovie.simple.with { $0.layout = .movieFirst }.bytes().dropLast(40)), as: "short.mov")
    written(shop.run("select --json @in.mov").json, at: "", into: &members)
    written(shop.run("select --json @short.mov").json, at: "", into: &members)
    #expect(members == (try documented("select")))
  }

  @Test func everyMemberOfValidateIsDocumented() throws {
    var members: Members = [:]
    let shop = try Workshop(.torture)
    try shop.folder.write(Array(TestMovie.simple.bytes().dropLast(200)), as: "cut.mov")
    written(shop.run("validate --json @in.mov @cut.mov").json, at: "", into: &members)
    members["files[].error"] = nil  // Documented once, in Errors.
    #expect(members == (try documented("validate")))
  }

  @Test func everyMemberOfDiffIsDocumented() throws {
    let shop = try Workshop(.talk)
    try shop.folder.write(TestMovie.talk.with { ($0.layout, $0.tracks[1].group) = (.movieFirst, 7) }, as: "new.mov")
    var members: Members = [:]
    try shop.folder.write(
      Array(TestMovie.simple.with { $0.layout = .movieFirst }.bytes().dropLast(40)), as: "short.mov")
    written(shop.run("diff --json @in.mov @new.mov --expect added:track").json, at: "", into: &members)
    written(shop.run("diff --json @short.mov @short.mov").json, at: "", into: &members)
    #expect(members == (try documented("diff")))
  }

  @Test func everyMemberOfEditsIsDocumented() throws {
    let shop = try Workshop(.talk)
    try shop.write("film.en.forced.srt", ["{\\fad(1,1)}Sign"])
    let add = "add-subtitle --json --dry-run --interleave @in.mov @en.srt @film.en.forced.srt"
    #expect(shop.run("add-subtitle @in.mov @en.srt").exitCode == .done)
    try shop.folder.write(.torture, as: "other.mov")
    let take = "add-track --json --dry-run @in.mov @other.mov --track audio --track subtitle:es"
    let set = "set @in.mov --json --dry-run --track id:2 --role dub"
    try shop.folder.write(
      TestMovie.right.with { ($0.tracks[2].isEnabled, $0.tracks[3].language) = (true, .packed("und")) }, as: "odd.mov")
    let fix = "validate @odd.mov --fix --json --dry-run"
    let retime = "retime @in.mov --json --dry-run --track subtitle:en --offset 0.1"
    let link = "link @in.mov --json --dry-run --auto --follow audio:2=subtitle:es"
    let fact = "metadata @in.mov --json --dry-run -o @shared.mov --set title=Home --for-sharing"
    try shop.folder.write(Array("0:00 One\n0:01 Two\n".utf8), as: "chapters.txt")
    let chapters = "chapters @in.mov --json --dry-run --set @chapters.txt"
    for line in [
      add, take, set, retime, link, fix, fact, chapters, "remove @in.mov --json --dry-run --track id:5",
      "remux @in.mov -o @out.mov --json --interleave", "remux @in.mov -o @out.mp4 --json --track video",
    ] {
      let answer = shop.run(line).json
      // Each command writes every member; the values depend on the request.
      #expect(Set(answer.keys) == (try documented(Self.edits)[""]), "\(line)")
    }
    var members: Members = [:]
    written(shop.run(add).json, at: "", into: &members)
    let date = "metadata @in.mov --json --dry-run --creation-date 2024-01-20T10:26:09Z"
    for line in [take, set, retime, link, fix, fact, date, chapters] {
      written(shop.run(line).json, at: "", into: &members)
    }
    written(shop.run("remove @in.mov --json --dry-run --track id:5").json, at: "", into: &members)
    try shop.folder.write(Array(AddedTimedMetadataCommandTests.items.utf8), as: "items.json")
    written(shop.run("add-track @in.mov @items.json --metadata --json --dry-run").json, at: "", into: &members)
    written(shop.run("remux @in.mov --json --dry-run -o @film.mp4").json, at: "", into: &members)
    #expect(members == (try documented(Self.edits)))
  }

  @Test func everyMemberOfTimedIsDocumented() throws {
    let shop = try Workshop(TimedCommandTests.movie)
    var members: Members = [:]
    written(shop.run("timed @in.mov --json").json, at: "", into: &members)
    members["files[].error"] = nil  // Documented once, in Errors.
    #expect(members == (try documented("timed")))
    members = [:]
    written(shop.run("timed @in.mov --track metadata --json").json, at: "", into: &members)
    // The details depend on the format, and items contain items.
    members = members.filter { !$0.key.hasSuffix("details") && !$0.key.contains("items[].items") }
    members["warnings[]"] = nil
    #expect(members == (try documented("timed --track")))
    members = [:]
    written(shop.run("timed @in.mov --gpx -o @a.gpx --json").json, at: "", into: &members)
    members["warnings[]"] = nil
    #expect(members == (try documented("timed --gpx")))
    members = [:]
    written(shop.run("timed @in.mov --csv -o @a.csv --json").json, at: "", into: &members)
    #expect(members == (try documented("timed --csv")))
    members = [:]
    written(shop.run("timed @in.mov -o @a.json --json").json, at: "", into: &members)
    #expect(members == (try documented("timed -o items.json")))
  }

  @Test func everyMemberOfExtractIsDocumented() throws {
    let shop = try Workshop(.playable)
    try shop.write("b.en.forced.srt", ["{\\an8}<i>Sign</i>"])
    #expect(shop.run("add-subtitle @in.mov @en.srt @b.en.forced.srt").exitCode == .done)
    var members: Members = [:]
    written(shop.run("extract @in.mov --json --format vtt").json, at: "", into: &members)
    #expect(members == (try documented("extract")))
    members = [:]
    written(shop.run("extract @in.mov --grep sign --json").json, at: "", into: &members)
    #expect(members == (try documented("extract --grep")))
    members = [:]
    let track = "extract @in.mov --track subtitle:en,forced -o - --format json"
    written(shop.run(track).json, at: "", into: &members)
    #expect(members == (try documented("extract --format json")))
  }

  @Test func everyMemberOfHTMLIsDocumented() throws {
    let shop = try Workshop(.playable)
    #expect(shop.run("add-subtitle @in.mov @en.srt").exitCode == .done)
    var members: Members = [:]
    written(shop.run("html @in.mov --json -o @page.html").json, at: "", into: &members)
    for member in ["movies[].subtitles", "movies[].audio"] { members[member] = nil }
    #expect(members == (try documented("html")))
  }

  @Test func everyMemberOfServeIsDocumented() throws {
    let shop = try Workshop(.playable)
    let console = Console(isOnDisk: true)
    console.output.beforeWrite = { _ in console.isStopped = true }  // The server would run forever.
    try shop.folder.write(StreamableMovie.talk, as: "film.mp4")
    let outcome = shop.run("serve @in.mov @film.mp4 --json", console)
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    let url = outcome.json["url"] as? String
    #expect(url?.hasPrefix("http://127.0.0.1:") == true && url?.hasSuffix("/") == true)
    #expect(outcome.json["files"] as? [String] == ["in.mov", "film.mp4"])
    var members: Members = [:]
    written(outcome.json, at: "", into: &members)
    members["files"] = nil
    #expect(members == (try documented("serve")))
  }

  private static let edits =
    "add-subtitle, add-captions, add-track, remove, set, metadata --set, chapters --set, retime, link, remux"

  @Test func everyMemberOfErrorsAndProgressIsDocumented() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.layout = .movieFirst })
    var members: Members = [:]
    written(shop.run("add-subtitle --json @none.mov @en.srt").json, at: "", into: &members)
    members[""] = nil
    #expect(members == (try documented("Errors")))

    let line = try #require(shop.run("add-subtitle @in.mov @en.srt --progress json").errors.first)
    members = [:]
    written(try JSONSerialization.jsonObject(with: Data(line.utf8)), at: "", into: &members)
    #expect(members == (try documented("Progress")))
  }
}

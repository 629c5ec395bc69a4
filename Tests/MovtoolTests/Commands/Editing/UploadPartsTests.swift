import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// `--layout store`, `--part-size`, `--part-count` and `--parts-to`: what a client of an object store needs.
struct UploadPartsTests {
  private let shop: Workshop

  init() throws {
    shop = try Workshop(.talk.with { $0.layout = .movieFirst })
  }

  private static let plan = "add-subtitle @in.mov @en.srt -o @out.mov --layout store --dry-run --json"
  private static let sizes = " --part-size 300,100K"

  /// Joins the parts of an answer as a store does: ranges of the old movie, and the files with new bytes.
  private func uploaded(_ answer: [String: Any]) throws -> [UInt8] {
    var output: [UInt8] = []
    for part in try #require(answer["parts"] as? [[String: Any]]) {
      #expect(part["offset"] as? Int == output.count)
      let byteCount = try #require(part["byteCount"] as? Int)
      if let file = part["file"] as? String {
        #expect(part["sourceFile"] is NSNull && part["sourceOffset"] is NSNull)
        let bytes = try shop.folder.read(file)
        #expect(bytes.count == byteCount)
        output += bytes
      } else {
        #expect(part["sourceFile"] as? String == "in.mov")
        let offset = try #require(part["sourceOffset"] as? Int)
        output += try shop.folder.read("in.mov")[offset..<offset + byteCount]
      }
    }
    return output
  }

  @Test func partsYieldTheWrittenMovie() throws {
    let answer = shop.run(Self.plan + Self.sizes + " --parts-to @parts/").json
    let parts = try #require(answer["parts"] as? [[String: Any]])
    #expect(parts.contains { $0["file"] is NSNull } && parts.contains { $0["file"] is String })
    let source = try #require(answer["source"] as? [String: Any])
    #expect(source["byteCount"] as? Int == (try shop.folder.read("in.mov")).count)
    #expect(source["tag"] as? String == (try FileSource(path: shop.folder.file("in.mov")).identity().tag))
    shop.run("add-subtitle @in.mov @en.srt -o @out.mov --layout store")
    #expect(try uploaded(answer) == shop.folder.read("out.mov"))
    let files = parts.compactMap { $0["file"] as? String }
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "out.mov", "parts"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.file("parts")).count == files.count)
  }

  /// Interleaved samples leave no long range to copy, and samples in one run do.
  @Test func newSamplesFormOneRun() throws {
    func sentByteCount(_ line: String) throws -> Int {
      let parts = try #require(shop.run(line + Self.sizes).json["parts"] as? [[String: Any]])
      return parts.filter { $0["sourceFile"] is NSNull }.reduce(0) { $0 + ($1["byteCount"] as? Int ?? 0) }
    }
    let store = try sentByteCount(Self.plan)
    #expect(try store < sentByteCount(Self.plan.replacing(" --layout store", with: "")))
  }

  @Test func oldMovieAtomsAreLeftOut() throws {
    try shop.folder.write(.talk, as: "last.mov")
    for number in 1...2 { shop.run("set @last.mov --track audio:1 --append --title Take\(number)\(number)\(number)") }
    shop.run("add-subtitle @last.mov @en.srt --append")
    func freeByteCount(_ name: String) throws -> UInt64 {
      try shop.movie(name).layout.atoms.filter(\.isFreeSpace).reduce(0) { $0 + $1.range.count }
    }
    shop.run("metadata @last.mov --set title=Talk -o @plain.mov")
    shop.run("metadata @last.mov --set title=Talk -o @store.mov --layout store")
    let (plain, store) = (try freeByteCount("plain.mov"), try freeByteCount("store.mov"))
    #expect(try freeByteCount("last.mov") > 0 && plain > store, "\(plain) \(store)")
    #expect(shop.run("diff @plain.mov @store.mov").exitCode == .done)
  }

  @Test func obeysTheNumberOfParts() throws {
    let line = Self.plan + " --part-size 100,50K --part-count "
    let all = try #require(shop.run(line + "1000").json["parts"] as? [[String: Any]])
    let two = try #require(shop.run(line + "2").json["parts"] as? [[String: Any]])
    #expect(all.count >= 2 && two.count <= 2)
    let refused = shop.run(Self.plan + " --part-size 10,20 --part-count 3")
    #expect(refused.exitCode != .done)
    #expect((refused.json["error"] as? [String: Any])?["code"] as? String == "limit")
  }

  @Test func saysHowToRaiseTheLimits() throws {
    let outcome = shop.run(Self.plan + " --part-size 10,20 --part-count 1")
    let error = try #require(outcome.json["error"] as? [String: Any])
    #expect((error["message"] as? String)?.contains("needs more than 1 part of up to 20 bytes") == true)
    #expect(error["hint"] as? String == "raise --part-count, or the second size of --part-size")
  }

  /// One part of sufficient size is always enough.
  @Test func plansASinglePart() throws {
    let answer = shop.run(Self.plan + " --part-size 100,10M --part-count 1 --parts-to @parts").json
    #expect((answer["parts"] as? [Any])?.count == 1)
    shop.run("add-subtitle @in.mov @en.srt -o @out.mov --layout store")
    #expect(try uploaded(answer) == shop.folder.read("out.mov"))
  }

  /// The files of another plan must not mix with the new files.
  @Test func refusesAFolderWithParts() throws {
    let line = Self.plan + " --part-size 10,100 --parts-to @parts"
    #expect(shop.run(line).exitCode == .done)
    let names = try shop.folder.names("parts")
    let outcome = shop.run(Self.plan + " --parts-to @parts")
    #expect(outcome.exitCode == .cannotCreate)
    let error = try #require(outcome.json["error"] as? [String: Any])
    #expect(error["code"] as? String == "exists" && error["hint"] is NSNull)
    #expect(
      error["message"] as? String
        == "the folder contains part files of an earlier plan; specify an empty or new folder")
    #expect(try shop.folder.names("parts") == names)
  }

  @Test func acceptsAFolderWithOtherFiles() throws {
    try FileManager.default.createDirectory(atPath: shop.folder.file("parts"), withIntermediateDirectories: false)
    try shop.folder.write([7], as: "parts/notes")
    #expect(shop.run(Self.plan + Self.sizes + " --parts-to @parts").exitCode == .done)
    #expect(try shop.folder.names("parts").count > 1)
    #expect(try shop.folder.read("parts/notes") == [7])
  }

  @Test func namesTheObstacleOfAFolder() throws {
    try shop.folder.write([7], as: "taken")
    try FileManager.default.createSymbolicLink(atPath: shop.folder.file("link"), withDestinationPath: "nowhere")
    for (name, reason) in [
      ("taken", "is an ordinary file; specify a folder"),
      ("link", "the path is a dangling symbolic link; specify a folder"), ("missing/parts", "missing does not exist"),
    ] {
      let outcome = shop.run(Self.plan + " --parts-to @" + name)
      let error = try #require(outcome.json["error"] as? [String: Any])
      #expect(outcome.exitCode == .cannotCreate && (error["message"] as? String)?.hasSuffix(reason) == true, "\(error)")
    }
    #expect(try shop.folder.read("taken") == [7])
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "link", "taken"])
  }

  /// A stopped command leaves neither new files nor a new folder.
  @Test func removesThePartsAfterAFailure() throws {
    var stops = 0
    while stops < 1000 {
      let console = Console(isOnDisk: true)
      console.stopsAfter = stops
      let outcome = shop.run(Self.plan + " --part-size 10,1000 --parts-to @parts", console)
      if outcome.exitCode == .done { break }
      #expect(outcome.exitCode == .interrupted)
      #expect(try shop.folder.names() == ["en.srt", "in.mov"])
      stops += 1
    }
    #expect((4..<1000).contains(stops))
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "parts"])
  }

  /// Nothing is written for an edit that `--strict` refuses.
  @Test func writesNoPartsOfARefusedEdit() throws {
    let outcome = shop.run(Self.plan + " --strict --language zz --parts-to @parts")
    #expect(outcome.exitCode == .no)
    #expect(try shop.folder.names() == ["en.srt", "in.mov"])
  }

  @Test(arguments: [
    ("add-subtitle @in.mov @en.srt --layout store", "--layout requires -o, because it arranges a new file"),
    ("add-subtitle @in.mov @en.srt -o @out.mov --layout tape", "--layout tape: use store"),
    (
      "remux @in.mov -o @out.mov --interleave --layout store",
      "--layout store keeps new samples together, but --interleave does not; use one option"
    ),
    (
      "remux @in.mov -o @out.mov --parts-to @parts --dry-run",
      "--parts-to requires --dry-run --json, which lists the parts"
    ),
    (
      "remux @in.mov -o @out.mov --dry-run --json --parts-to @out.mov", "--parts-to and -o specify the same path"
    ),
    ("remux @in.mov -o @out.mov --part-count 9", "--part-count requires --dry-run --json, which lists the parts"),
  ])
  func rejectsContradictions(_ line: String, _ message: String) {
    let outcome = shop.run(line)
    let found = (outcome.json["error"] as? [String: Any])?["message"] as? String ?? outcome.errors.first
    #expect(outcome.exitCode == .usage && found?.contains(message) == true, "\(outcome.errors)")
  }

  @Test(arguments: [
    "--part-size 5M", "--part-size 5M,9M", "--part-size 0,9M", "--part-size 5M,5G,6G", "--part-size x,y",
    "--part-size 5T,10T",
    "--part-count 0", "--part-count -1", "--part-count 100001", "--part-count many", "--parts-to=",
  ])
  func rejectsInvalidValues(_ option: String) throws {
    #expect(shop.run(Self.plan + " " + option).exitCode == .usage)
    #expect(try shop.folder.names() == ["en.srt", "in.mov"])
  }
}

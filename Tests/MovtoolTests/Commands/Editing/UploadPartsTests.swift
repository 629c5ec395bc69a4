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

  /// A failure leaves neither new files nor a new folder, and existing files are kept.
  @Test func removesThePartsAfterAFailure() throws {
    try shop.folder.write([7], as: "taken")
    #expect(shop.run(Self.plan + " --parts-to @missing/parts").exitCode == .cannotCreate)
    #expect(shop.run(Self.plan + " --parts-to @taken").exitCode == .cannotCreate)
    let line = Self.plan + " --part-size 10,100 --parts-to @parts"
    let parts = try #require(shop.run(line).json["parts"] as? [[String: Any]])
    let files = parts.compactMap { $0["file"] as? String }
    #expect(files.count > 2 && files.count < parts.count)
    for file in files.dropLast() { try FileManager.default.removeItem(atPath: shop.folder.file(file)) }
    let outcome = shop.run(line)
    #expect(outcome.exitCode == .cannotCreate)
    #expect((outcome.json["error"] as? [String: Any])?["code"] as? String == "exists")
    #expect(try shop.folder.names("parts").count == 1)
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "parts", "taken"])
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
    ("remux @in.mov -o @out.mov --part-count 9", "--part-count requires --dry-run --json, which lists the parts"),
  ])
  func rejectsContradictions(_ line: String, _ message: String) {
    let outcome = shop.run(line)
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains(message) == true, "\(outcome.errors)")
  }

  @Test(arguments: [
    "--part-size 5M", "--part-size 5M,9M", "--part-size 0,9M", "--part-size 5M,5G,6G", "--part-size x,y",
    "--part-count 0", "--part-count -1", "--part-count 100001", "--part-count many", "--parts-to=",
  ])
  func rejectsInvalidValues(_ option: String) throws {
    #expect(shop.run(Self.plan + " " + option).exitCode == .usage)
    #expect(try shop.folder.names() == ["en.srt", "in.mov"])
  }
}

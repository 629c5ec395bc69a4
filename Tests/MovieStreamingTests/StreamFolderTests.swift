import MovieBox
import MovieStreaming
import TestSupport
import Testing

struct StreamFolderTests {
  @Test func writesTheFilesOfThePlan() throws {
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk)
    var last: (UInt64, UInt64) = (0, 0)
    try streamed.plan.write(to: folder.file("out"), from: streamed.source) { last = ($0, $1) }
    #expect(last.0 == last.1 && last.1 == streamed.plan.byteCount)
    for file in streamed.plan.files {
      #expect(try folder.read("out/" + file.path) == streamed.bytes(file.path), "\(file.path)")
    }
  }

  /// A presentation of another program with an unknown clock: the error states the reason.
  @Test func rejectsSegmentsWithoutAMap() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("out")
    let main = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlist.m3u8\n"
    let list = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.mp4\n#EXT-X-ENDLIST\n"
    try folder.write(Array(main.utf8), as: "out/main.m3u8")
    try folder.write(Array(list.utf8), as: "out/list.m3u8")
    for (segment, reason) in [
      (atom("ftyp") { zeros(8) }, "EXT-X-MAP is missing"), ([0x47], "the segments are not fragmented MP4"),
    ] {
      try folder.write(segment, as: "out/1.mp4")
      #expect {
        _ = try PresentationFolder(folder.file("out"))
      } throws: {
        ($0 as? MovieError)?.reason.contains(reason) == true
      }
    }
  }

  @Test func keepsANonemptyFolder() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("out")
    try folder.write([1], as: "out/mine")
    let streamed = try Streamed(StreamableMovie.talk)
    #expect(throws: FileError.self) { try streamed.plan.write(to: folder.file("out"), from: streamed.source) }
    #expect(try folder.names() == ["out"])
    try streamed.plan.write(to: folder.file("out"), from: streamed.source, existing: .replace)
    #expect(try folder.read("out/mine") == [1])
    for name in ["mine", "segment-notes.txt", "segment-1.m4s.txt"] { try folder.write([2], as: "out/video/" + name) }
    try folder.makeFolder("out/video/segment-99.m4s")
    // Files of the old presentation are removed, other files are kept.
    let other = try Streamed(StreamableMovie.talk, StreamOptions(segmentMilliseconds: 12_000))
    try other.plan.write(to: folder.file("out"), from: other.source, existing: .replace)
    #expect(try folder.read("out/mine") == [1] && folder.read("out/video/mine") == [2])
    #expect(
      try SystemCalls.names(in: folder.file("out/video")).sorted() == [
        "iframes.m3u8", "init.mp4", "mine", "playlist.m3u8", "segment-1.m4s", "segment-1.m4s.txt", "segment-2.m4s",
        "segment-99.m4s", "segment-notes.txt",
      ])
    for file in other.plan.files { #expect(try folder.read("out/" + file.path) == other.bytes(file.path)) }
    #expect(try SystemCalls.names(in: folder.file("out"), prefix: ".movtool", suffix: "").isEmpty)
  }

  /// If writing is canceled after any number of bytes or meets an obstacle, the old presentation is intact.
  @Test func keepsAPresentationIfReplacingFails() throws {
    struct Stop: Error {}
    let folder = try TemporaryFolder()
    let old = try Streamed(StreamableMovie.talk)
    try old.plan.write(to: folder.file("out"), from: old.source)
    func requireOld() throws {
      for file in old.plan.files {
        #expect(try folder.read("out/" + file.path) == old.bytes(file.path), "\(file.path)")
      }
      #expect(try SystemCalls.names(in: folder.file("out"), prefix: ".movtool", suffix: "").isEmpty)
    }
    let new = try Streamed(StreamableMovie.talk, StreamOptions(segmentMilliseconds: 2_000))
    for share in [0, 1, 5, 10] as [UInt64] {
      #expect(throws: Stop.self) {
        try new.plan.write(to: folder.file("out"), from: new.source, existing: .replace) { done, planned in
          if done >= planned / 10 * share { throw Stop() }
        }
      }
      try requireOld()
    }
    // A folder has the name of the main playlist. The main playlist is written last.
    try folder.remove("out/main.m3u8")
    try folder.makeFolder("out/main.m3u8")
    #expect(throws: FileError.self) {
      try new.plan.write(to: folder.file("out"), from: new.source, existing: .replace)
    }
    try folder.remove("out/main.m3u8")
    try folder.write(try old.bytes("main.m3u8"), as: "out/main.m3u8")
    try requireOld()
    // A file has the name of a folder.
    try folder.remove("out/audio-es")
    try folder.write([1], as: "out/audio-es")
    #expect(throws: FileError.self) {
      try new.plan.write(to: folder.file("out"), from: new.source, existing: .replace)
    }
    #expect(try folder.read("out/audio-es") == [1])
    #expect(try folder.read("out/video/segment-4.m4s") == old.bytes("video/segment-4.m4s"))
  }

  /// Leftovers of a killed run are removed, or reported if they contain other files.
  @Test func namesLeftoversOfAKilledRun() throws {
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk)
    try streamed.plan.write(to: folder.file("out"), from: streamed.source)
    try folder.makeFolder("out/.movtool-video.tmp")
    try folder.write([1], as: "out/.movtool-video.tmp/segment-7.m4s")
    try streamed.plan.write(to: folder.file("out"), from: streamed.source, existing: .replace)
    try folder.makeFolder("out/.movtool-video.tmp")
    try folder.write([1], as: "out/.movtool-video.tmp/mine")
    #expect {
      try streamed.plan.write(to: folder.file("out"), from: streamed.source, existing: .replace)
    } throws: {
      ($0 as? FileError)?.path.hasSuffix("out/.movtool-video.tmp") == true
    }
    #expect(try folder.read("out/video/segment-1.m4s") == streamed.bytes("video/segment-1.m4s"))
  }

  /// Leftovers of an old presentation are removed. Files of other programs remain in the folder.
  @Test func removesLeftoversOfAnOldPresentation() throws {
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk)
    try streamed.plan.write(to: folder.file("out"), from: streamed.source)
    try folder.makeFolder("out/.movtool-video.old")
    for name in ["segment-7.m4s", "mine"] { try folder.write([1], as: "out/.movtool-video.old/" + name) }
    try folder.write([1], as: "out/.movtool-main.m3u8.old")
    _ = try PresentationFolder(folder.file("out"))
    #expect(try folder.read("out/video/mine") == [1])
    #expect(try SystemCalls.names(in: folder.file("out"), prefix: ".movtool", suffix: "").isEmpty)
    for file in streamed.plan.files { #expect(try folder.read("out/" + file.path) == streamed.bytes(file.path)) }
  }

  /// A link is not set aside, so its presentation may be the old one or the new one.
  @Test func namesLeftoversBesideALink() throws {
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk)
    try streamed.plan.write(to: folder.file("out"), from: streamed.source)
    try folder.write(try folder.read("out/main.m3u8"), as: "list.m3u8")
    try folder.remove("out/main.m3u8")
    try folder.makeSymbolicLink("out/main.m3u8", to: folder.file("list.m3u8"))
    try folder.makeFolder("out/.movtool-video.old")
    try folder.write([1], as: "out/.movtool-video.old/segment-1.m4s")
    #expect {
      _ = try PresentationFolder(folder.file("out"))
    } throws: {
      ($0 as? FileError)?.path.hasSuffix("out/.movtool-video.old") == true
    }
    #expect(try folder.read("out/.movtool-video.old/segment-1.m4s") == [1])
    // Without leftovers the link stays.
    try folder.remove("out/.movtool-video.old")
    try streamed.plan.write(to: folder.file("out"), from: streamed.source, existing: .replace)
    #expect(try SystemCalls.status(at: folder.file("out/main.m3u8"), followingLinks: false)?.kind == .symbolicLink)
  }

  @Test func ignoresFoldersOfAKilledRun() throws {
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk)
    func leave() throws {
      for name in ["video", "audio-de"] {
        try folder.makeFolder("out/.movtool-\(name).tmp")
        try folder.write([1], as: "out/.movtool-\(name).tmp/segment-1.m4s")
      }
    }
    try leave()
    try StreamPlan.check(folder.file("out"), existing: .keep)
    try streamed.plan.write(to: folder.file("out"), from: streamed.source)
    #expect(try folder.read("out/video/segment-1.m4s") == streamed.bytes("video/segment-1.m4s"))
    #expect(try SystemCalls.names(in: folder.file("out"), prefix: ".movtool", suffix: "").isEmpty)
    // Files of other programs count as contents.
    try folder.remove("out")
    try leave()
    try folder.write([1], as: "out/.movtool-audio-de.tmp/mine")
    #expect {
      try streamed.plan.write(to: folder.file("out"), from: streamed.source)
    } throws: {
      ($0 as? FileError)?.code == .exists
    }
    #expect(try folder.read("out/.movtool-audio-de.tmp/mine") == [1])
  }

  /// The second writer finds the folder of the first, and waits for it.
  @Test(arguments: 0..<8) func serializesTwoWriters(_ round: Int) async throws {
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk)
    let path = folder.file("out")
    let failures = await withTaskGroup(of: FileError?.self) { group in
      for _ in 0..<2 {
        group.addTask {
          do {
            try streamed.plan.write(to: path, from: streamed.source)
            return nil
          } catch {
            return error as? FileError
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let failed = failures.compactMap(\.self)
    #expect(failed.count == 1 && failed.first?.code == .exists)
    #expect(failed.first?.reason == "the folder is not empty")
    for file in streamed.plan.files { #expect(try folder.read("out/" + file.path) == streamed.bytes(file.path)) }
    #expect(try SystemCalls.names(in: path, prefix: ".movtool", suffix: "").isEmpty)
  }

  @Test func namesInvalidFolders() throws {
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk)
    try folder.write([1], as: "file")
    for (name, reason) in [("file", "is an ordinary file; specify a folder"), ("none/out", "none does not exist")] {
      #expect {
        try streamed.plan.write(to: folder.file(name), from: streamed.source)
      } throws: {
        ($0 as? FileError)?.reason.hasSuffix(reason) == true
      }
    }
    #expect(try folder.names() == ["file"])
  }

  /// If writing is canceled after any number of bytes, no file remains and the main playlist never existed.
  @Test func leavesNoFilesWhenCancelled() throws {
    struct Stop: Error {}
    let folder = try TemporaryFolder()
    let streamed = try Streamed(StreamableMovie.talk)
    for share in [0, 1, 5, 9] as [UInt64] {
      #expect(throws: Stop.self) {
        try streamed.plan.write(to: folder.file("out"), from: streamed.source) { done, planned in
          if done >= planned / 10 * share {
            let isThere = try SystemCalls.status(at: folder.file("out/main.m3u8"), followingLinks: false) != nil
            #expect(!isThere)
            throw Stop()
          }
        }
      }
      #expect(try folder.names() == [])
    }
  }

  /// A quotation mark or an equals sign forms one character with a combining accent after it.
  @Test func parsesAttributesThatBeginWithACombiningAccent() {
    let attributes = PlaylistText.attributes("#EXT-X-MEDIA:NAME=\"\u{301}a, b\",DEFAULT=NO, X=\u{301},URI=\"c=d\"")
    #expect(attributes == ["NAME": "\u{301}a, b", "DEFAULT": "NO", "X": "\u{301}", "URI": "c=d"])
  }
}

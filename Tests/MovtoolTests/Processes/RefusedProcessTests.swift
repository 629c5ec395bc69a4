import Foundation
import MovieBox
import TestSupport
import Testing

/// movtool when the system refuses: without permission, without space, or next to another process that edits the movie.
struct RefusedProcessTests {
  private let folder: TemporaryFolder
  private let tool: String
  private let old: [UInt8]

  init() throws {
    folder = try TemporaryFolder()
    try folder.copy(TestMedia.path("interview.mov"), as: "in.mov")
    try folder.copy(TestMedia.path("en.srt"))
    old = try folder.read("in.mov")
    // An unprivileged user must be able to start the program. `cp` copies it, because a test that starts a program meanwhile
    // would inherit our open descriptor, and a file open for writing cannot be executed ("Text file busy").
    tool = folder.file("movtool")
    _ = try Shell.run("/bin/cp", [Tool.path(), tool])
    try setMode(0o755, "movtool")
  }

  private func setMode(_ mode: Int, _ name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file(name))
  }

  // MARK: - Without descriptors

  /// A new folder is created, and then its lock and its names require descriptors.
  @Test func removesANewFolderThatCannotBeLocked() throws {
    var refusals = 0
    // Descriptors 0 to 2 are the standard streams, and 3 is the movie.
    for limit in 4...5 {
      let line = "ulimit -n \(limit); exec \"$0\" hls \"$1\" -o \"$2\""
      let result = try Shell.run("/bin/sh", ["-c", line, tool, folder.file("in.mov"), folder.file("out")])
      if result.errorText.contains("/out: ") { refusals += 1 }
      #expect(try result.code != 0 && !folder.names().contains("out"), "limit \(limit): \(result.errorText)")
    }
    #expect(refusals > 0)
  }

  // MARK: - Without permission

  /// Root passes every permission check, so another user runs the command.
  private func runAsNobody(_ arguments: String...) throws -> Shell.Result? {
    guard geteuid() == 0, let setpriv = Shell.find("setpriv") else {
      print("SKIPPED: rights want the user root and setpriv")
      return nil
    }
    try setMode(0o755, "")
    return try Shell.run(setpriv, ["--reuid=65534", "--regid=65534", "--clear-groups", tool] + arguments)
  }

  private func expectRefusal(_ result: Shell.Result?, _ code: Int32, naming words: String) throws {
    guard let result else { return }
    #expect(result.code == code)
    #expect(result.errorText.contains(words))
    #expect(result.errorText.split(separator: "\n").count <= 2)
    #expect(try folder.read("in.mov") == old)
  }

  @Test func keepsAReadOnlyMovie() throws {
    try setMode(0o444, "in.mov")
    let result = try runAsNobody("add-subtitle", folder.file("in.mov"), folder.file("en.srt"))
    try expectRefusal(result, 73, naming: "in.mov")
  }

  @Test func namesAnUnreadableMovie() throws {
    try setMode(0o000, "in.mov")
    let result = try runAsNobody("inspect", folder.file("in.mov"))
    try setMode(0o644, "in.mov")
    try expectRefusal(result, 66, naming: "in.mov")
  }

  @Test(arguments: [["--fast-start"], ["-o", "OUT"]]) func keepsAReadOnlyFolder(_ options: [String]) throws {
    try setMode(0o666, "in.mov")
    let words = options.map { $0 == "OUT" ? folder.file("out.mov") : $0 }
    let names = try folder.names()
    let arguments = ["add-subtitle", folder.file("in.mov"), folder.file("en.srt")] + words
    guard geteuid() == 0, let setpriv = Shell.find("setpriv") else {
      print("SKIPPED: rights want the user root and setpriv")
      return
    }
    try setMode(0o755, "")
    let result = try Shell.run(setpriv, ["--reuid=65534", "--regid=65534", "--clear-groups", tool] + arguments)
    try expectRefusal(result, 73, naming: "mov")
    #expect(try folder.names() == names)
  }

  /// A movie with the movie atom first is rewritten, for which its folder has to take a new file.
  @Test func suggestsAppendAndOutputForAReadOnlyFolder() throws {
    let remux = [folder.file("in.mov"), "-o", folder.file("fast.mov"), "--fast-start"]
    try #require(try Shell.run(tool, ["remux"] + remux).code == 0)
    try setMode(0o666, "fast.mov")
    let fast = try folder.read("fast.mov")
    guard geteuid() == 0, let setpriv = Shell.find("setpriv") else {
      print("SKIPPED: rights want the user root and setpriv")
      return
    }
    try setMode(0o755, "")
    let user = ["--reuid=65534", "--regid=65534", "--clear-groups", tool]
    let command = ["add-subtitle", folder.file("fast.mov"), folder.file("en.srt")]
    let refused = try Shell.run(setpriv, user + command)
    #expect(refused.code == 73)
    #expect(refused.errorText.contains("cannot be rewritten, because no file can be created in its folder, "))
    #expect(refused.errorText.contains("\n--append edits the movie in place; -o FILE writes it to another folder\n"))
    #expect(try folder.read("fast.mov") == fast)
    #expect(try Shell.run(setpriv, user + command + ["--append"]).code == 0)
  }

  // MARK: - Without space

  /// A file size limit, similar to a quota, and a full disk.
  @Test(arguments: [[], ["--fast-start"]]) func keepsTheOldMovieAtAFileSizeLimit(_ options: [String]) throws {
    let names = try folder.names()
    let edit = [tool, "add-subtitle", folder.file("in.mov"), folder.file("en.srt")] + options
    let limit = options.isEmpty ? old.count + 100 : 1_000
    let result = try Shell.run("prlimit", ["--fsize=\(limit)"] + edit)
    try expectRefusal(result, 74, naming: "File too large")
    #expect(try folder.names() == names)
  }

  @Test(arguments: [[], ["--fast-start"]]) func keepsTheOldMovieOnAFullDisk(_ options: [String]) throws {
    guard geteuid() == 0, let unshare = Shell.find("unshare"),
      try Shell.run(unshare, ["--mount", "true"]).code == 0
    else {
      print("SKIPPED: a disk that is full wants the user root and unshare")
      return
    }
    try FileManager.default.createDirectory(atPath: folder.file("disk"), withIntermediateDirectories: false)
    // The disk disappears with the namespace, so its contents are copied first.
    let script = """
      cd "$0" && mount -t tmpfs -o size=88k tmpfs disk && cp in.mov en.srt disk || exit 99
      ./movtool add-subtitle disk/in.mov disk/en.srt "$@"
      code=$?
      ls -A disk > names && cp disk/in.mov after.mov || exit 98
      exit $code
      """
    let result = try Shell.run(unshare, ["--mount", "sh", "-c", script, folder.path] + options)
    // When the whole movie is written, space is reserved first.
    try expectRefusal(result, options.isEmpty ? 74 : 73, naming: options.isEmpty ? "No space left" : "are free")
    #expect(try folder.read("after.mov") == old)
    #expect(String(decoding: try folder.read("names"), as: UTF8.self) == "en.srt\nin.mov\n")
  }

  @Test func suggestsASmallerEditOnAFullDisk() throws {
    guard geteuid() == 0, let unshare = Shell.find("unshare"),
      try Shell.run(unshare, ["--mount", "true"]).code == 0
    else {
      print("SKIPPED: a disk that is full wants the user root and unshare")
      return
    }
    try FileManager.default.createDirectory(atPath: folder.file("disk"), withIntermediateDirectories: false)
    let made = try Shell.run(
      tool, ["remux", folder.file("in.mov"), "-o", folder.file("fast.mov"), "--fast-start", "--pad", "0"])
    try #require(made.code == 0)
    let script = """
      cd "$0" && mount -t tmpfs -o size=160k tmpfs disk && cp fast.mov en.srt disk || exit 99
      ./movtool add-subtitle disk/fast.mov disk/en.srt
      ./movtool add-subtitle disk/fast.mov disk/en.srt -o disk/out.mov
      ./movtool add-subtitle disk/fast.mov disk/en.srt --append
      """
    let result = try Shell.run(unshare, ["--mount", "sh", "-c", script, folder.path])
    #expect(result.code == 0, "\(result.errorText)")
    let lines = result.errorText.split(separator: "\n")
    #expect(lines.count { $0.hasSuffix(" are free") } == 2)
    #expect(lines.count { $0.hasPrefix("--append edits the movie in place, which needs ") } == 1)
    #expect(lines.count { $0.hasPrefix("--append, without -o, edits the movie in place, which needs ") } == 1)
  }

  @Test(arguments: [false, true]) func keepsTheOldMovieAtAQuota(_ isNew: Bool) throws {
    let volume = try MountedVolume.require("btrfs")
    let home = volume.path + "/home"
    // There is space to begin a new file, but not for all of its media, which cannot be shared between volumes.
    let movie = isNew ? old + atom("mdat") { zeros(4 << 20) } : old
    try folder.write(movie, as: "in.mov")
    let script = """
      btrfs subvolume create "$0" && btrfs quota enable "$0" && btrfs qgroup limit 8M "$0" || exit 99
      cp "$1" "$2" "$0" && dd if=/dev/urandom of="$0/room" bs=4k count="$3" && sync
      dd if=/dev/urandom of="$0/rest" bs=4k count=3000
      rm "$0/room" && sync
      """
    let files = [folder.file("in.mov"), folder.file("en.srt")]
    let made = try Shell.run("sh", ["-c", script, home] + files + [isNew ? "250" : "0"])
    try #require(made.code == 0 && made.errorText.contains("quota exceeded"), "\(made.errorText)")
    let input = isNew ? [files[0], "-o", home + "/out.mov"] : [home + "/in.mov"]
    let result = try Shell.run(tool, ["add-subtitle"] + input + [files[1]])
    #expect(result.code == 74)
    #expect(result.errorText.contains("Disk quota exceeded"))
    #expect(try readFile(home + "/in.mov") == movie)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home).sorted() == ["en.srt", "in.mov", "rest"])
  }

  // MARK: - With another process

  @Test(arguments: [[], ["--fast-start"]])
  func allowsOrRejectsSimultaneousEdits(_ options: [String]) async throws {
    let edit = ["add-subtitle", folder.file("in.mov"), folder.file("en.srt")] + options
    let trackCount = try Movie(of: MemorySource(Bytes(old))).tracks.count
    for _ in 0..<(Tool.isRelease ? 30 : 5) {
      try folder.write(old, as: "in.mov")
      async let first = Shell.run(tool, edit).code
      async let second = Shell.run(tool, edit).code
      let codes = try await [first, second]
      #expect(codes.contains(0))
      // The movie changed while it was read, or is being edited by another process.
      #expect(Set(codes).isSubset(of: [0, 74]))
      let movie = try Movie(of: MemorySource(Bytes(folder.read("in.mov"))))
      #expect(movie.tracks.count == trackCount + codes.count { $0 == 0 })
      for track in movie.tracks { #expect(track.samples.sampleCount > 0) }
    }
  }
}

import Foundation
import Testing

/// What fuzzers begin with is what the builders make of it.
struct FuzzSeedTests {
  /// `Fuzz/Seeds`.
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Seeds")

  /// With `MOVTOOL_WRITE_SEEDS=1` they are written. Others beside them are what fuzzers have found.
  @Test(arguments: FuzzSeeds.all.keys.sorted())
  func keptSeedsAreThoseThatAreBuilt(kind: String) throws {
    let folder = Self.folder.appendingPathComponent(kind)
    let isWriting = ProcessInfo.processInfo.environment["MOVTOOL_WRITE_SEEDS"] == "1"
    if isWriting { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    for (name, bytes) in FuzzSeeds.all[kind] ?? [:] {
      #expect(bytes.count <= FuzzSeeds.largestByteCount, "\(kind)/\(name)")
      let file = folder.appendingPathComponent(name)
      if isWriting { try Data(bytes).write(to: file) }
      let kept = try? Data(contentsOf: file)
      #expect(
        kept.map(Array.init) == bytes,
        "\(kind)/\(name) is stale: MOVTOOL_WRITE_SEEDS=1 swift test --filter FuzzSeedTests")
    }
  }
}

import Foundation
import Testing

/// The stored seeds of the fuzzers equal those that the builders make.
struct FuzzSeedTests {
  /// `Fuzz/Seeds`.
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Seeds")

  /// With `MOVTOOL_WRITE_SEEDS=1`, the seeds are written. Other files next to them were found by fuzzers.
  @Test(arguments: FuzzSeeds.all.keys.sorted())
  func storesTheSeedsThatBuildersMake(kind: String) throws {
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

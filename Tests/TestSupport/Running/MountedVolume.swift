import Foundation
package import Testing

/// A file system of its own in an image file, mounted for the length of a test.
package final class MountedVolume: Sendable {
  private let folder: TemporaryFolder
  /// Where it is mounted.
  package let path: String

  /// A volume of this kind (`btrfs`, `xfs`), or the end of the test, skipped aloud, where it cannot be made or mounted.
  package static func require(
    _ kind: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> MountedVolume {
    do {
      return try MountedVolume(kind)
    } catch let error as TestSupportError {
      print("SKIPPED: \(kind) cannot be mounted here: \(error) (\(sourceLocation))")
      try Test.cancel("\(kind) cannot be mounted here", sourceLocation: sourceLocation)
    }
  }

  private init(_ kind: String) throws {
    guard geteuid() == 0 else { throw TestSupportError("only root mounts") }
    folder = try TemporaryFolder()
    path = folder.file("volume")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    // 512 MiB, of which next to nothing is written; XFS wants 300.
    for command in [
      ["truncate", "-s", "512M", folder.file("image")], ["mkfs.\(kind)", "-q", folder.file("image")],
      ["mount", "-o", "loop", folder.file("image"), path],
    ] {
      let result = try Shell.run(command[0], Array(command.dropFirst()))
      guard result.code == 0 else { throw TestSupportError("\(command[0]): \(result.errorText)") }
    }
  }

  /// Bytes in use, once everything is on the disk.
  package func usedByteCount() throws -> Int {
    _ = try Shell.run("sync", ["-f", path])
    let output = try Shell.run("df", ["--block-size=1", "--output=used", path]).outputText
    guard let count = output.split(whereSeparator: \.isWhitespace).last.flatMap({ Int($0) }) else {
      throw TestSupportError("df says \(output)")
    }
    return count
  }

  deinit {
    do {
      _ = try Shell.run("umount", [path])
    } catch {
      print("\(path) stays mounted: \(error)")
    }
  }
}

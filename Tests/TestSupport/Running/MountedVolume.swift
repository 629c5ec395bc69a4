import Foundation
package import Testing

/// A file system in an image file that is mounted during a test.
package final class MountedVolume: Sendable {
  private let folder: TemporaryFolder
  /// The mount point.
  package let path: String

  /// Returns a volume of this kind (`btrfs`, `xfs`), or skips the test with a message if it cannot be created or mounted.
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
    // A sparse image of 512 MiB; XFS requires 300.
    for command in [
      ["truncate", "-s", "512M", folder.file("image")], ["mkfs.\(kind)", "-q", folder.file("image")],
      ["mount", "-o", "loop", folder.file("image"), path],
    ] {
      let result = try Shell.run(command[0], Array(command.dropFirst()))
      guard result.code == 0 else { throw TestSupportError("\(command[0]): \(result.errorText)") }
    }
  }

  /// Returns the number of bytes in use after all writes have reached the disk.
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

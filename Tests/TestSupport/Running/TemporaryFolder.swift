import Foundation

/// A folder for a test, which is deleted with its contents when the last reference is released.
///
///     let folder = try TemporaryFolder()
///     let path = try folder.write(TestMovie.simple.bytes(), as: "in.mov")
package final class TemporaryFolder: Sendable {
  /// The path of the folder.
  package let path: String

  package init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("movtool-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("the folder \(path) stays after: \(error)")
    }
  }

  /// Returns the path of a file in the folder, existing or not.
  package func file(_ name: String) -> String {
    path + "/" + name
  }

  /// Writes a file with a modification date in the past, so that later changes are noticed, and returns its path.
  @discardableResult
  package func write(_ bytes: [UInt8], as name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: file(name))
    return file(name)
  }

  /// Writes a movie as a sparse file and returns its path.
  @discardableResult
  package func write(_ movie: TestMovie, as name: String) throws -> String {
    try movie.build().write(to: file(name))
    return file(name)
  }

  /// Copies a file into the folder, under its own name or another, and returns the path of the copy.
  @discardableResult
  package func copy(_ source: String, as name: String? = nil) throws -> String {
    let target = file(name ?? URL(fileURLWithPath: source).lastPathComponent)
    try FileManager.default.copyItem(atPath: source, toPath: target)
    // A copy from a read-only folder must be made writable.
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target)
    return target
  }

  /// Returns the bytes of a file in the folder.
  package func read(_ name: String) throws -> [UInt8] {
    try readFile(file(name))
  }

  /// Deletes a file of the folder.
  package func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: file(name))
  }

  /// Returns the sorted names of all items in the folder or in a subfolder, including hidden files.
  package func names(_ folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? path : file(folder)).sorted()
  }

  package func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
  }

  package func makeSymbolicLink(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: file(name), withDestinationPath: target)
  }

  package func makeHardLink(_ name: String, to target: String) throws {
    try FileManager.default.linkItem(atPath: file(target), toPath: file(name))
  }

  package func setMode(_ mode: Int, of name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
  }
}

/// Returns the bytes of a file.
package func readFile(_ path: String) throws -> [UInt8] {
  try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
}

import Foundation

/// A folder of its own for one test; it goes, with all in it, when the last reference does.
///
///     let folder = try TemporaryFolder()
///     let path = try folder.write(TestMovie.simple.bytes(), as: "in.mov")
package final class TemporaryFolder: Sendable {
  /// Where the folder is.
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

  /// The path of a file in the folder, whether it exists or not.
  package func file(_ name: String) -> String {
    path + "/" + name
  }

  /// Writes a file whose last change lies in the past, so that the next one shows; gives its path.
  @discardableResult
  package func write(_ bytes: [UInt8], as name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: file(name))
    return file(name)
  }

  /// Writes a movie, holes left as holes, and gives its path.
  @discardableResult
  package func write(_ movie: TestMovie, as name: String) throws -> String {
    try movie.build().write(to: file(name))
    return file(name)
  }

  /// Copies a file into the folder under its own name or another, and gives the copy's path.
  @discardableResult
  package func copy(_ source: String, as name: String? = nil) throws -> String {
    let target = file(name ?? URL(fileURLWithPath: source).lastPathComponent)
    try FileManager.default.copyItem(atPath: source, toPath: target)
    // What is copied from a folder that may not be written must be writable here.
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target)
    return target
  }

  /// The bytes of a file in the folder.
  package func read(_ name: String) throws -> [UInt8] {
    try readFile(file(name))
  }

  /// Takes a file out of the folder.
  package func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: file(name))
  }

  /// The names of all that is in the folder, or in a folder in it, hidden files included, sorted.
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

/// The bytes of a file.
package func readFile(_ path: String) throws -> [UInt8] {
  try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
}

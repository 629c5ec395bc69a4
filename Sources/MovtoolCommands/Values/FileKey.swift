import MovieBox

/// The identity of a file that a command line names. Two names of the same file have the same identity.
enum FileKey: Hashable, Sendable {
  /// An existing file. Links, and paths with `..`, may give it several names.
  case file(device: UInt64, inode: UInt64)
  /// The absolute path of a file that does not exist. Paths are compared by bytes, because file systems distinguish
  /// composed and decomposed characters.
  case path([UInt8])

  /// Looks up the file at a path.
  init(_ path: String) {
    let status: FileStatus?
    do {
      status = try SystemCalls.status(at: path, followingLinks: true)
    } catch {
      status = nil  // The command that uses the file reports the error.
    }
    if let status {
      self = .file(device: status.device, inode: status.inode)
    } else {
      self = .path(Array(Self.resolved(path).utf8))
    }
  }

  /// The maximum length of a path in bytes. System calls reject longer paths.
  static let longestPath = 4_096

  /// Returns the absolute path with links resolved. Components that do not exist are kept. A path that is too long for
  /// the system is returned unchanged.
  static func resolved(_ path: String) -> String {
    guard path.utf8.count <= longestPath else { return path }
    var folder = path.split(separator: "/", omittingEmptySubsequences: true).filter { $0 != "." }.map(String.init)
    let start = path.hasPrefix("/") ? "/" : ""
    var rest: [String] = []
    while true {
      let existing = start + folder.joined(separator: "/")
      do {
        let resolved = try SystemCalls.resolve(existing.isEmpty ? "." : existing)
        return rest.isEmpty ? resolved : ([resolved == "/" ? "" : resolved] + rest).joined(separator: "/")
      } catch {
        guard let last = folder.popLast() else { return path }
        rest.insert(last, at: 0)
      }
    }
  }
}

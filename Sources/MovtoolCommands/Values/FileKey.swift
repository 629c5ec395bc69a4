import MovieBox

/// The identity of a file that a command line names, so that one file under two names is recognized.
enum FileKey: Hashable, Sendable {
  /// An existing file, which may have several names: links, and paths with `..`.
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

  /// Returns the absolute path with links resolved. Components that do not exist are kept, and so is a path that is too
  /// long for the system.
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

/// A file's path and its parts.
package struct FilePath {
  package let text: String
  /// The folder that it lies in.
  package let folder: String
  /// Whether the last part could name a file.
  package let isFile: Bool

  /// The parts of a path.
  package init(_ text: String) {
    self.text = text
    let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
    let last = slash.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    folder = slash.map { $0 == text.startIndex ? "/" : String(text[..<$0]) } ?? "."
    isFile = !last.isEmpty && last != "." && last != ".." && !text.utf8.contains(0)
  }

  /// The last part, without slashes after it.
  package var name: Substring { text.utf8.split(separator: UInt8(ascii: "/")).last.map { Substring($0) } ?? "" }

  /// The name without its extension.
  package var stem: Substring { point.map { name[..<$0] } ?? name }

  /// What follows the last point of the name. A hidden file such as `.mov` has none by its first.
  package var fileExtension: Substring? { point.map { name[$0...].dropFirst() } }

  /// The path without its extension.
  package var withoutExtension: Substring { point.map { text[..<$0] } ?? text[...] }

  private var point: String.Index? { name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil } }
}

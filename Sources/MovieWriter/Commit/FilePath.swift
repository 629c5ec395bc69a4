/// A file's name in two parts.
package struct FilePath {
  let text: String
  /// The folder that it lies in.
  package let folder: String
  /// Whether the last part could name a file.
  let isFile: Bool

  /// The parts of a name.
  package init(_ text: String) {
    self.text = text
    let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
    let last = slash.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    folder = slash.map { $0 == text.startIndex ? "/" : String(text[..<$0]) } ?? "."
    isFile = !last.isEmpty && last != "." && last != ".." && !text.utf8.contains(0)
  }
}

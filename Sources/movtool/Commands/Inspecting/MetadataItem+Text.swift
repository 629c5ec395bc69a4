import MovieBox
import MovieWriter

extension MetadataItem {
  /// The value for a line: the beginning of a long text, a picture's format and size.
  var shownValue: String {
    guard let text = stringValue else { return bytes.isEmpty ? "nothing" : (dataValue ?? bytes).summary }
    if let valueName { return "\(valueName) (\(text))" }
    let line = TerminalText.sanitized(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    return line.count > 60 ? String(line.prefix(59)) + "…" : line
  }
}

extension Bytes {
  /// `JPEG picture, 23 kB`, or `12 bytes: 00 01 …`.
  var summary: String {
    if let format = PictureFormat(self) { return "\(format.rawValue) picture, \(Quantity.bytes(UInt64(count)))" }
    return description
  }
}

extension RecordedDate {
  /// Whether the date says more than tags do.
  var isShown: Bool { !isTagged || !notes.isEmpty }

  /// The atom with the date, and what is wrong with the date.
  var details: String { ([header.path] + notes).joined(separator: "; ") }
}

/// Where text is drawn: the `text` atom in `gmhd`, which QuickTime wants for chapters (QTFF "Text Media Information").
package struct TextMediaInfo {
  /// The matrix of the text; should change nothing.
  package var matrix: Matrix
  /// What follows the matrix.
  package var tail: Bytes

  /// Fields of these values.
  package init(matrix: Matrix = .identity, tail: Bytes = Bytes()) {
    self.matrix = matrix
    self.tail = tail
  }
}

extension TextMediaInfo: FieldedPayload {
  /// Parses `text`. Throws when the bytes end early.
  package init(payload: Bytes) throws(MovieError) {
    self = try Self.reading(payload)
  }

  /// Writes `text`.
  package func write(to writer: inout ByteWriter) {
    writeFields(to: &writer)
  }

  static var unread: TextMediaInfo { TextMediaInfo() }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&matrix, "matrix", .matrix)
    try visitor.field(&tail, nil, .rest)
  }
}

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
  package static var unread: TextMediaInfo { TextMediaInfo() }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&matrix, "matrix", .matrix)
    try visitor.field(&tail, nil, .rest)
  }
}

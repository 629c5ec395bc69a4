/// Where text is drawn: the `text` atom in `gmhd`, which QuickTime wants for chapters (QTFF "Text Media Information").
public struct TextMediaInfo {
  /// The matrix of the text; should change nothing.
  public var matrix: Matrix
  /// What follows the matrix.
  public var tail: Bytes

  /// Fields of these values.
  public init(matrix: Matrix = .identity, tail: Bytes = Bytes()) {
    self.matrix = matrix
    self.tail = tail
  }
}

extension TextMediaInfo: FieldedPayload {
  /// Parses `text`. Throws when the bytes end early.
  public init(payload: Bytes) throws(MovieError) {
    self = try Self.reading(payload)
  }

  /// Writes `text`.
  public func write(to writer: inout ByteWriter) {
    writeFields(to: &writer)
  }

  static var unread: TextMediaInfo { TextMediaInfo() }

  mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&matrix, "matrix", .matrix)
    try visitor.field(&tail, nil, .rest)
  }
}

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

extension TextMediaInfo: AtomPayload {
  /// Parses `text`. Throws when the bytes end early.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    matrix = try reader.readMatrix()
    tail = reader.readRest()
  }

  /// Writes `text`.
  public func write(to writer: inout ByteWriter) {
    writer.write(matrix)
    writer.write(tail)
  }
}

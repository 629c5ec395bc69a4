/// A rectangle that text is laid out in, in pixels of the track (3GPP TS 26.245 BoxRecord).
///
/// The fields stand in the order top, left, bottom, right.
package struct Tx3gTextBox: Hashable, Sendable {
  /// The upper edge, counted down from the top of the track.
  package var top: Int16
  /// The left edge.
  package var left: Int16
  /// The lower edge.
  package var bottom: Int16
  /// The right edge.
  package var right: Int16

  /// A rectangle with these edges.
  package init(top: Int16, left: Int16, bottom: Int16, right: Int16) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }
}

extension ByteReader {
  mutating func readTx3gTextBox() throws(MovieError) -> Tx3gTextBox {
    Tx3gTextBox(
      top: try read(Int16.self), left: try read(Int16.self), bottom: try read(Int16.self), right: try read(Int16.self))
  }
}

extension ByteWriter {
  mutating func write(_ box: Tx3gTextBox) {
    write(box.top)
    write(box.left)
    write(box.bottom)
    write(box.right)
  }
}

extension Unicode.Scalar {
  /// Whether it could steer a terminal, or make a line look like another: controls, line ends, and the marks that turn
  /// the direction of writing (Unicode TR 9).
  package var isTerminalControl: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension Bytes {
  /// Returns the bytes of an H.264 or HEVC unit without emulation prevention bytes.
  package func withoutEmulationPrevention() -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(count)
    var zeros = 0
    for byte in self {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      plain.append(byte)
    }
    return plain
  }
}

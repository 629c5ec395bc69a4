import MovieBox

extension TransferFunction {
  /// The number in the sequence header that `av1C` holds (AV1 Codec ISO Media File Format Binding, 2.3.3); `nil` where there
  /// is none, or it does not say it.
  static func number(av1C: Bytes) -> UInt32? {
    var position = 4
    while let head = av1C.load(at: position, as: UInt8.self) {
      position += head & 0x04 == 0 ? 1 : 2
      var size = max(0, av1C.count - position)
      if head & 0x02 != 0 {
        guard let number = variableLength(av1C, at: &position) else { return nil }
        size = number
      }
      guard let unit = av1C.slice(at: position, count: size) else { return nil }
      if head >> 3 & 0x0F == 1 {
        var header = SequenceHeader(unit)
        return header.read()
      }
      position += size
    }
    return nil
  }

  /// A number of seven bits a byte, the lowest first (`leb128`); below 2²⁸.
  private static func variableLength(_ bytes: Bytes, at position: inout Int) -> Int? {
    var value = 0
    for index in 0..<4 {
      guard let byte = bytes.load(at: position, as: UInt8.self) else { return nil }
      position += 1
      value |= Int(byte & 0x7F) << (7 * index)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}

/// A sequence header of AV1 (AV1 Bitstream and Decoding Process, 5.5), read up to its colours. Whatever does not fit ends
/// the reading with `nil`.
private struct SequenceHeader {
  private var bits: BitReader

  init(_ unit: Bytes) {
    bits = BitReader(unit)
  }

  mutating func read() -> UInt32? {
    guard let profile = bits.read(3), skip(1), let isReduced = bits.readFlag(),
      isReduced ? skip(5) : skipOperatingPoints(), skipSize(), isReduced || skipFrameNumbers(), skip(3),
      isReduced || skipTools(), skip(3), let isHigh = bits.readFlag(), !isHigh || profile != 2 || skip(1),
      profile == 1 || skip(1), bits.readFlag() == true, skip(8)
    else { return nil }
    return bits.read(8)
  }

  private mutating func skipOperatingPoints() -> Bool {
    guard let hasTiming = bits.readFlag() else { return false }
    var delayBits: Int?
    if hasTiming {
      guard skip(64), let isEqual = bits.readFlag(), !isEqual || skipNumber(), let hasModel = bits.readFlag() else {
        return false
      }
      if hasModel {
        guard let count = bits.read(5), skip(42) else { return false }
        delayBits = Int(count) + 1
      }
    }
    guard let hasDisplayDelay = bits.readFlag(), let count = bits.read(5) else { return false }
    for _ in 0...count {
      guard skip(12), let level = bits.read(5), level <= 7 || skip(1) else { return false }
      if let delayBits {
        guard let isThere = bits.readFlag(), !isThere || skip(2 * delayBits + 1) else { return false }
      }
      if hasDisplayDelay {
        guard let isThere = bits.readFlag(), !isThere || skip(4) else { return false }
      }
    }
    return true
  }

  private mutating func skipSize() -> Bool {
    guard let width = bits.read(4), let height = bits.read(4) else { return false }
    return skip(Int(width + height) + 2)
  }

  private mutating func skipFrameNumbers() -> Bool {
    guard let isThere = bits.readFlag() else { return false }
    return !isThere || skip(7)
  }

  private mutating func skipTools() -> Bool {
    guard skip(4), let hasOrder = bits.readFlag(), !hasOrder || skip(2), let isScreenChosen = bits.readFlag() else {
      return false
    }
    var mayBeScreen = true
    if !isScreenChosen {
      guard let isForced = bits.readFlag() else { return false }
      mayBeScreen = isForced
    }
    if mayBeScreen {
      guard let isChosen = bits.readFlag(), isChosen || skip(1) else { return false }
    }
    return !hasOrder || skip(3)
  }

  private mutating func skip(_ count: Int) -> Bool { bits.skip(count) != nil }

  /// A number whose length zeros say (`uvlc`).
  private mutating func skipNumber() -> Bool {
    for zeros in 0..<32 {
      guard let bit = bits.readFlag() else { return false }
      if bit { return skip(zeros) }
    }
    return false
  }
}

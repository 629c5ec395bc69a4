/// The parameter sets in a decoder configuration of H.264 or HEVC (`avcC`, `hvcC`; ISO/IEC 14496-15, 5.3.3.1 and
/// 8.3.3.1).
package struct ParameterSets {
  /// A network abstraction layer unit.
  package struct Unit: Hashable, Sendable {
    /// The unit type, as numbered by H.264 or HEVC.
    package let type: UInt8
    package let bytes: Bytes
  }

  /// The unit types of parameter sets in HEVC: video, sequence and picture.
  package static let hevcParameterSetTypes: ClosedRange<UInt8> = 32...34

  /// The parameter sets, in the order of the configuration, and any other units that `hvcC` lists.
  package let units: [Unit]
  /// The number of bytes in the length field before each unit of a sample.
  package let lengthByteCount: Int
  /// The offsets of the parameter set arrays in `hvcC`. The array is empty for H.264.
  package let arrayOffsets: [Int]

  /// A flag in the first byte of an array in `hvcC` (`array_completeness`). If the flag is set, samples contain no
  /// units of the array's type.
  package static let completenessBit: UInt8 = 0x80

  /// Whether each type has at least one non-empty unit.
  package func contains(_ types: some Sequence<UInt8>) -> Bool {
    types.allSatisfy { type in units.contains { $0.type == type && !$0.bytes.isEmpty } }
  }

  /// Parses the payload of `avcC`. Returns `nil` if it is truncated.
  package init?(avcC: Bytes) {
    guard let lengths = avcC.load(at: 4, as: UInt8.self), let sequenceCount = avcC.load(at: 5, as: UInt8.self) else {
      return nil
    }
    var (units, position): ([Unit], Int) = ([], 6)
    for _ in 0..<sequenceCount & 0x1F {
      guard let unit = Self.unit(7, in: avcC, at: &position) else { return nil }
      units.append(unit)
    }
    guard let pictureCount = avcC.load(at: position, as: UInt8.self) else { return nil }
    position += 1
    for _ in 0..<pictureCount {
      guard let unit = Self.unit(8, in: avcC, at: &position) else { return nil }
      units.append(unit)
    }
    self.units = units
    lengthByteCount = Int(lengths & 3) + 1
    arrayOffsets = []
  }

  /// Parses the payload of `hvcC`. Returns `nil` if it is truncated.
  package init?(hvcC: Bytes) {
    guard let lengths = hvcC.load(at: 21, as: UInt8.self), let arrayCount = hvcC.load(at: 22, as: UInt8.self) else {
      return nil
    }
    var (units, arrays, position): ([Unit], [Int], Int) = ([], [], 23)
    for _ in 0..<arrayCount {
      guard let head = hvcC.load(at: position, as: UInt8.self), let count = hvcC.load(at: position + 1, as: UInt16.self)
      else { return nil }
      let type = head & 0x3F
      if Self.hevcParameterSetTypes.contains(type) { arrays.append(position) }
      position += 3
      for _ in 0..<count {
        guard let unit = Self.unit(type, in: hvcC, at: &position) else { return nil }
        units.append(unit)
      }
    }
    self.units = units
    lengthByteCount = Int(lengths & 3) + 1
    arrayOffsets = arrays
  }

  private static func unit(_ type: UInt8, in bytes: Bytes, at position: inout Int) -> Unit? {
    guard let length = bytes.load(at: position, as: UInt16.self),
      let unit = bytes.slice(at: position + 2, count: Int(length))
    else { return nil }
    position += 2 + Int(length)
    return Unit(type: type, bytes: unit)
  }
}

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

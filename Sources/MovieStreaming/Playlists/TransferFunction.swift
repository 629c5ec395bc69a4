import MovieBox

/// The transfer function that the parameter sets of a video format declare. Many programs declare it nowhere else.
///
/// The number is defined in ISO/IEC 23091-2, table 3: 16 is PQ, 18 is HLG.
struct TransferFunction: Hashable, Sendable {
  let number: UInt32

  /// Reads the transfer function of an H.264, HEVC, AV1 or VP9 sample description. Returns `nil` for other formats, or
  /// if the first sequence parameter set does not declare it or cannot be read.
  init?(_ entry: Int, of tree: AtomTree) {
    func configuration(_ type: FourCC) -> Bytes? { tree.child(of: entry, type).map(tree.payload(of:)) }
    let parsedNumber: UInt32?
    if let avcC = configuration("avcC") {
      parsedNumber = ParameterSets(avcC: avcC)?.units.first { $0.type == 7 }.flatMap { unit in
        var bits = SequenceParameters(unit.bytes.dropFirst(1))
        return bits.readAVC()
      }
    } else if let hvcC = configuration("hvcC") {
      parsedNumber = ParameterSets(hvcC: hvcC)?.units.first { $0.type == 33 }.flatMap { unit in
        var bits = SequenceParameters(unit.bytes.dropFirst(2))
        return bits.readHEVC()
      }
    } else if let av1C = configuration("av1C") {
      parsedNumber = Self.number(av1C: av1C)
    } else {
      parsedNumber = configuration("vpcC")?.load(at: 8, as: UInt8.self).map { UInt32($0) }
    }
    guard let parsedNumber else { return nil }
    number = parsedNumber
  }
}

/// A reader of sequence parameter sets up to the color description. It returns `nil` at the first malformed field.
private struct SequenceParameters {
  private var bits: BitReader

  init(_ unit: Bytes) {
    bits = BitReader(Bytes(unit.withoutEmulationPrevention()))
  }

  // MARK: - H.264 (ITU-T H.264, 7.3.2.1.1)

  mutating func readAVC() -> UInt32? {
    guard let profile = bits.read(8), skip(16), readNumber() != nil else { return nil }
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
      guard let chroma = readNumber(), chroma != 3 || skip(1), skipNumbers(2), skip(1), let hasLists = bits.readFlag()
      else {
        return nil
      }
      if hasLists {
        for index in 0..<(chroma == 3 ? 12 : 8) {
          guard let isPresent = bits.readFlag(), !isPresent || skipScalingList(index < 6 ? 16 : 64) else { return nil }
        }
      }
    }
    guard readNumber() != nil, let orderType = readNumber() else { return nil }
    switch orderType {
    case 0: guard skipNumbers(1) else { return nil }
    case 1:
      guard skip(1), skipNumbers(2), let count = readNumber(), count < 256, skipNumbers(Int(count)) else { return nil }
    default: break
    }
    guard skipNumbers(1), skip(1), skipNumbers(2), let hasFramesOnly = bits.readFlag(), hasFramesOnly || skip(1),
      skip(1), let isCropped = bits.readFlag(), !isCropped || skipNumbers(4)
    else { return nil }
    return readUsability()
  }

  private mutating func skipScalingList(_ count: Int) -> Bool {
    var (last, next) = (8, 8)
    for _ in 0..<count where next != 0 {
      guard let code = readNumber() else { return false }
      // Signed numbers are coded in the order 0, 1, -1, 2, -2 …
      let delta = code % 2 == 1 ? Int(code / 2) + 1 : -Int(code / 2)
      next = (last + delta + 256) & 0xFF
      if next != 0 { last = next }
    }
    return true
  }

  // MARK: - HEVC (ITU-T H.265, 7.3.2.2.1)

  mutating func readHEVC() -> UInt32? {
    guard skip(4), let layers = bits.read(3), skip(1), skipProfile(Int(layers)), readNumber() != nil,
      let chroma = readNumber(), chroma != 3 || skip(1), skipNumbers(2), let isCropped = bits.readFlag(),
      !isCropped || skipNumbers(4), skipNumbers(2), let orderBits = readNumber(), orderBits <= 12,
      let hasOrderOfLayers = bits.readFlag(), skipNumbers(3 * (hasOrderOfLayers ? Int(layers) + 1 : 1)), skipNumbers(6),
      let hasScaling = bits.readFlag()
    else { return nil }
    if hasScaling {
      guard let hasLists = bits.readFlag(), !hasLists || skipScalingLists() else { return nil }
    }
    guard skip(2), let hasPCM = bits.readFlag(), !hasPCM || skip(8) && skipNumbers(2) && skip(1), skipReferenceSets(),
      let hasLongTerm = bits.readFlag()
    else { return nil }
    if hasLongTerm {
      guard let count = readNumber(), count <= 32, skip(Int(count) * (Int(orderBits) + 5)) else { return nil }
    }
    guard skip(2) else { return nil }
    return readUsability()
  }

  private mutating func skipProfile(_ layers: Int) -> Bool {
    guard skip(96) else { return false }
    var parts = 0
    for _ in 0..<layers {
      guard let hasProfile = bits.readFlag(), let hasLevel = bits.readFlag() else { return false }
      parts += (hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)
    }
    return layers == 0 || skip(2 * (8 - layers) + parts)
  }

  private mutating func skipScalingLists() -> Bool {
    for size in 0..<4 {
      for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
        guard let isCoded = bits.readFlag(),
          skipNumbers(isCoded ? min(64, 1 << (4 + 2 * size)) + (size > 1 ? 1 : 0) : 1)
        else { return false }
      }
    }
    return true
  }

  private mutating func skipReferenceSets() -> Bool {
    guard let count = readNumber(), count <= 64 else { return false }
    var former = 0
    for index in 0..<count {
      guard let isPredicted = index == 0 ? false : bits.readFlag() else { return false }
      var pictures = 0
      if isPredicted {
        guard skip(1), readNumber() != nil else { return false }
        for _ in 0...former {
          guard let isUsed = bits.readFlag(), let isKept = isUsed ? true : bits.readFlag() else { return false }
          if isKept { pictures += 1 }
        }
      } else {
        guard let before = readNumber(), let after = readNumber(), before <= 16, after <= 16 else { return false }
        pictures = Int(before + after)
        for _ in 0..<pictures {
          guard readNumber() != nil, skip(1) else { return false }
        }
      }
      former = pictures
    }
    return true
  }

  // MARK: - Both

  /// Reads the video usability information (H.264 E.1.1, H.265 E.2.1): aspect ratio, overscan, then colors.
  private mutating func readUsability() -> UInt32? {
    guard bits.readFlag() == true, let hasRatio = bits.readFlag() else { return nil }
    if hasRatio {
      guard let ratio = bits.read(8), ratio != 255 || skip(32) else { return nil }
    }
    guard let hasOverscan = bits.readFlag(), !hasOverscan || skip(1), bits.readFlag() == true, skip(4),
      bits.readFlag() == true, skip(8)
    else { return nil }
    return bits.read(8)
  }

  private mutating func skip(_ count: Int) -> Bool { bits.skip(count) != nil }

  private mutating func skipNumbers(_ count: Int) -> Bool {
    for _ in 0..<count {
      guard readNumber() != nil else { return false }
    }
    return true
  }

  private mutating func readNumber() -> UInt32? { bits.readExpGolomb() }
}

extension TransferFunction {
  /// Returns the transfer function in the sequence header of `av1C` (AV1 Codec ISO Media File Format Binding, 2.3.3),
  /// or `nil` if it is missing.
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

  /// Reads a number below 2²⁸ that is stored with seven bits in each byte, lowest bits first (`leb128`).
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

/// A reader of AV1 sequence headers (AV1 Bitstream and Decoding Process, 5.5) up to the color description. It returns
/// `nil` at the first malformed field.
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
        guard let isPresent = bits.readFlag(), !isPresent || skip(2 * delayBits + 1) else { return false }
      }
      if hasDisplayDelay {
        guard let isPresent = bits.readFlag(), !isPresent || skip(4) else { return false }
      }
    }
    return true
  }

  private mutating func skipSize() -> Bool {
    guard let width = bits.read(4), let height = bits.read(4) else { return false }
    return skip(Int(width + height) + 2)
  }

  private mutating func skipFrameNumbers() -> Bool {
    guard let isPresent = bits.readFlag() else { return false }
    return !isPresent || skip(7)
  }

  private mutating func skipTools() -> Bool {
    guard skip(4), let hasOrder = bits.readFlag(), !hasOrder || skip(2), let isScreenChosen = bits.readFlag() else {
      return false
    }
    var isScreenContentPossible = true
    if !isScreenChosen {
      guard let isForced = bits.readFlag() else { return false }
      isScreenContentPossible = isForced
    }
    if isScreenContentPossible {
      guard let isChosen = bits.readFlag(), isChosen || skip(1) else { return false }
    }
    return !hasOrder || skip(3)
  }

  private mutating func skip(_ count: Int) -> Bool { bits.skip(count) != nil }

  /// Skips a number whose length is given by its leading zeros (`uvlc`).
  private mutating func skipNumber() -> Bool {
    for zeros in 0..<32 {
      guard let bit = bits.readFlag() else { return false }
      if bit { return skip(zeros) }
    }
    return false
  }
}

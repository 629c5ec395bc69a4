/// A caption distribution packet (CDP, SMPTE ST 334-2). It contains the captions of one frame, in MCC files and in
/// ancillary data.
package struct CaptionDistributionPacket: Hashable, Sendable {
  /// Two bytes of caption data and the type of the data.
  package struct Triple: Hashable, Sendable {
    /// The type of caption data, in the order of the codes.
    package enum Kind: UInt8, Hashable, Sendable {
      /// A CEA-608 pair of the first field.
      case field1
      /// A CEA-608 pair of the second field.
      case field2
      /// Two bytes that continue a CEA-708 packet.
      case digitalData
      /// Two bytes that begin a CEA-708 packet.
      case digitalStart
    }

    package var kind: Kind
    /// Whether the bytes contain data. Otherwise they are padding.
    package var isValid: Bool
    package var pair: CaptionPair

    /// Creates a triple.
    package init(_ kind: Kind, isValid: Bool = true, _ pair: CaptionPair) {
      self.kind = kind
      self.isValid = isValid
      self.pair = pair
    }
  }

  /// The code of the frame rate, from 1 (23.976) to 8 (60).
  package var rateCode: UInt8
  /// The number of the packet.
  package var sequence: UInt16
  /// The captions, or none if the packet contains no caption data.
  package var triples: [Triple]
  /// Whether the packet ends with a checksum. Some programs omit the checksum.
  package private(set) var hasChecksum = true

  /// Creates a packet.
  package init(rateCode: UInt8, sequence: UInt16, triples: [Triple]) {
    self.rateCode = rateCode
    self.sequence = sequence
    self.triples = triples
  }

  /// The frame rates in order of their codes, from code 1. A rate is a number of frames in a number of seconds.
  private static let rates: [(frames: Int64, seconds: Int64)] = [
    (24_000, 1_001), (24, 1), (25, 1), (30_000, 1_001), (30, 1), (50, 1), (60_000, 1_001), (60, 1),
  ]

  /// Returns the frame rate of a code, or `nil` if the code is reserved.
  static func rate(_ code: UInt8) -> CaptionFrameRate? {
    guard (1...8).contains(code) else { return nil }
    let rate = rates[Int(code) - 1]
    return CaptionFrameRate(frames: rate.frames, in: rate.seconds)
  }

  /// Returns the code of a frame rate, or `nil` if packets cannot declare the rate.
  static func code(of rate: CaptionFrameRate) -> UInt8? {
    (1...8).first { Self.rate($0) == rate }
  }

  /// Parses a packet. Throws if a section exceeds the packet or if the checksum is wrong. The checksum may be missing.
  package init(parsing bytes: ArraySlice<UInt8>) throws(SubtitleError) {
    func fault(_ position: Int, _ reason: String) -> SubtitleError {
      SubtitleError(.malformed, "caption packet, byte \(position - bytes.startIndex): \(reason)")
    }
    var position = bytes.startIndex
    guard bytes.count >= 11, bytes.starts(with: [0x96, 0x69]) else {
      throw fault(position, "no packet begins here (9669)")
    }
    let size = Int(bytes[position + 2])
    guard size == bytes.count else {
      throw fault(position + 2, "the packet declares \(size) bytes, but has \(bytes.count)")
    }
    rateCode = bytes[position + 3] >> 4
    sequence = UInt16(bytes[position + 5]) << 8 | UInt16(bytes[position + 6])
    triples = []
    position += 7
    let closing = [0x74, bytes[position - 2], bytes[position - 1]]
    let isValid = bytes.reduce(0, &+) == 0
    hasChecksum = isValid && bytes.suffix(4).starts(with: closing) || !bytes.suffix(3).elementsEqual(closing)
    guard !hasChecksum || isValid else { throw fault(bytes.endIndex - 1, "the checksum is wrong") }
    let footer = bytes.endIndex - (hasChecksum ? 4 : 3)
    var hasCaptions = false
    while position < footer {
      let section = bytes[position]
      switch section {
      case 0x71: position += 5  // The section of the time code.
      case 0x72:
        guard position + 1 < footer else { throw fault(position, "the caption data is cut off") }
        guard !hasCaptions else { throw fault(position, "the packet has a second section of captions") }
        hasCaptions = true
        let count = Int(bytes[position + 1] & 0x1F)
        position += 2
        guard count * 3 <= footer - position else {
          throw fault(position - 1, "\(counted(count, "triple")) of captions exceed the size of the packet")
        }
        triples.reserveCapacity(count)
        for index in 0..<count {
          let start = position + 3 * index
          let kind = Triple.Kind(rawValue: bytes[start] & 0x03) ?? .field1
          let isValid = bytes[start] & 0x04 != 0
          triples.append(Triple(kind, isValid: isValid, CaptionPair(bytes[start + 1], bytes[start + 2])))
        }
        position += count * 3
      case 0x73:  // Names and languages of the services, in seven bytes each.
        guard position + 1 < footer else { throw fault(position, "the service information is cut off") }
        position += 2 + 7 * Int(bytes[position + 1] & 0x0F)
      case 0x75...0xEF:  // Sections of later versions declare their sizes.
        guard position + 1 < footer else { throw fault(position, "a section is cut off") }
        position += 2 + Int(bytes[position + 1])
      default: throw fault(position, "unknown section 0x\(String(section, radix: 16))")
      }
    }
    guard position == footer, bytes[footer] == 0x74 else {
      throw fault(min(position, footer), "the sections do not end at the footer")
    }
  }

  /// The packet as bytes, with its checksum. Triples after the 31st are omitted.
  package var bytes: [UInt8] {
    let kept = triples.prefix(31)
    // The flags mark the caption data as present and active. The lowest bit is reserved and must be set.
    var bytes: [UInt8] = [0x96, 0x69, 0, rateCode << 4 | 0x0F, 0x43, UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
    bytes += [0x72, 0xE0 | UInt8(kept.count)]
    for triple in kept {
      bytes += [0xF8 | (triple.isValid ? 4 : 0) | triple.kind.rawValue, triple.pair.first, triple.pair.second]
    }
    bytes += [0x74, UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
    bytes[2] = UInt8(clamping: bytes.count + 1)
    bytes.append(0 &- bytes.reduce(0, &+))
    return bytes
  }
}

/// Collects the numbers of the CEA-708 services in caption data.
package struct DigitalCaptionServices: Hashable, Sendable {
  private var packet: [UInt8] = []
  private var services: Set<Int> = []

  package init() {}

  /// The numbers of the services, from 1 to 63, in ascending order.
  package var numbers: [Int] { services.sorted() }

  /// Processes the next triple.
  package mutating func receive(_ triple: CaptionDistributionPacket.Triple) {
    guard triple.isValid else { return }
    switch triple.kind {
    case .field1, .field2: return
    case .digitalStart:
      finish()
      packet = [triple.pair.first, triple.pair.second]
    case .digitalData:
      // Ignore bytes beyond the maximum size of a packet, 128 bytes (CTA-708-E, section 5).
      if !packet.isEmpty, packet.count < 128 { packet += [triple.pair.first, triple.pair.second] }
    }
  }

  /// Reads the service blocks of the last packet. The packet may be incomplete.
  package mutating func finish() {
    defer { packet = [] }
    guard let header = packet.first else { return }
    let size = header & 0x3F == 0 ? 128 : 2 * Int(header & 0x3F)
    let end = min(size, packet.count)
    var position = 1
    while position < end {
      var service = Int(packet[position] >> 5)
      let blockSize = Int(packet[position] & 0x1F)
      position += 1
      guard blockSize > 0 else { return }
      if service == 7 {
        guard position < end else { return }
        service = Int(packet[position] & 0x3F)
        position += 1
      }
      if service > 0 { services.insert(service) }
      position += blockSize
    }
  }
}

extension CaptionFrameRate {
  /// Creates the rate of packets that is nearest to the rate of pictures, or `nil` if no rate is near.
  ///
  /// - Parameters:
  ///   - count: the number of pictures.
  ///   - duration: the duration of all pictures, in ticks.
  ///   - timeScale: the number of ticks in a second.
  package init?(ofPictures count: UInt64, lasting duration: UInt64, timeScale: UInt32) {
    let near = (1...8).compactMap { CaptionDistributionPacket.rate($0) }.first { rate in
      let wanted = Int128(rate.frames) * Int128(duration)
      let found = Int128(count) * Int128(timeScale) * Int128(rate.seconds)
      // 24 and 23.976 frames a second differ by a thousandth, so the tolerance must be smaller than a thousandth.
      return wanted > 0 && abs(wanted - found) * 4_000 < wanted
    }
    guard let near else { return nil }
    self = near
  }

  /// The number of frames in a second, rounded up.
  var nominal: Int64 { (frames + seconds - 1) / seconds }
}

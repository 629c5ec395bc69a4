package import MovieBox

/// Finds the CEA-608 channels and CEA-708 services of closed captions in H.264 and HEVC pictures.
///
/// Captions are in supplemental enhancement information (SEI, ATSC A/53 part 4, 6.2.3) of some pictures.
package struct CaptionServices: Hashable, Sendable {
  /// The names `CC1` to `CC4`, then `SERVICE1` to `SERVICE63`.
  package private(set) var names: [String] = []
  private var channels: Set<Int> = []
  private var services: Set<Int> = []
  /// The channel of the last control code in each field.
  private var currentChannels: [Int?] = [nil, nil]
  private let lengthByteCount: Int
  private let isHEVC: Bool

  /// Prepares a search in pictures of a sample description, or returns `nil` for other formats.
  package init?(_ entry: Int, of tree: AtomTree) {
    func configuration(_ type: FourCC) -> Bytes? { tree.child(of: entry, type).map(tree.payload(of:)) }
    if let length = configuration("avcC")?.load(at: 4, as: UInt8.self) {
      (lengthByteCount, isHEVC) = (Int(length & 3) + 1, false)
    } else if let length = configuration("hvcC")?.load(at: 21, as: UInt8.self) {
      (lengthByteCount, isHEVC) = (Int(length & 3) + 1, true)
    } else {
      return nil
    }
  }

  /// Searches a picture.
  package mutating func look(at sample: Bytes) {
    var position = 0
    while position + lengthByteCount <= sample.count {
      let length = (0..<lengthByteCount).reduce(0) { $0 << 8 | Int(sample[position + $1]) }
      position += lengthByteCount
      guard let unit = sample.slice(at: position, count: length) else { return }
      position += length
      guard let first = unit.first else { continue }
      // SEI precedes its picture, which is skipped.
      if isHEVC, first >> 1 & 0x3F == 39 { parseMessages(unit.dropFirst(2)) }
      if !isHEVC, first & 0x1F == 6 { parseMessages(unit.dropFirst(1)) }
    }
    names =
      channels.sorted().map { "CC\($0)" } + services.sorted().filter { (1...63).contains($0) }.map { "SERVICE\($0)" }
  }

  private mutating func parseMessages(_ escaped: Bytes) {
    let bytes = escaped.withoutEmulationPrevention()
    var position = 0
    func number() -> Int? {
      var value = 0
      while position < bytes.count, bytes[position] == 0xFF {
        value += 0xFF
        position += 1
      }
      guard position < bytes.count else { return nil }
      value += Int(bytes[position])
      position += 1
      return value
    }
    while position + 2 < bytes.count {
      guard let type = number(), let size = number(), size <= bytes.count - position else { return }
      if type == 4 { parseUserData(bytes[position..<position + size]) }
      position += size
    }
  }

  /// Parses `itu_t_t35`: country, provider, `GA94`, 3, and triples of a type and two bytes.
  private mutating func parseUserData(_ data: ArraySlice<UInt8>) {
    guard data.count > 10, data.starts(with: [0xB5, 0, 0x31, 0x47, 0x41, 0x39, 0x34, 3]) else { return }
    let flags = data[data.startIndex + 8]
    guard flags & 0x40 != 0 else { return }
    var position = data.startIndex + 10
    var packet: [UInt8] = []
    for _ in 0..<flags & 0x1F {
      guard position + 3 <= data.endIndex else { break }
      let (head, first, second) = (data[position], data[position + 1], data[position + 2])
      position += 3
      guard head & 0x04 != 0 else { continue }
      switch head & 0x03 {
      case 0, 1: parsePair(first & 0x7F, field: Int(head & 0x03))
      case 3:
        parsePacket(packet)
        packet = [first, second]
      default: packet += [first, second]
      }
    }
    parsePacket(packet)
  }

  /// Parses a CEA-608 byte pair. Text belongs to the channel of the preceding control code.
  private mutating func parsePair(_ first: UInt8, field: Int) {
    if (0x10...0x1F).contains(first) {
      currentChannels[field] = 1 + 2 * field + (first & 0x08 == 0 ? 0 : 1)
    } else if first >= 0x20, let channel = currentChannels[field] {
      channels.insert(channel)
    } else if (1...0x0F).contains(first) {
      currentChannels[field] = nil  // A packet of extended data services (XDS).
    }
  }

  /// Parses a CEA-708 packet, as far as one picture contains it, into service blocks.
  private mutating func parsePacket(_ packet: [UInt8]) {
    var position = 1
    while position < packet.count {
      let size = Int(packet[position] & 0x1F)
      var service = Int(packet[position] >> 5)
      position += 1
      guard size > 0 else { return }
      if service == 7 {
        guard position < packet.count else { return }
        service = Int(packet[position] & 0x3F)
        position += 1
      }
      if service > 0 { services.insert(service) }
      position += size
    }
  }
}

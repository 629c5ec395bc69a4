import Subtitles

/// The reader of caption messages in supplemental enhancement information (SEI; ITU-T H.264, 7.3.2.3).
enum CaptionMessages {
  /// The type of a message with data that is registered by ITU-T T.35.
  private static let registeredDataType = 4
  /// The country code of the United States, and the provider codes of ATSC and DirecTV.
  private static let atsc: [UInt8] = [0xB5, 0x00, 0x31]
  private static let directTV: [UInt8] = [0xB5, 0x00, 0x2F]

  /// Reads the messages of a unit without its header. Adds the captions to `triples`, and the number of messages whose
  /// sizes or counts are wrong to `damagedCount`.
  static func read(
    _ escaped: Bytes, _ triples: inout [CaptionDistributionPacket.Triple], _ damagedCount: inout Int
  ) {
    let bytes = escaped.withoutEmulationPrevention()
    var position = 0
    // A message needs at least two bytes, and the unit ends with a byte of trailing bits.
    while position + 2 < bytes.count {
      guard let type = number(bytes, &position), let size = number(bytes, &position), size <= bytes.count - position
      else {
        damagedCount += 1
        return
      }
      let content = bytes[position..<position + size]
      if type == registeredDataType, !readData(content, &triples) { damagedCount += 1 }
      position += size
    }
  }

  /// Reads a number that is stored as a sum of bytes. A byte other than 255 ends the number. Returns `nil` if there is
  /// no such byte.
  private static func number(_ bytes: [UInt8], _ position: inout Int) -> Int? {
    var sum = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      sum += Int(byte)
      if byte != 0xFF { return sum }
    }
    return nil
  }

  /// Reads registered data. Returns `false` if the captions are damaged.
  private static func readData(_ data: ArraySlice<UInt8>, _ triples: inout [CaptionDistributionPacket.Triple]) -> Bool {
    if data.starts(with: atsc) {
      let content = data.dropFirst(atsc.count)
      // Only the identifier GA94 with the type 3 identifies captions. Other identifiers, such as DTG1 (active format
      // description), are ignored.
      return content.starts(with: [0x47, 0x41, 0x39, 0x34, 0x03]) ? readCaptions(content.dropFirst(5), &triples) : true
    }
    if data.starts(with: directTV) {
      let content = data.dropFirst(directTV.count)
      // In data of DirecTV, the type 3 and a size precede the captions.
      return content.first == 0x03 ? readCaptions(content.dropFirst(2), &triples) : true
    }
    return true
  }

  /// Reads `cc_data` (ATSC A/53 part 4, table 6.9): flags with the number of triples, a reserved byte and the triples.
  /// Returns `false` and adds nothing if the triples exceed the data.
  private static func readCaptions(
    _ data: ArraySlice<UInt8>, _ triples: inout [CaptionDistributionPacket.Triple]
  ) -> Bool {
    guard let flags = data.first else { return false }
    guard flags & 0x40 != 0 else { return true }
    let count = Int(flags & 0x1F)
    guard count * 3 <= data.count - 2 else { return false }
    var position = data.startIndex + 2
    for _ in 0..<count {
      let head = data[position]
      triples.append(
        CaptionDistributionPacket.Triple(
          CaptionDistributionPacket.Triple.Kind(rawValue: head & 0x03) ?? .field1, isValid: head & 0x04 != 0,
          CaptionPair(data[position + 1], data[position + 2])))
      position += 3
    }
    return true
  }
}

/// Reads MacCaption closed captions (`.mcc`, versions 1.0 and 2.0).
///
/// A line contains a time code and an ancillary data packet in hexadecimal digits. The letters from G to Z abbreviate
/// frequent sequences of bytes.
package enum MacCaptionReader {
  private static let signature = "file format=maccaption_mcc"

  /// Whether a text begins with the signature of the format, regardless of case.
  package static func canRead(_ text: [UInt8]) -> Bool {
    var lines = CaptionLines(text)
    guard let first = lines.next() else { return false }
    return String(decoding: first.line.prefix(signature.utf8.count), as: UTF8.self).lowercased() == signature
  }

  /// Reads a text without decoding the captions. Packets whose captions are damaged are skipped with a notice.
  ///
  /// Throws an error with the line number if a rate or a time code is invalid or if data is not hexadecimal.
  package static func read(_ text: [UInt8], notices: NoticeList) throws(SubtitleError) -> CaptionFile {
    var reading = MacCaptionReading(notices)
    for (line, number) in CaptionLines(text).dropFirst() where !line.starts(with: "//".utf8) {
      try reading.read(line, number)
    }
    return reading.finished
  }
}

private struct MacCaptionReading {
  private var file: CaptionFile
  /// The rate in the header, or `nil` if it has not been read yet.
  private var nominalRate: (framesPerSecond: Int64, dropsFrames: Bool)?
  private var hasRate = false
  private var lastFrame: Int64 = 0
  private var services = DigitalCaptionServices()
  private var packetCount = 0
  /// The number of packets for which only one of the two checksums is present and valid, and the line of the first such
  /// packet.
  private var uncheckedPackets = (count: 0, firstLine: 0)
  private var otherPackets = (count: 0, firstLine: 0)

  init(_ notices: NoticeList) {
    file = CaptionFile(numbering: .nonDropFrame, notices: notices)
    file.repetitionFrames = DecodedCaptions.pictureRepetitionFrames
  }

  var finished: CaptionFile {
    var (file, services) = (file, services)
    services.finish()
    file.digitalServices = services.numbers
    if uncheckedPackets.count > 0 {
      file.notices.add(
        .uncheckedBytes, "checksum", line: uncheckedPackets.firstLine,
        "\(counted(uncheckedPackets.count, "packet")) \(uncheckedPackets.count == 1 ? "was" : "were") read, although one "
          + "of the two checksums is wrong; this line contains the first packet")
    }
    if otherPackets.count > 0 {
      file.notices.add(
        .ignoredSetting, "packet", line: otherPackets.firstLine,
        "\(counted(otherPackets.count, "packet")) without captions \(otherPackets.count == 1 ? "was" : "were") ignored; "
          + "this line contains the first")
    }
    return file
  }

  mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) throws(SubtitleError) {
    guard let (code, isDropFrame, rest) = Timecode.parse(line) else { return try readHeader(line, number) }
    if nominalRate == nil {
      nominalRate = (30, isDropFrame)
      file.notices.add(
        .unusualTime, "rate", line: number,
        "no Time Code Rate precedes the captions: 30\(isDropFrame ? "DF" : "") is assumed")
    }
    // In version 2.0, a field and a line number may follow the time code.
    let data = rest.drop { !Ascii.isBlank($0) }.drop { Ascii.isBlank($0) }
    let packet = try Self.expanded(data, number)
    guard let captions = try captionPacket(packet, number) else { return }
    setNumbering(captions.rateCode)
    if let fault = code.fault(file.numbering) { throw SubtitleError(.malformed, line: number, "time code: \(fault)") }
    if code.isSkipped(file.numbering) {
      file.notices.add(
        .unusualTime, "skipped", line: number,
        "\(code.text(isDropFrame: true)) does not exist in drop-frame time codes: it is read as the next frame")
    }
    let frame = file.numbering.frame(of: code, after: lastFrame)
    if frame < lastFrame {
      file.notices.add(
        .unusualTime, "back", line: number,
        "\(code.text(isDropFrame: isDropFrame)) is before the previous time code: its captions follow the previous captions"
      )
    }
    lastFrame = max(lastFrame, frame)
    for triple in captions.triples where triple.isValid {
      switch triple.kind {
      case .field1: file.fields[0].append(TimedCaptionPair(time: lastFrame, triple.pair, line: number))
      case .field2: file.fields[1].append(TimedCaptionPair(time: lastFrame, triple.pair, line: number))
      case .digitalData, .digitalStart: services.receive(triple)
      }
    }
  }

  /// Reads a line such as `Time Code Rate=30DF`.
  private mutating func readHeader(_ line: ArraySlice<UInt8>, _ number: Int) throws(SubtitleError) {
    guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
      return try file.dropLine(line, number, "is neither a setting nor a time code")
    }
    let name = String(decoding: line[..<equals], as: UTF8.self).lowercased()
    guard name == "time code rate" else { return }
    let value = String(decoding: line[(equals + 1)...], as: UTF8.self).uppercased()
    let digits = value.hasSuffix("DF") ? value.dropLast(2) : value[...]
    guard let rate = Int64(digits: digits), [24, 25, 30, 50, 60].contains(rate),
      digits.utf8.count == value.utf8.count || rate % 30 == 0
    else {
      throw SubtitleError(
        .malformed, line: number, "Time Code Rate=\(value) is not one of 24, 25, 30, 30DF, 50, 60 and 60DF")
    }
    nominalRate = (rate, digits.utf8.count != value.utf8.count)
  }

  /// Determines the duration of frames from the first caption packet. Its rate code distinguishes 24 from 23.976 frames
  /// a second.
  private mutating func setNumbering(_ rateCode: UInt8) {
    guard !hasRate, let nominalRate else { return }
    hasRate = true
    let (nominal, drops) = nominalRate
    var rate = CaptionDistributionPacket.rate(rateCode)
    if let known = rate, (known.frames + known.seconds - 1) / known.seconds != nominal { rate = nil }
    if drops, rate?.seconds == 1 { rate = nil }
    let usual =
      nominal % 25 == 0
      ? CaptionFrameRate(frames: nominal, in: 1) : CaptionFrameRate(frames: nominal * 1_000, in: 1_001)
    file.numbering = Timecode.Numbering(framesPerSecond: nominal, rate: rate ?? usual, dropsFrames: drops)
  }

  /// Returns the caption packet in an ancillary data packet, or `nil` if there is none or it is damaged.
  private mutating func captionPacket(
    _ packet: [UInt8], _ line: Int
  ) throws(SubtitleError) -> CaptionDistributionPacket? {
    guard packet.count >= 4, packet.starts(with: [0x61, 0x01]) else {
      if otherPackets.count == 0 { otherPackets.firstLine = line }
      otherPackets.count += 1
      return nil
    }
    let size = Int(packet[2])
    guard packet.count >= 4 + size else {
      skipDamagedPacket(line, "the packet declares \(size) bytes, but has \(packet.count - 4)", ": it was skipped")
      return nil
    }
    do throws(SubtitleError) {
      let captions = try CaptionDistributionPacket(parsing: packet[3..<3 + size])
      let isValid = packet[..<(3 + size)].reduce(0, &+) == packet[3 + size]
      guard isValid || captions.hasChecksum else {
        throw SubtitleError(.malformed, "the checksum of the ancillary data packet is wrong")
      }
      if !isValid || !captions.hasChecksum {
        if uncheckedPackets.count == 0 { uncheckedPackets.firstLine = line }
        uncheckedPackets.count += 1
      }
      return captions
    } catch {
      skipDamagedPacket(line, error.reason, ": the packet was skipped")
      return nil
    }
  }

  /// Counts a damaged packet and adds a notice about it. `result` is the end of the notice.
  private mutating func skipDamagedPacket(_ line: Int, _ reason: String, _ result: String) {
    file.damagedPackets.count += 1
    if file.damagedPackets.first == nil {
      file.damagedPackets.first = SubtitleError(.malformed, line: line, reason)
    }
    file.notices.add(.damagedPacket, line: line, reason + result)
  }

  /// The bytes that each letter from G to Z abbreviates.
  private static let abbreviations: [UInt8: [UInt8]] = {
    var letters: [UInt8: [UInt8]] = [:]
    for count in 1...9 {
      letters[UInt8(ascii: "G") + UInt8(count) - 1] = Array(repeatElement([0xFA, 0, 0], count: count).joined())
    }
    letters[UInt8(ascii: "P")] = [0xFB, 0x80, 0x80]
    letters[UInt8(ascii: "Q")] = [0xFC, 0x80, 0x80]
    letters[UInt8(ascii: "R")] = [0xFD, 0x80, 0x80]
    letters[UInt8(ascii: "S")] = [0x96, 0x69]
    letters[UInt8(ascii: "T")] = [0x61, 0x01]
    letters[UInt8(ascii: "U")] = [0xE1, 0, 0, 0]
    letters[UInt8(ascii: "Z")] = [0]
    return letters
  }()

  /// Returns the bytes of a packet. Throws if the text contains characters other than hexadecimal digits and
  /// abbreviations, or more bytes than a packet can have.
  private static func expanded(_ data: ArraySlice<UInt8>, _ line: Int) throws(SubtitleError) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for byte in data {
      if let digit = byte.hexadecimalValue {
        guard let first = high else {
          high = digit
          continue
        }
        bytes.append(first << 4 | digit)
        high = nil
      } else if let expansion = abbreviations[byte & 0xDF], Ascii.isLetter(byte), high == nil {
        bytes += expansion
      } else {
        let reason =
          high == nil
          ? "is neither a hexadecimal digit nor an abbreviation" : "is not the second hexadecimal digit of a byte"
        throw SubtitleError(.malformed, line: line, "\(excerpt(CollectionOfOne(byte))) \(reason)")
      }
      // Reject more than 259 bytes: a packet has a type, a size, up to 255 bytes of data and a checksum.
      guard bytes.count <= 259 else {
        throw SubtitleError(.malformed, line: line, "the data is longer than an ancillary data packet, 259 bytes")
      }
    }
    guard high == nil else {
      throw SubtitleError(.malformed, line: line, "the data ends within a byte: the number of digits is odd")
    }
    return bytes
  }
}

/// Writes pairs as MacCaption closed captions, version 1.0.
package enum MacCaptionWriter {
  /// The number of triples in all packets of a second. It is equal at all frame rates.
  private static let tripleCountPerSecond: Int64 = 600

  /// Whether an MCC file can declare this frame rate.
  static func supports(_ rate: CaptionFrameRate) -> Bool { CaptionDistributionPacket.code(of: rate) != nil }

  /// Writes the pairs of the two fields as one packet for each frame with data. The pairs must be in the order of their
  /// frames. Pairs that do not fit into the packet of their frame move to the next frame. Time codes at 29.97 and 59.94
  /// frames a second are drop-frame.
  package static func write(_ fields: [[TimedCaptionPair]], _ rate: CaptionFrameRate = .line21) -> [UInt8] {
    write(fields, Timecode.Numbering(rate, dropsFrames: true))
  }

  /// Writes the pairs with time codes of this numbering. `start` is the time code of frame 0, as a number of frames.
  static func write(_ fields: [[TimedCaptionPair]], _ numbering: Timecode.Numbering, from start: Int64 = 0) -> [UInt8] {
    let rate = numbering.rate
    let rateName = "\(rate.nominal)\(numbering.dropsFrames ? "DF" : "")"
    var bytes = Array(
      "File Format=MacCaption_MCC V1.0\n\nCreation Program=movtool\nTime Code Rate=\(rateName)\n\n".utf8)
    let tripleCount = Int(tripleCountPerSecond / rate.nominal)
    // At up to 30 frames a second, a packet contains at least one pair of each field, even if the pair has no data.
    let leastCount = rate.nominal > 30 ? 0 : 1
    let pairCount = tripleCount / 2
    var rest = [fields.first ?? [], fields.count > 1 ? fields[1] : []].map { $0[...] }
    var sequence: UInt16 = 0
    var nextFrame = Int64.min
    while let first = rest.compactMap(\.first?.time).min() {
      let frame = max(first, nextFrame)
      var triples: [CaptionDistributionPacket.Triple] = []
      for (index, kind) in [CaptionDistributionPacket.Triple.Kind.field1, .field2].enumerated() {
        let pairs = rest[index].prefix(pairCount).prefix { $0.time <= frame }
        rest[index] = rest[index].dropFirst(pairs.count)
        triples += pairs.map { CaptionDistributionPacket.Triple(kind, $0.pair.withOddParity) }
        if pairs.count < leastCount { triples.append(CaptionDistributionPacket.Triple(kind, .null)) }
      }
      let padding = CaptionDistributionPacket.Triple(.digitalData, isValid: false, CaptionPair(0, 0))
      triples += Array(repeating: padding, count: max(0, tripleCount - triples.count))
      let packet = CaptionDistributionPacket(
        rateCode: CaptionDistributionPacket.code(of: rate) ?? 4, sequence: sequence, triples: triples
      ).bytes
      sequence &+= 1
      nextFrame = frame + 1
      bytes += Array(numbering.code(ofFrame: frame, from: start).text(isDropFrame: false).utf8) + [Ascii.tab]
      write(packet, to: &bytes)
      bytes.append(Ascii.lineFeed)
    }
    return bytes
  }

  /// Writes an ancillary data packet and abbreviates its padding.
  private static func write(_ packet: [UInt8], to bytes: inout [UInt8]) {
    let ancillary = [0x61, 0x01, UInt8(clamping: packet.count)] + packet
    let all = ancillary + [ancillary.reduce(0, &+)]
    bytes.append(UInt8(ascii: "T"))
    var index = 2
    while index < all.count {
      var paddingCount = 0
      while paddingCount < 9, all[(index + 3 * paddingCount)...].prefix(3).elementsEqual([0xFA, 0, 0]) {
        paddingCount += 1
      }
      if paddingCount > 0 {
        bytes.append(UInt8(ascii: "G") + UInt8(paddingCount) - 1)
        index += 3 * paddingCount
      } else {
        bytes.appendHexadecimal(all[index], uppercase: true)
        index += 1
      }
    }
  }
}

public import MovieBox
import Subtitles

/// Decodes byte pairs of captions. Each pair is preceded by a byte that contains the distance to the previous pair in
/// frames, and the field in its highest bit.
public func readPairs(_ bytes: Bytes) {
  let input = Array(bytes)
  for parity in [CaptionDecoder.Parity.ignored, .checked] {
    var decoders = (0...1).map { CaptionDecoder(field: $0, parity: parity, limits: textLimits) }
    var fields: [[TimedCaptionPair]] = [[], []]
    var frame: Int64 = 0
    for start in stride(from: 0, to: input.count - input.count % 3, by: 3) {
      frame += Int64(input[start] & 0x7F)
      fields[Int(input[start] >> 7)].append(
        TimedCaptionPair(time: frame, CaptionPair(input[start + 1], input[start + 2])))
    }
    attempt("pairs") {
      for field in 0...1 {
        for pair in fields[field] { try decoders[field].receive(pair) }
        try decoders[field].finish()
      }
    }
    for channel in CaptionChannel.allCases {
      var notices = NoticeList(textLimits)
      let cues = decoders[channel.field].screens(of: channel).cues(.line21, &notices)
      if cues.contains(where: { $0.endMilliseconds < $0.startMilliseconds }) { fault("a cue ends before it starts") }
      writeCaptions(cues)
    }
    consume(decoders.map(\.serviceNames))
    let written = require("written pairs") {
      try ScenaristReader.read(ScenaristWriter.write(fields[0]), notices: NoticeList(textLimits))
    }
    // Time codes are limited to one day.
    if frame < 2_000_000, written.fields[0].count > fields[0].count { fault("a file has more pairs than were written") }
  }
}

/// Reads an SCC file.
public func readScenarist(_ bytes: Bytes) { readCaptions(bytes, signature: "Scenarist_SCC V1.0\n\n", named: "a.scc") }

/// Reads an MCC file.
public func readMacCaption(_ bytes: Bytes) {
  readCaptions(bytes, signature: "File Format=MacCaption_MCC V1.0\n\nTime Code Rate=30DF\n\n", named: "a.mcc")
}

/// Reads a file unchanged, and again with a signature before it.
private func readCaptions(_ bytes: Bytes, signature: String, named name: String) {
  for input in [Array(bytes), Array(signature.utf8) + bytes] {
    guard let file = attempt("captions", { try SubtitleFile.read(input, named: name, limits: textLimits) }) else {
      continue
    }
    consume(file.notices.map(\.description))
    writeCaptions(file.cues)
  }
}

/// Writes cues as captions, and checks that the written files can be read.
private func writeCaptions(_ cues: [Cue]) {
  let file = SubtitleFile(cues: cues, notices: [])
  for format in [SubtitleFileFormat.scenarist, .macCaption] {
    let written = file.written(as: format)
    guard let again = attempt("written captions", { try SubtitleFile.read(written.bytes, limits: textLimits) }) else {
      let dropped = written.notices.contains {
        $0.count(.dropped) > 0 || $0.kind == .overlapTooLong || $0.kind == .tooShort
      }
      if !cues.isEmpty, !dropped { fault("captions that were written cannot be read") }
      continue
    }
    consume(again.cues.map(\.text.text))
  }
}

/// Reads a caption distribution packet unchanged, and again with a correct size and checksum.
public func readCaptionPacket(_ bytes: Bytes) {
  var whole: [UInt8] = [0x96, 0x69, 0] + bytes.prefix(240)
  whole[2] = UInt8(whole.count + 1)
  whole.append(0 &- whole.reduce(0, &+))
  for input in [Array(bytes), whole] {
    guard let packet = attempt("packet", { try CaptionDistributionPacket(parsing: input[...]) }) else { continue }
    var services = DigitalCaptionServices()
    for triple in packet.triples { services.receive(triple) }
    services.finish()
    consume(services.numbers)
    let again = require("written packet") { try CaptionDistributionPacket(parsing: packet.bytes[...]) }
    if again.triples != packet.triples { fault("a packet is not what was written") }
  }
}

/// Searches a sample for captions, with each size of length fields, at once and in parts.
public func readPictureCaptions(_ bytes: Bytes) {
  let byteCount = UInt64(bytes.count)
  for isHEVC in [false, true] {
    for lengthByteCount in 1...4 {
      let format = PictureCaptions.Format(lengthByteCount: lengthByteCount, isHEVC: isHEVC)
      var whole = PictureCaptions(format)
      if whole.search(bytes, ofByteCount: byteCount) != nil { fault("a search of a whole sample requests more bytes") }
      var parts = PictureCaptions(format)
      var next: PictureCaptions.Range? = .beginning
      while let range = next {
        // The first bytes are fewer than requested.
        let count = range == .beginning ? min(8, bytes.count) : range.byteCount
        let part = require("range of a picture") {
          guard let offset = Int(exactly: range.offset), let part = bytes.slice(at: offset, count: count)
          else { throw MovieError(.truncated, "the range is outside the sample") }
          return part
        }
        next = parts.search(part, in: range, ofByteCount: byteCount)
        if let next, next == range { fault("a search requests the same range twice") }
      }
      if parts != whole { fault("parts of a sample contain other captions than the sample") }
      var services = CaptionServices()
      for triple in whole.triples { services.receive(triple) }
      services.finish()
      consume(services.allNames)
    }
  }
}

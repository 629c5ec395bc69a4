import MovieBox

/// Reads samples of WebVTT in movies (ISO/IEC 14496-30, clause 7): boxes, of which each `vttc` is a cue.
struct WebVTTSampleDecoder {
  /// The cues of a sample; none in one that is empty or holds a `vtte`.
  func decode(_ payload: Bytes) -> SampleText {
    var answer = SampleText()
    var reader = ByteReader(payload)
    do throws(MovieError) {
      while let box = try reader.readBox() {
        // `vtte` says that nothing is shown, `vtta` is a comment between cues.
        guard box.type == "vttc" else { continue }
        if let shown = try Self.cue(box.payload) { answer.shown.append(shown) }
      }
    } catch {
      answer.problem = error.description
    }
    return answer
  }

  private static func cue(_ payload: Bytes) throws(MovieError) -> ShownText? {
    var reader = ByteReader(payload)
    var text: StyledText?
    var placement = CuePlacement.standard
    var sourceID: UInt32?
    while let box = try reader.readBox() {
      switch box.type {
      case "payl": text = WebVTTCueText.parse(String(decoding: box.payload, as: UTF8.self))
      case "sttg": placement = CuePlacement(webVTTSettings: String(decoding: box.payload, as: UTF8.self))
      case "vsid": sourceID = box.payload.load(at: 0, as: UInt32.self)
      default: break  // `iden` names the cue, `ctim` its time: neither is shown.
      }
    }
    guard let text, let trimmed = SampleText.trimmed(text) else { return nil }
    return ShownText(text: trimmed, placement: placement, sourceID: sourceID)
  }
}

extension ByteReader {
  /// Reads the next box of a sample; `nil` where none follows.
  fileprivate mutating func readBox() throws(MovieError) -> (type: FourCC, payload: Bytes)? {
    guard remaining >= 8 else { return nil }
    let start = UInt64(position)
    let available = remaining
    let size = try read(UInt32.self)
    let type = try readFourCC()
    guard let byteCount = Int(exactly: size), byteCount >= 8, byteCount <= available else {
      throw MovieError(.truncated, at: start, "\(type) claims \(size) bytes, at least 8 and at most \(available) fit")
    }
    return (type, try readBytes(byteCount - 8))
  }
}

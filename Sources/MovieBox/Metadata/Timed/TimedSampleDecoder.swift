// Decoders for all formats of timed metadata, and the formats whose samples are one value: `urim`, `mett`, `metx` and
// time codes (`tmcd`).

import Subtitles

/// A decoder for the samples of one sample description.
enum TimedSampleDecoder: Sendable {
  /// Boxed metadata (`mebx`).
  case boxed(BoxedMetadataDecoder)
  /// Bytes whose meaning the sample description declares (`urim`, `mett`, `metx`).
  case opaque(MetadataIdentifier, details: [String: String])
  /// Time codes (`tmcd`).
  case timecode(TimecodeFormat)
  /// GoPro telemetry (`gpmd`).
  case telemetry
  /// Camera motion metadata (`camm`).
  case cameraMotion
  /// The samples of another format, as bytes.
  case unknown(MetadataIdentifier)

  /// Creates a decoder. Returns `nil` if the format is unknown and the track does not contain metadata.
  init?(_ entry: SampleEntry, _ mediaType: MediaType) {
    switch entry.format {
    case "mebx": self = .boxed(BoxedMetadataDecoder(entry))
    case "urim": self = Self.uri(entry)
    case "mett", "metx": self = Self.text(entry)
    case "tmcd":
      guard let format = TimecodeFormat(entry) else { return nil }
      self = .timecode(format)
    case "gpmd": self = .telemetry
    case "camm": self = .cameraMotion
    default:
      guard mediaType == .metadata else { return nil }
      self = .unknown(MetadataIdentifier(.init(rawValue: entry.format.description), key: "sample"))
    }
  }

  /// The identifiers that the sample description declares, or `nil` if only the samples contain them.
  var declaredIdentifiers: [MetadataIdentifier]? {
    switch self {
    case .boxed, .telemetry, .cameraMotion: nil
    case .opaque(let identifier, _), .unknown(let identifier): [identifier]
    case .timecode: [TimecodeFormat.identifier]
    }
  }

  /// Decodes a sample.
  ///
  /// - Parameter microseconds: the duration of the sample, or `nil` if it is unknown.
  func decode(_ bytes: Bytes, lasting microseconds: Int64?, at place: TimedSamplePlace) -> DecodedTimedSample {
    switch self {
    case .boxed(let decoder): return decoder.decode(bytes, at: place)
    case .telemetry: return TelemetryPayload(bytes).items(lasting: microseconds, at: place)
    case .cameraMotion: return CameraMotionRecord.decode(bytes, at: place)
    case .timecode(let format): return format.decode(bytes, at: place)
    case .unknown(let identifier):
      return DecodedTimedSample(items: [MetadataItem(identifier, .data(bytes), bytes, at: place.item())])
    case .opaque(let identifier, let details):
      // XML and other text is shown as text. Other samples remain bytes.
      let value = details["type"].map(Self.isText) == true ? MetadataValue(bytes, typeCode: 1) : .data(bytes)
      return DecodedTimedSample(items: [MetadataItem(identifier, value, bytes, details: details, at: place.item())])
    }
  }

  private static func isText(_ type: String) -> Bool {
    ["text/", "application/json", "xml"].contains { type.contains($0) }
  }

  /// Reads the URI of a `urim` description (ISO/IEC 14496-12 12.3.3).
  private static func uri(_ entry: SampleEntry) -> TimedSampleDecoder {
    let atoms = SampleEntryAtoms(entry.body)
    // The URI follows version and flags.
    let uri = atoms["uri "].map { String(decoding: $0.dropFirst(4).prefix { $0 != 0 }, as: UTF8.self) } ?? ""
    return .opaque(MetadataIdentifier(.init(rawValue: "urim"), key: uri.isEmpty ? "sample" : uri), details: [:])
  }

  /// Reads the strings of a `mett` or `metx` description (ISO/IEC 14496-12 12.3.3).
  private static func text(_ entry: SampleEntry) -> TimedSampleDecoder {
    var strings: [String] = []
    var rest = entry.body
    while strings.count < 3, let end = rest.firstIndex(of: 0) {
      strings.append(String(decoding: rest.prefix(end), as: UTF8.self))
      rest = rest.dropFirst(end + 1)
    }
    func string(_ index: Int) -> String { strings.indices.contains(index) ? strings[index] : "" }
    var details: [String: String] = [:]
    if !string(0).isEmpty { details["encoding"] = string(0) }
    details["type"] = entry.format == "metx" ? "text/xml" : string(1)
    if entry.format == "metx", !string(2).isEmpty { details["schema"] = string(2) }
    // `metx` names a namespace, and `mett` names a media type.
    let key = string(1).isEmpty ? "sample" : string(1)
    return .opaque(MetadataIdentifier(.init(rawValue: entry.format.description), key: key), details: details)
  }
}

extension TimecodeFormat {
  static let identifier = MetadataIdentifier(.init(rawValue: "tmcd"), key: "timecode")

  func decode(_ bytes: Bytes, at place: TimedSamplePlace) -> DecodedTimedSample {
    guard let stored = bytes.load(at: 0, as: UInt32.self) else {
      return DecodedTimedSample(problem: "the sample has \(bytes.count) bytes; a time code has 4")
    }
    var details: [String: String] = [:]
    if frameDuration > 0, timeScale > 0 {
      let rate = (Double(timeScale) / Double(frameDuration) * 1_000).rounded() / 1_000
      details["framesPerSecond"] = rate == rate.rounded() ? String(Int64(rate)) : rate.description
    }
    details["dropFrame"] = dropsFrames ? "yes" : "no"
    let value: MetadataValue =
      isCounter ? .unsignedInteger(UInt64(stored)) : .text(text(ofFrame: Int64(Int32(bitPattern: stored))))
    return DecodedTimedSample(
      items: [MetadataItem(Self.identifier, value, bytes, details: details, at: place.item())])
  }
}

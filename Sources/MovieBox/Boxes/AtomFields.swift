/// The fields of an atom that a person would ask for: `inspect --atom` without `--hex`.
package enum AtomFields {
  /// A name and a value; `nil` for a type that is not decoded here. Throws when the payload breaks the format's rules.
  package static func of(_ type: FourCC, in parent: FourCC?, _ payload: Bytes) throws(MovieError) -> [(String, String)]?
  {
    if let fields = try header(type, payload) { return fields }
    if let fields = try table(type, payload) { return fields }
    if let fields = try text(type, payload) { return fields }
    if parent == "tref" {
      return [("tracks", try TrackReference(payload: payload).trackIDs.map(String.init).joined(separator: ", "))]
    }
    return nil
  }

  // MARK: - Headers

  private static func header(_ type: FourCC, _ payload: Bytes) throws(MovieError) -> [(String, String)]? {
    switch type {
    case "ftyp", "styp":
      let value = try FileType(payload: payload)
      return [
        ("major brand", value.majorBrand.description), ("minor version", hexadecimal(value.minorVersion)),
        ("compatible", value.compatibleBrands.map { "\"\($0)\"" }.joined(separator: ", ")),
      ]
    case "mvhd":
      let value = try MovieHeader(payload: payload)
      return [
        ("version", "\(value.version)"), ("created", Quantity.date(secondsSince1904: value.creationTime)),
        ("modified", Quantity.date(secondsSince1904: value.modificationTime)), ("time scale", "\(value.timeScale)"),
        ("duration", value.isDurationUnknown ? "unknown" : "\(value.duration)"), ("rate", fixed(value.rate, 16)),
        ("volume", fixed(Int32(value.volume), 8)), ("matrix", matrix(value.matrix)),
        ("next track ID", "\(value.nextTrackID)"),
      ]
    case "tkhd":
      let value = try TrackHeader(payload: payload)
      return [
        ("version", "\(value.version)"), ("flags", trackFlags(value)),
        ("created", Quantity.date(secondsSince1904: value.creationTime)),
        ("modified", Quantity.date(secondsSince1904: value.modificationTime)), ("track ID", "\(value.trackID)"),
        ("duration", value.isDurationUnknown ? "unknown" : "\(value.duration)"), ("layer", "\(value.layer)"),
        ("alternate group", "\(value.alternateGroup)"), ("volume", fixed(Int32(value.volume), 8)),
        ("matrix", matrix(value.matrix)),
        ("size", "\(fixed(Int64(value.width), 16)) × \(fixed(Int64(value.height), 16))"),
      ]
    case "mdhd":
      let value = try MediaHeader(payload: payload)
      let tag = MediaLanguage.resolve(mediaHeaderCode: value.languageCode, extendedTag: nil)?.description ?? "none"
      return [
        ("version", "\(value.version)"), ("created", Quantity.date(secondsSince1904: value.creationTime)),
        ("modified", Quantity.date(secondsSince1904: value.modificationTime)), ("time scale", "\(value.timeScale)"),
        ("duration", value.isDurationUnknown ? "unknown" : "\(value.duration)"),
        ("language", "\(tag) (\(hexadecimal(UInt32(value.languageCode))))"), ("quality", "\(value.quality)"),
      ]
    case "hdlr":
      let value = try HandlerReference(payload: payload)
      return [
        ("component", value.componentType.rawValue == 0 ? "0" : value.componentType.description),
        ("handler", value.handlerType.description), ("name", value.name),
      ]
    default: return nil
    }
  }

  private static func trackFlags(_ header: TrackHeader) -> String {
    let names = [(0x1, "enabled"), (0x2, "in movie"), (0x4, "in preview"), (0x8, "in poster")] as [(UInt32, String)]
    let set = names.filter { header.flags & $0.0 != 0 }.map(\.1)
    return hexadecimal(header.flags) + (set.isEmpty ? "" : " (\(set.joined(separator: ", ")))")
  }

  // MARK: - Tables

  private static func table(_ type: FourCC, _ payload: Bytes) throws(MovieError) -> [(String, String)]? {
    switch type {
    case "elst":
      let edits = try EditList(payload: payload).entries
      return edits.enumerated().map { index, edit in
        let start = edit.isEmptyEdit ? "nothing" : "media from \(edit.mediaTime)"
        return ("edit \(index + 1)", "\(start), for \(edit.segmentDuration), rate \(fixed(edit.mediaRate, 16))")
      }
    case "dref":
      return try DataReference(payload: payload).entries.enumerated().map { index, entry in
        ("entry \(index + 1)", "\(entry.type), " + (entry.isSelfContained ? "this file" : "another file"))
      }
    case "stsd":
      return try SampleDescriptions(payload: payload).entries.enumerated().map { index, entry in
        ("entry \(index + 1)", "\(entry.format), data reference \(entry.dataReferenceIndex)")
      }
    case "stts":
      let value = try TimeToSampleTable(payload: payload)
      let total = value.totalDuration.map(String.init) ?? "more than 64 bits hold"
      return [("entries", "\(value.count)"), ("samples", "\(value.sampleCount)"), ("duration", total)]
    case "ctts":
      let value = try CompositionOffsetTable(payload: payload)
      return [("entries", "\(value.count)"), ("samples", "\(value.sampleCount)")]
    case "stsc": return [("entries", "\(try SampleToChunkTable(payload: payload).count)")]
    case "stss": return [("entries", "\(try SyncSampleTable(payload: payload).count)")]
    case "stco", "co64":
      let value = try ChunkOffsetTable(payload: payload, isWide: type == "co64")
      let ends = value.first.flatMap { first in value.last.map { [("first", "\(first)"), ("last", "\($0)")] } }
      return [("entries", "\(value.count)")] + (ends ?? [])
    case "stsz", "stz2":
      let value =
        type == "stsz" ? try SampleSizeTable(payload: payload) : try SampleSizeTable(compactPayload: payload)
      let layout =
        switch value.layout {
        case .uniform(let size): "all samples have \(size) bytes"
        case .words: "32 bits each"
        case .compact(let bits): "\(bits) bits each"
        }
      return [("samples", "\(value.count)"), ("sizes", layout), ("bytes", "\(value.totalByteCount)")]
    default: return nil
    }
  }

  // MARK: - Text

  private static func text(_ type: FourCC, _ payload: Bytes) throws(MovieError) -> [(String, String)]? {
    switch type {
    case "elng": return [("tag", try ExtendedLanguage(payload: payload).tag)]
    case "tagc": return [("characteristic", TaggedCharacteristic(payload: payload).value)]
    case "name": return [("name", TrackName(payload: payload).text)]
    case "tnam": return [("name", try LocalizedTrackName(payload: payload).text)]
    case "titl": return [("title", try TrackTitle(payload: payload).text)]
    case "kind":
      let value = try TrackKind(payload: payload)
      return [("scheme", value.schemeURI), ("value", value.value)]
    case _ where type.rawValue >> 24 == 0xA9:
      return try UserDataText(payload: payload).entries.map { entry in
        let tag = MediaLanguage.resolve(mediaHeaderCode: entry.language, extendedTag: nil)
        return ("text (\(tag?.description ?? "no language"))", entry.string)
      }
    default: return nil
    }
  }

  // MARK: - Numbers

  private static func hexadecimal(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }

  /// A fixed-point number with `bits` after the point, exactly.
  private static func fixed(_ value: some BinaryInteger, _ bits: Int) -> String {
    let number = Double(Int64(value)) / Double(1 << bits)  // 48 bits at most: exact.
    return number == number.rounded() ? "\(Int64(number))" : "\(number)"
  }

  private static func matrix(_ matrix: Matrix) -> String {
    if matrix == .identity { return "identity" }
    let rows = [
      [fixed(matrix.a, 16), fixed(matrix.b, 16), fixed(matrix.u, 30)],
      [fixed(matrix.c, 16), fixed(matrix.d, 16), fixed(matrix.v, 30)],
      [fixed(matrix.x, 16), fixed(matrix.y, 16), fixed(matrix.w, 30)],
    ]
    return rows.map { $0.joined(separator: " ") }.joined(separator: " / ")
  }
}

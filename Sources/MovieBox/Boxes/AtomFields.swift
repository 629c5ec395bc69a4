/// The named fields of an atom, as `inspect --atom` prints them.
package enum AtomFields {
  /// Returns the names and values of the fields, or `nil` if the atom's type is not decoded. Throws if the payload is
  /// invalid.
  package static func fields(of type: FourCC, in parent: FourCC?, _ payload: Bytes) throws(MovieError) -> [(
    String, String
  )]? {
    if parent == "stsd" { return try sampleEntry(type, payload) }
    if let fielded = fieldedType(type, in: parent) { return try fielded.reading(payload).listedFields }
    if parent == "ilst" { return nil }  // In `ilst`, `©nam` contains atoms, but in `udta` it contains text.
    return try table(type, payload)
  }

  /// Returns the fields of a sample entry, given the payload after the reserved bytes and the data reference index.
  private static func sampleEntry(_ format: FourCC, _ payload: Bytes) throws(MovieError) -> [(String, String)]? {
    let body = payload.dropFirst(SampleEntry.headerByteCount - 8)
    let payloadType: (any FieldedPayload.Type)? =
      switch format {
      case "tx3g": Tx3gDescription.self
      case "avc1", "avc2", "avc3", "avc4", "hvc1", "hev1", "dvh1", "dvhe", "vvc1", "vvi1", "av01", "vp08", "vp09",
        "mp4v",
        "apch", "apcn", "apcs", "apco", "ap4h", "ap4x", "jpeg", "mjpa", "mjpb", "encv":
        VideoDescription.self
      case "mp4a", "ac-3", "ec-3", "ac-4", "alac", "Opus", "fLaC", "lpcm", "sowt", "twos", "in24", "fl32", "ulaw",
        "alaw",
        "samr", "sawb", "enca":
        SoundDescription.self
      default: nil
      }
    guard let payloadType else { return nil }
    return try payloadType.init(payload: body).listedFields
  }

  private static func fieldedType(_ type: FourCC, in parent: FourCC?) -> (any FieldedPayload.Type)? {
    switch type {
    case _ where parent == "tref": TrackReference.self
    case "ftyp", "styp": FileType.self
    case "mvhd": MovieHeader.self
    case "tkhd": TrackHeader.self
    case "mdhd": MediaHeader.self
    case "hdlr": HandlerReference.self
    case "elng": ExtendedLanguage.self
    case "elst": EditList.self
    case "vmhd": VideoMediaHeader.self
    case "smhd": SoundMediaHeader.self
    case "nmhd": NullMediaHeader.self
    case "gmin": BaseMediaInfo.self
    case "text" where parent == "gmhd": TextMediaInfo.self
    case "tagc": TaggedCharacteristic.self
    case "name": TrackName.self
    case "tnam": LocalizedTrackName.self
    case "titl": TrackTitle.self
    case "kind": TrackKind.self
    case "mehd": MovieExtendsHeader.self
    case "trex": TrackExtends.self
    case "mfhd": MovieFragmentHeader.self
    case "tfhd": TrackFragmentHeader.self
    case "tfdt": TrackFragmentDecodeTime.self
    case "sidx": SegmentIndex.self
    default: nil
    }
  }

  /// Returns totals of a sample table, or one line for each entry of a list.
  private static func table(_ type: FourCC, _ payload: Bytes) throws(MovieError) -> [(String, String)]? {
    switch type {
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
      let total = value.totalDuration.map(String.init) ?? "more than 64 bits"
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
    case _ where type.rawValue >> 24 == 0xA9:
      return try UserDataText(payload: payload).entries.map { entry in
        let tag = MediaLanguage.resolve(mediaHeaderCode: entry.language, extendedTag: nil)
        return ("text (\(tag?.description ?? "no language"))", entry.string)
      }
    default: return nil
    }
  }
}

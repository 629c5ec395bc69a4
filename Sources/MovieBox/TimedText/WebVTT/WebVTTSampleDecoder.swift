import Subtitles

/// Decodes samples of WebVTT in movies (ISO/IEC 14496-30, clause 7). A sample consists of boxes, and each `vttc` box
/// contains a cue.
///
/// The decoder keeps the source text of each cue together with the decoded text, so that a WebVTT file can be written
/// without loss.
struct WebVTTSampleDecoder {
  private var webVTTHeader = WebVTTHeader()
  /// The reason why the header is unreadable, or `nil` if it is readable. The reason applies to every sample.
  private var headerProblem: String?
  /// The first line of the file and its style and region blocks, or `nil` if the header is unreadable.
  var header: String? { webVTTHeader.text }

  /// Creates a decoder for the samples of a `wvtt` entry. The entry's `vttC` box contains the file's header with
  /// style sheets and regions.
  init(entryBody: Bytes) {
    var reader = ByteReader(entryBody)
    do {
      while let box = try reader.readBox() {
        guard box.type == "vttC" else { continue }
        webVTTHeader = try WebVTTHeader(box.payload.array)
      }
    } catch {
      headerProblem = "the header of its WebVTT cannot be read: \(error)"
    }
  }

  /// Decodes the cues of a sample. `start` is the media time of the sample. An empty sample and a `vtte` box contain
  /// no cues.
  func decode(_ payload: Bytes, atMilliseconds start: Int64 = 0) -> SampleText {
    var decodedSample = SampleText()
    var reader = ByteReader(payload)
    do throws(MovieError) {
      while let box = try reader.readBox() {
        // Skip `vtte` boxes, which represent an empty sample, and `vtta` boxes, which contain comments between cues.
        guard box.type == "vttc" else { continue }
        if let shown = try cue(box.payload, start) { decodedSample.shown.append(shown) }
      }
    } catch {
      decodedSample.problem = error.description
    }
    if let headerProblem, !decodedSample.shown.isEmpty, decodedSample.problem == nil {
      decodedSample.problem = headerProblem
    }
    return decodedSample
  }

  private func cue(_ payload: Bytes, _ start: Int64) throws(MovieError) -> ShownText? {
    var reader = ByteReader(payload)
    var text: StyledText?
    var source = WebVTTSource.CueSource(identifier: "", settings: "", text: "", startMilliseconds: 0)
    var placement = Cue.Placement.standard
    var sourceID: UInt32?
    while let box = try reader.readBox() {
      switch box.type {
      case "payl":
        text = webVTTHeader.styledText(of: box.payload.array)
        source.text = String(decoding: box.payload.array, as: UTF8.self)
      case "sttg":
        source.settings = String(decoding: box.payload.array, as: UTF8.self)
        placement = webVTTHeader.placement(of: box.payload.array)
      case "vsid": sourceID = box.payload.load(at: 0, as: UInt32.self)
      case "iden": source.identifier = String(decoding: box.payload.array, as: UTF8.self)
      case "ctim":
        if let now = WebVTTHeader.milliseconds(of: box.payload.array) {
          source.startMilliseconds = now.subtractingReportingOverflow(start).partialValue
        }
      default: break
      }
    }
    guard let text, let trimmed = SampleText.trimmed(text) else { return nil }
    return ShownText(text: trimmed, placement: placement, sourceID: sourceID, webVTT: source)
  }
}

extension ByteReader {
  /// Reads the next box of a sample, or returns `nil` after the last box.
  fileprivate mutating func readBox() throws(MovieError) -> (type: FourCC, payload: Bytes)? {
    guard remaining >= 8 else { return nil }
    let start = UInt64(position)
    let availableBytes = remaining
    let size = try read(UInt32.self)
    let type = try readFourCC()
    guard let byteCount = Int(exactly: size), byteCount >= 8, byteCount <= availableBytes else {
      throw MovieError(
        .truncated, at: start,
        "\(type) declares a size of \(size) bytes: at least 8 and at most "
          + "\(availableBytes) are possible")
    }
    return (type, try readBytes(byteCount - 8))
  }
}

/// The features of WebVTT in a movie that other text formats do not support. Messages list these features.
struct UnsupportedWebVTTFeatures {
  private var header = WebVTTHeader()
  /// The unsupported features of the sample description.
  private(set) var descriptionFeatures: [String] = []

  /// Collects the unsupported features of a `wvtt` entry (ISO/IEC 14496-30, clause 7.5).
  init(entryBody: Bytes) {
    var unknownTypes = UnknownBoxTypes()
    for box in SampleEntryAtoms(entryBody).atoms {
      switch box.type {
      case "vttC":
        do throws(SubtitleError) {
          header = try WebVTTHeader(box.payload.array)
          descriptionFeatures += header.unsupportedFeatures
        } catch {}  // The error is reported when samples are decoded.
      case "vlab": descriptionFeatures.append("its source label (vlab)")
      case "btrt": break
      default: unknownTypes.insert(box.type)
      }
    }
    if !unknownTypes.isEmpty { descriptionFeatures.append(unknownTypes.description) }
  }

  func unsupportedFeatures(in sample: Bytes) -> (names: Set<String>, unknownTypes: UnknownBoxTypes) {
    var (names, unknownTypes): (Set<String>, UnknownBoxTypes) = ([], UnknownBoxTypes())
    for box in SampleEntryAtoms(sample).atoms {
      switch box.type {
      case "vttc":
        for part in SampleEntryAtoms(box.payload).atoms {
          switch part.type {
          case "sttg": names.insert("cue settings")
          case "iden": names.insert("cue identifiers")
          case "payl": names.formUnion(header.unsupportedFeatures(ofCueText: part.payload.array))
          case "vsid", "ctim": break  // The ID of the cue, and the clock of times in its text.
          default: unknownTypes.insert(part.type)
          }
        }
      case "vtta": names.insert("comments (NOTE)")
      case "vtte": break  // An empty sample.
      default: unknownTypes.insert(box.type)
      }
    }
    return (names, unknownTypes)
  }
}

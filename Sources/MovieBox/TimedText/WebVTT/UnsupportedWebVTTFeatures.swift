import Subtitles

/// The features of WebVTT in a movie that other formats of text do not support, for messages.
struct UnsupportedWebVTTFeatures {
  private var header = WebVTTHeader()
  /// Those of the sample description.
  private(set) var inDescription: [String] = []

  /// The features of samples of an entry with this body (ISO/IEC 14496-30, clause 7.5).
  init(entryBody: Bytes) {
    var unknownTypes = UnknownBoxTypes()
    for box in SampleEntryAtoms(entryBody).atoms {
      switch box.type {
      case "vttC":
        do throws(SubtitleError) {
          header = try WebVTTHeader(box.payload.array)
          inDescription += header.unsupportedFeatures
        } catch {}  // Reading each sample says so.
      case "vlab": inDescription.append("its source label (vlab)")
      case "btrt": break
      default: unknownTypes.insert(box.type)
      }
    }
    if !unknownTypes.isEmpty { inDescription.append(unknownTypes.description) }
  }

  /// Those of a sample.
  func inSample(_ sample: Bytes) -> (names: Set<String>, unknownTypes: UnknownBoxTypes) {
    var (names, unknownTypes): (Set<String>, UnknownBoxTypes) = ([], UnknownBoxTypes())
    for box in SampleEntryAtoms(sample).atoms {
      switch box.type {
      case "vttc":
        for part in SampleEntryAtoms(box.payload).atoms {
          switch part.type {
          case "sttg": names.insert("cue settings")
          case "iden": names.insert("cue identifiers")
          case "payl": names.formUnion(header.unsupportedFeatures(ofCueText: part.payload.array))
          case "vsid", "ctim": break  // By which a cue is known again, and the clock of times in its text.
          default: unknownTypes.insert(part.type)
          }
        }
      case "vtta": names.insert("comments (NOTE)")
      case "vtte": break  // Nothing is shown.
      default: unknownTypes.insert(box.type)
      }
    }
    return (names, unknownTypes)
  }
}

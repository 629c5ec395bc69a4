import Subtitles

/// What WebVTT in movies says that other formats of text do not, in words for people.
struct WebVTTLosses {
  private var header = WebVTTHeader()
  /// What the description of samples says, once for all.
  private(set) var ofDescription: [String] = []

  /// The losses of samples of an entry with this body (ISO/IEC 14496-30, clause 7.5).
  init(entryBody: Bytes) {
    var unknownTypes = UnknownBoxTypes()
    for box in SampleEntryAtoms(entryBody).atoms {
      switch box.type {
      case "vttC":
        do throws(SubtitleError) {
          header = try WebVTTHeader(box.payload.array)
          ofDescription += header.losses
        } catch {}  // Reading each sample says so.
      case "vlab": ofDescription.append("the name of its source (vlab)")
      case "btrt": break
      default: unknownTypes.insert(box.type)
      }
    }
    if !unknownTypes.isEmpty { ofDescription.append(unknownTypes.words) }
  }

  /// What a sample says.
  func of(_ sample: Bytes) -> (names: Set<String>, unknownTypes: UnknownBoxTypes) {
    var (names, unknownTypes): (Set<String>, UnknownBoxTypes) = ([], UnknownBoxTypes())
    for box in SampleEntryAtoms(sample).atoms {
      switch box.type {
      case "vttc":
        for part in SampleEntryAtoms(box.payload).atoms {
          switch part.type {
          case "sttg": names.insert("places of cues")
          case "iden": names.insert("names of cues")
          case "payl": names.formUnion(header.losses(of: part.payload.array))
          case "vsid", "ctim": break  // By which a cue is known again, and the clock of times in its text.
          default: unknownTypes.insert(part.type)
          }
        }
      case "vtta": names.insert("notes (NOTE)")
      case "vtte": break  // Nothing is shown.
      default: unknownTypes.insert(box.type)
      }
    }
    return (names, unknownTypes)
  }
}

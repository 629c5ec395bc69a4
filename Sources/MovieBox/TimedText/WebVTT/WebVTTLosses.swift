import Subtitles

/// What WebVTT in movies says that other formats of text do not, in words for people.
struct WebVTTLosses {
  private var header = WebVTTHeader()
  /// What the description of samples says, once for all.
  private(set) var ofDescription: [String] = []

  /// The losses of samples of an entry with this body (ISO/IEC 14496-30, clause 7.5).
  init(entryBody: Bytes) {
    for box in SampleEntryAtoms(entryBody).atoms {
      switch box.type {
      case "vttC":
        do throws(SubtitleError) {
          header = try WebVTTHeader(box.payload.array)
          ofDescription += header.losses
        } catch {}  // Reading each sample says so.
      case "vlab": ofDescription.append("the name of its source (vlab)")
      case "btrt": break
      default: ofDescription.append("\(box.type), which is not known")
      }
    }
  }

  /// What a sample says.
  func of(_ sample: Bytes) -> Set<String> {
    var losses: Set<String> = []
    for box in SampleEntryAtoms(sample).atoms {
      switch box.type {
      case "vttc": losses.formUnion(cue(box.payload))
      case "vtta": losses.insert("notes (NOTE)")
      case "vtte": break  // Nothing is shown.
      default: losses.insert("\(box.type), which is not known")
      }
    }
    return losses
  }

  private func cue(_ payload: Bytes) -> [String] {
    SampleEntryAtoms(payload).atoms.flatMap { box -> [String] in
      switch box.type {
      case "sttg": return ["places of cues"]
      case "iden": return ["names of cues"]
      case "payl": return header.losses(of: box.payload.array)
      case "vsid", "ctim": return []  // By which a cue is known again, and the clock of times in its text.
      default: return ["\(box.type), which is not known"]
      }
    }
  }
}

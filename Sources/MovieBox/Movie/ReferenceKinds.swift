/// Between tracks of which media references of a type lead (QTFF "Track Reference Atoms").
package struct ReferenceKinds {
  private let type: FourCC

  /// Those of a type of reference; all media for one that is not known here.
  package init(of type: FourCC) {
    self.type = type
  }

  /// Whether a track of this media may have such a reference.
  package func mayBe(in media: MediaType) -> Bool {
    switch type {
    case "folw", "fall": media == .audio
    case "forc": media.isLegible
    case "cdsc": media == .metadata
    default: true
    }
  }

  /// Whether such a reference may lead to a track of this media.
  package func mayLead(to media: MediaType) -> Bool {
    switch type {
    case "folw", "forc": media.isLegible
    case "fall": media == .audio
    case "chap": media == .text || media == .video  // Titles, and pictures of chapters.
    case "tmcd": media == .timecode
    default: true
    }
  }
}

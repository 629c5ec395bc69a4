import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles

// Players hide forced subtitles while full subtitles are shown, so full subtitles must contain the forced cues too (HLS
// Authoring Specification 5.8).
extension EditBuilder {
  /// A new subtitle track with its file.
  struct NewSubtitles {
    let file: String
    let input: SubtitleInput
    let trackID: UInt32

    /// The cues at their times in the movie.
    fileprivate var cues: [Cue] {
      input.cues.map { cue in
        var cue = cue
        cue.startMilliseconds = input.timing.movieMilliseconds(cue.startMilliseconds)
        cue.endMilliseconds = input.timing.movieMilliseconds(cue.endMilliseconds)
        return cue
      }
    }
  }

  /// Warns about full subtitles that lack forced cues of their language, if the edit added the full subtitles or the
  /// forced cues.
  mutating func warnOfMissingForcedCues(_ new: [NewSubtitles]) {
    let partners = ForcedPartners(among: edit.tracks)
    let indices = Dictionary(edit.tracks.indices.map { (edit.tracks[$0].id, $0) }) { first, _ in first }
    var cues = Dictionary(new.map { ($0.trackID, $0.cues) }) { first, _ in first }
    var reportedPairs: Set<[UInt32]> = []
    for added in new {
      guard let place = indices[added.trackID] else { continue }
      for partner in partners.partnerIndices(of: edit.tracks[place]) {
        let isForced = edit.tracks[place].containsOnlyForcedSubtitles
        let (full, forced) = isForced ? (partner, place) : (place, partner)
        let ids = [edit.tracks[full].id, edit.tracks[forced].id]
        guard !edit.tracks[full].isAuxiliary, reportedPairs.insert(ids).inserted else { continue }
        for id in ids where cues[id] == nil { cues[id] = storedCues(ofTrack: id) }
        guard let shown = cues[ids[0]].map(ShownTexts.init) else { continue }
        let sought = (cues[ids[1]] ?? []).filter {
          $0.endMilliseconds > max(0, $0.startMilliseconds) && !$0.text.isEmpty
        }
        let count = sought.count { !shown.contains($0) }
        guard count > 0 else { continue }
        warnings.append(
          Warning(
            code: "forced-cues-missing", file: added.file, trackID: added.trackID,
            message: "\(count) of \(counted(sought.count, "forced cue")) of track \(ids[1]) "
              + "\(count == 1 ? "is" : "are") not in the full subtitles, track \(ids[0]); players hide forced subtitles "
              + "while full subtitles are shown, so add these cues to the full subtitles"))
      }
    }
  }

  /// Returns the cues of a track of the movie, or `nil` if they cannot be read.
  private func storedCues(ofTrack id: UInt32) -> [Cue]? {
    guard let track = edit.movie.track(id) else { return nil }
    do {
      return try TextTrackReader(track, of: edit.movie).read(from: edit.source).cues
    } catch {
      return nil  // Adding subtitles does not require that existing subtitles are readable.
    }
  }
}

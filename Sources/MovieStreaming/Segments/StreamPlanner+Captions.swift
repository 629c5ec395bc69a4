import MovieBox

/// Closed captions inside the picture, which nothing in the movie atom tells of.
extension StreamPlanner {
  /// No more than so many bytes are read.
  private static let byteCountLimit: UInt64 = 8 << 20

  /// The captions that are found in pictures at the start and here and there (``SegmentedTrack/probes``). Reads those
  /// pictures.
  private func captionServices(of streamed: StreamedTrack, _ probes: [ByteRange]) throws -> [String] {
    let movie = movies[streamed.movieIndex]
    let tree = movie.movie.tree
    guard let entry = tree.sampleDescriptions(ofTrack: streamed.track.atom).first,
      var captions = CaptionServices(entry, of: tree)
    else { return [] }
    var left = Self.byteCountLimit
    for probe in probes where probe.count <= left {
      left -= probe.count
      captions.look(at: try movie.source.readExactly(probe))
    }
    return captions.names
  }

  /// Says in the playlist which captions there are; gives the group's name.
  mutating func addCaptions(
    of picture: StreamedTrack, _ probes: [ByteRange], language: LanguageTag?
  ) throws -> String? {
    let names = try captionServices(of: picture, probes)
    guard !names.isEmpty else { return nil }
    for (index, name) in names.enumerated() {
      let words = (language.map(RenditionName.ownName) ?? "Captions") + " CC"
      multivariant.renditions.append(
        MultivariantPlaylist.Rendition(
          kind: .closedCaptions, group: "captions", name: index == 0 ? words : "\(words) (\(name))",
          language: language?.description ?? "und", isDefault: false, isAutomaticallySelected: index == 0,
          inStreamID: name, path: nil))
    }
    notices.append(
      StreamPlan.Notice(
        "captions", movieIndex: picture.movieIndex, trackID: picture.track.id, isWarning: false,
        "the picture has closed captions inside (\(names.joined(separator: ", "))), which are announced; their language is "
          + (language == nil ? "unknown" : "taken to be that of the sound")))
    return "captions"
  }
}

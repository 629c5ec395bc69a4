extension Movie {
  /// The picture that subtitles are placed on, or `nil` if the movie has no picture.
  ///
  /// The first enabled picture, or the first one if none is enabled. Some writers enable a thumbnail alone and disable
  /// the film, so a picture with at least four times the area and more samples comes before it. Pictures of chapters
  /// count only if the movie has no others.
  package var mainPicture: Track? {
    let videos = tracks.filter { $0.mediaType == .video && $0.pictureArea > 0 }
    let films = videos.filter { !chapterTrackIDs.contains($0.id) }
    let candidates = films.isEmpty ? videos : films
    guard let first = candidates.first(where: \.isEnabled) ?? candidates.first else { return nil }
    let larger = candidates.filter { $0.makesThumbnail(of: first) }
    return larger.max { $0.pictureArea < $1.pictureArea } ?? first
  }
}

extension Track {
  /// The number of pixels of the picture, as its matrix shows it.
  fileprivate var pictureArea: UInt64 { UInt64(pictureSize.width) * UInt64(pictureSize.height) }

  /// Whether another picture is so much smaller and shorter that it is a thumbnail of this one.
  fileprivate func makesThumbnail(of other: Track) -> Bool {
    pictureArea / 4 >= other.pictureArea && samples.sampleCount > other.samples.sampleCount
  }
}

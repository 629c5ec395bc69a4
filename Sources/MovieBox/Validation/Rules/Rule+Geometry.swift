// Rules about the size and position of pictures and subtitles.

extension Rule {
  static let geometryRules = [stripPosition, wholePictureSize, defaultTextBox, fontSize, disabledFilm]

  private static let geometryClause = "QTFF, \"Subtitle Track Header Size and Placement\""

  private static let disabledFilm = Rule(
    "geometry.film-disabled", .warning, clause: "QTFF, \"Track Header Atoms\"; ISO/IEC 14496-12, 8.3.2",
    effect: "Players show a thumbnail instead of the film.",
    fix: [.change(.enabledInGroup, remark: "and disable the thumbnail")]
  ) { examination, report in
    guard let film = examination.movie.mainPicture, let disabled = examination.movie.disabledFilm(film),
      disabled.shown.mediaType == .video
    else { return }
    report.add(
      examination.trackHeaderAtom(film), "\(disabled), although its picture has at most a quarter of the film's area")
  }

  private static let stripPosition = Rule(
    "geometry.strip", .note, for: [.apple], clause: geometryClause,
    effect: "Players that use the track's position do not show the text along the lower edge.", fix: [.addAgain]
  ) { examination, report in
    guard let picture = examination.pictureSize else { return }
    let height = (3 * UInt64(picture.height) + 10) / 20
    for (track, description) in examination.subtitles where !description.displayFlags.contains(.verticalPlacement) {
      let place = track.frame
      guard !place.isNear(width: UInt64(picture.width), height: height, top: UInt64(picture.height) - height) else {
        continue
      }
      report.add(
        examination.trackHeaderAtom(track),
        "the track is \(place.description), but a strip along the lower edge of the picture would be "
          + "\(picture.width) × \(height), \(UInt64(picture.height) - height) pixels from the top")
    }
  }

  private static let wholePictureSize = Rule(
    "geometry.whole-picture", .warning, for: [.apple], clause: geometryClause,
    effect: "Text for the top of the picture is shown at the wrong position.", fix: [.addAgain]
  ) { examination, report in
    guard let picture = examination.pictureSize else { return }
    for (track, description) in examination.subtitles where description.displayFlags.contains(.verticalPlacement) {
      let place = track.frame
      guard !place.isNear(width: UInt64(picture.width), height: UInt64(picture.height), top: 0) else { continue }
      report.add(
        examination.trackHeaderAtom(track),
        "the track is \(place.description); with text boxes (0x20000000) it must be as large as the picture, "
          + "\(picture.width) × \(picture.height), 0 pixels from the top")
    }
  }

  private static let defaultTextBox = Rule(
    "geometry.text-box", .note, for: [.apple], clause: geometryClause,
    effect: "Text may be shown in a corner of the track, or may not be wrapped.", fix: [.addAgain]
  ) { examination, report in
    for (track, description) in examination.subtitles {
      let (box, place) = (description.defaultTextBox, track.frame)
      guard
        box.top != 0 || box.left != 0 || Int64(box.bottom) != Int64(place.height)
          || Int64(box.right) != Int64(place.width)
      else { continue }
      report.add(
        examination.atom(track, "mdia", "minf", "stbl", "stsd"),
        "the default text box has top \(box.top), left \(box.left), bottom \(box.bottom), right \(box.right); "
          + "the track requires 0, 0, \(place.height), \(place.width)")
    }
  }

  private static let fontSize = Rule(
    "geometry.font-size", .note, for: [.apple], clause: geometryClause,
    effect: "Letters are larger or smaller than in other movies.", fix: [.addAgain]
  ) { examination, report in
    guard let picture = examination.pictureSize else { return }
    let size = min(255, (UInt64(picture.height) + 10) / 20)
    for (track, description) in examination.subtitles
    where UInt64(description.defaultStyle.fontSize).distance(from: size) > 1 {
      report.add(
        examination.atom(track, "mdia", "minf", "stbl", "stsd"),
        "the font size is \(description.defaultStyle.fontSize) instead of \(size) (5 % of the picture's height)")
    }
  }
}

/// The position of a track on the picture, in whole pixels.
private struct TrackFrame {
  let width: UInt64
  let height: UInt64
  let top: Int64

  /// Whether the track has the given position, within rounding errors.
  func isNear(width: UInt64, height: UInt64, top: UInt64) -> Bool {
    self.width.distance(from: width) <= 1 && self.height.distance(from: height) <= 1 && self.top >= 0
      && UInt64(self.top).distance(from: top) <= 1
  }

  var description: String { "\(width) × \(height), \(top) pixels from the top" }
}

extension Track {
  fileprivate var frame: TrackFrame {
    TrackFrame(
      width: UInt64(header.width >> 16), height: UInt64(header.height >> 16), top: Int64(header.matrix.y >> 16))
  }
}

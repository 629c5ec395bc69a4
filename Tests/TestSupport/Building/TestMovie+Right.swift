/// Movies that conform to every rule.
extension TestMovie {
  /// Video (1) with chapters (7), English (2) and Spanish (3) audio, enabled Spanish subtitles (4), and English ones (5)
  /// with their forced partner (6). Each audio track refers to its subtitles.
  package static var right: TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        ($0.width, $0.height) = (1280, 720)
        $0.references = [TestReference("chap", 7)]
      },
      sound(2, "eng", follower: 6),
      sound(3, "spa", follower: 4).with { $0.isEnabled = false },
      .rightSubtitles(4, "spa").with { $0.isEnabled = true },
      .rightSubtitles(5, "eng").with { $0.references = [TestReference("forc", 6)] },
      .rightSubtitles(6, "eng", displayFlags: 0xC000_0000),
      TestTrack(.text, id: 7).with { $0.isEnabled = false },
    ])
  }

  /// ``right`` as an MP4 file.
  package static var rightISO: TestMovie { right.with { $0.dialect = .iso } }

  /// ``right`` with a picture for each chapter (8).
  package static var rightWithPictures: TestMovie {
    right.with {
      $0.tracks[0].references = [TestReference("chap", 7, 8)]
      $0.tracks.append(
        TestTrack(.video, id: 8).with {
          $0.isEnabled = false
          $0.samples = .varied(3, around: 40, duration: 400)
          $0.sampleEntries = [SampleEntry.video("jpeg", width: 64, height: 36)]
        })
    }
  }

  private static func sound(_ id: UInt32, _ language: String, follower: UInt32) -> TestTrack {
    TestTrack(.sound, id: id).with {
      $0.language = .packed(language)
      $0.group = 1
      $0.references = [TestReference("folw", follower)]
    }
  }
}

extension TestTrack {
  /// Returns disabled subtitles in group 2, along the lower edge of a picture of 1280 × 720.
  package static func rightSubtitles(_ id: UInt32, _ language: String, displayFlags: Int = 0) -> TestTrack {
    TestTrack(.subtitle, id: id).with {
      $0.isEnabled = false
      $0.language = .packed(language)
      ($0.group, $0.layer) = (2, -1)
      ($0.width, $0.height) = (1280, 108)
      $0.matrix[7] = 612 << 16
      $0.sampleEntries = [entry(displayFlags)]
    }
  }

  private static func entry(_ displayFlags: Int, height: Int = 108, font: String = "Sans-Serif") -> [UInt8] {
    SampleEntry.timedText(width: 1280, height: height, displayFlags: displayFlags, fontSize: 36, fontName: font)
  }

  /// Returns the track with the size of the picture, and with text boxes.
  package func placedFreely() -> TestTrack {
    with {
      $0.height = 720
      $0.matrix[7] = 0
      $0.sampleEntries = [Self.entry(0x2000_0000, height: 720)]
      $0.samples[1] = .timedText("Up", duration: 1000, boxes: atom("tbox") { u16(0, 0, 108, 1280) })
    }
  }

  /// Returns the track with another font or other display flags.
  package func described(displayFlags: Int = 0, font: String = "Sans-Serif") -> TestTrack {
    with { $0.sampleEntries = [Self.entry(displayFlags, font: font)] }
  }

  /// Returns the track with this text and these boxes in its second sample.
  package func saying(_ text: String, boxes: [UInt8] = []) -> TestTrack {
    with { $0.samples[1] = .timedText(text, duration: 1000, boxes: boxes) }
  }
}

extension TestSample {
  /// Returns a timed text sample with boxes after the text.
  package static func timedText(_ text: String, duration: Int, boxes: [UInt8]) -> TestSample {
    TestSample(content: u16(text.utf8.count) + Array(text.utf8) + boxes, duration: duration)
  }
}

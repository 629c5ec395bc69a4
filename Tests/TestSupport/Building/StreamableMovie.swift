/// Movies whose tables are suitable for HLS.
package enum StreamableMovie {
  /// Returns 24 seconds of H.264 with reordered pictures, a key picture every two seconds, and an edit list that removes
  /// their delay.
  package static func picture(id: UInt32 = 1, frameCount: Int = 600) -> TestTrack {
    TestTrack(.video, id: id).with {
      ($0.width, $0.height) = (640, 360)
      $0.timeScale = 12_800
      $0.samples = (0..<frameCount).map { index in
        let isSync = index % 50 == 0
        // I P B P B …: reference pictures are decoded before the pictures that precede them in presentation.
        let offset = isSync ? 1 : index % 2 == 1 ? 2 : 0
        return TestSample(
          isSync ? 300 : 60 + index % 7, duration: 512, compositionOffset: offset * 512, isSync: isSync)
      }
      $0.chunking = [3, 5]
      $0.edits = [TestEdit(duration: frameCount * 24, mediaTime: 512)]
      $0.sampleEntries = [avc]
    }
  }

  /// The sample description of H.264, high profile, level 3.1.
  package static let avc = SampleEntry.video("avc1", width: 640, height: 360, extensions: SampleEntry.avcC)

  /// Returns AAC-LC with a priming of 1024 samples.
  package static func sound(id: UInt32, _ language: String, packetCount: Int = 1_034) -> TestTrack {
    TestTrack(.sound, id: id).with {
      $0.timeScale = 44_100
      $0.samples = .varied(packetCount, around: 20, duration: 1_024)
      $0.chunking = [7]
      $0.language = .packed(language)
      $0.edits = [TestEdit(duration: (packetCount - 1) * 1_024 * 600 / 44_100, mediaTime: 1_024)]
      $0.sampleEntries = [SampleEntry.sound("mp4a", channels: 2, rate: 44_100, extensions: esds())]
    }
  }

  /// Returns the `esds` of MPEG-4 audio with this configuration, by default AAC-LC, 44.1 kHz, two channels.
  package static func esds(_ configuration: [UInt8] = [0x12, 0x10], objectType: Int = 0x40) -> [UInt8] {
    let specific = u8(5, configuration.count) + configuration
    let decoder = u8(4, 13 + specific.count, objectType, 0x15) + zeros(11) + specific
    return fullAtom("esds") {
      u8(3, 3 + decoder.count)
      u16(1)
      u8(0)
      decoder
    }
  }

  /// Returns subtitles with texts that are shown between whole seconds, and with gaps.
  package static func subtitles(id: UInt32, _ language: String, _ texts: [(from: Int, to: Int, text: String)])
    -> TestTrack
  {
    TestTrack(.subtitle, id: id).with {
      var samples: [TestSample] = []
      var time = 0
      for (from, to, text) in texts {
        if from > time { samples.append(.timedText("", duration: from - time)) }
        samples.append(.timedText(text, duration: to - from))
        time = to
      }
      $0.samples = samples
      $0.language = .packed(language)
      $0.isEnabled = false
    }
  }

  /// A movie with video, English and Spanish audio, and English subtitles.
  package static var talk: TestMovie {
    TestMovie(tracks: [
      picture(), sound(id: 2, "eng").with { $0.group = 1 },
      sound(id: 3, "spa").with {
        $0.group = 1
        $0.isEnabled = false
      },
      subtitles(
        id: 4, "eng", [(1_000, 2_000, "First"), (5_500, 7_000, "Across"), (12_000, 12_500, "At the cut")]),
    ]).with { $0.dialect = .iso }
  }

  /// Video and audio as ffmpeg writes them without edit lists: both are 80 ms later, and the first packet is stretched.
  package static var delayed: TestMovie {
    talk.with { movie in
      movie.tracks = Array(movie.tracks.prefix(2))
      for index in movie.tracks.indices { movie.tracks[index].edits = [] }
      for index in movie.tracks[0].samples.indices { movie.tracks[0].samples[index].compositionOffset += 512 }
      movie.tracks[1].samples[0].duration = 3_528
    }
  }

  /// The samples of all tracks of a movie in one fragment each.
  package static func fragments(of movie: TestMovie) -> [UInt8] {
    movie.initial.bytes(
      fragments: movie.tracks.map { track in
        TestFragment([.init(id: track.id, decodeTime: 0, runs: [.init(track.samples)])])
      })
  }

  /// A second of ``talk``, small enough for fuzzing.
  package static var short: TestMovie {
    TestMovie(tracks: [
      picture(frameCount: 12).with {
        $0.samples = (0..<12).map {
          TestSample(20, duration: 512, compositionOffset: $0 % 6 == 0 ? 512 : 512 * ($0 % 3), isSync: $0 % 6 == 0)
        }
      },
      sound(id: 2, "eng", packetCount: 8), subtitles(id: 3, "eng", [(100, 300, "One")]),
    ]).with { $0.dialect = .iso }
  }
}

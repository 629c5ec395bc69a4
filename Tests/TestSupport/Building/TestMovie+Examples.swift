extension TestTrack {
  /// A time code track of two seconds whose first time code is a number of frames. The arguments of the time scale and
  /// of the frame duration determine its rate.
  package static func timecode(
    id: UInt32, frames: Int, timeScale: Int = 30_000, frameDuration: Int = 1_001, framesPerSecond: Int = 30,
    dropsFrames: Bool = false, edits: [TestEdit] = []
  ) -> TestTrack {
    TestTrack(.timecode, id: id).with {
      $0.timeScale = timeScale
      $0.edits = edits
      $0.samples = [TestSample(content: u32(frames), duration: 2 * framesPerSecond * frameDuration)]
      $0.sampleEntries = [
        atom("tmcd") {
          zeros(6)
          u16(1)
          u32(0, dropsFrames ? 1 : 0, timeScale, frameDuration)
          u8(framesPerSecond, 0)
        }
      ]
    }
  }
}

/// Movies that many tests use.
extension TestMovie {
  /// Two seconds of video and English audio.
  package static var simple: TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1),
      TestTrack(.sound, id: 2).with { $0.language = .packed("eng") },
    ])
  }

  /// The movie of Apple's talk on subtitle tracks: video, English and Spanish audio in one group, and enabled Spanish
  /// subtitles in another.
  package static var talk: TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1).with { ($0.width, $0.height) = (1280, 720) },
      TestTrack(.sound, id: 2).with {
        $0.language = .packed("eng")
        $0.group = 1
      },
      TestTrack(.sound, id: 3).with {
        $0.language = .packed("spa")
        $0.group = 1
        $0.isEnabled = false
      },
      TestTrack(.subtitle, id: 4).with {
        $0.language = .packed("spa")
        $0.group = 2
        $0.layer = -1
        ($0.width, $0.height) = (1280, 108)
        $0.matrix[7] = 612 << 16
        $0.sampleEntries = [SampleEntry.timedText(width: 1280, height: 108, fontSize: 36, fontName: "Sans-Serif")]
        $0.samples = [
          .timedText("", duration: 250), .timedText("¿Quién anda ahí?", duration: 1000), .timedText("", duration: 750),
        ]
      },
    ])
  }

  /// A movie that ffmpeg, GStreamer and MediaInfo can play: two seconds of uncompressed video, 32 × 24, that grows
  /// lighter, and of 16-bit audio that rises and falls.
  package static var playable: TestMovie {
    let pictures = (0..<20).map { frame in
      TestSample(
        content: (0..<24).flatMap { row in (0..<32).flatMap { column in u8(frame * 12, row * 10, column * 8) } },
        duration: 60)
    }
    let sound = (0..<16000).map { index in
      let ramp = index % 40
      let level = (ramp < 20 ? ramp : 40 - ramp) * 600 - 6000
      return TestSample(content: u8(level, level >> 8), duration: 1)
    }
    return TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        ($0.width, $0.height) = (32, 24)
        $0.samples = pictures
        $0.chunking = [5]
        $0.sampleEntries = [SampleEntry.video("raw ", width: 32, height: 24)]
      },
      TestTrack(.sound, id: 2).with {
        $0.language = .packed("eng")
        $0.samples = sound
        $0.chunking = [4000]
        $0.sampleEntries = [SampleEntry.sound("sowt", rate: 8000)]
      },
    ])
  }

  /// Ten seconds with everything that an edit must preserve: unknown atoms at every level, `uuid`, `mdta` keys, `tapt`,
  /// `load`, `LOOP`, an edit list of several segments, `folw`, `elng`, `tagc`, sample groups, a disabled subtitle track
  /// with its own position, and time code.
  package static var torture: TestMovie {
    var movie = TestMovie(tracks: [tortureVideo, tortureSound, tortureSubtitles, tortureTimecode])
    movie.timeScale = 1000
    movie.userData = TestSupport.movie {
      atom("©nam") { internationalText("Small test") }
      atom("©swr") { internationalText("TestSupport") }
      atom("LOOP") { u32(0) }
      unknown("ZZZZ", "moov-udta")
    }
    movie.movieAtoms = TestSupport.movie {
      mdtaMetadata([
        ("com.apple.quicktime.make", "ACME"), ("com.apple.quicktime.creationdate", "2019-05-17T10:00:00+0200"),
      ])
      unknown("XMOV", "moov")
    }
    movie.layout =
      .movieLast + [
        .bytes(
          atom("uuid") {
            u8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
            text("unknown-uuid")
          }), .bytes(unknown("XTOP", "top")),
      ]
    return movie
  }

  private static var tortureVideo: TestTrack {
    TestTrack(.video, id: 1).with {
      ($0.width, $0.height, $0.timeScale) = (640, 360, 12288)
      $0.language = .macintosh(0x7FFF)
      $0.samples = .pictures(240, around: 60, duration: 512)
      $0.chunking = [2, 1]
      $0.edits = [TestEdit(duration: 10000, mediaTime: 1024)]
      $0.references = [TestReference("tmcd", 4)]
      $0.atomsAfterHeader = TestSupport.movie {
        atom("tapt") {
          for type in ["clef", "prof", "enof"] { fullAtom(type) { u32(640 << 16, 360 << 16) } }
        }
        atom("load") { u32(0, -1, 1, 0x100) }
      }
      $0.sampleTableAtoms = unknown("XSTB", "stbl")
      $0.mediaInformationAtoms = unknown("XMIN", "minf")
      $0.mediaAtoms = unknown("XMDI", "mdia")
      $0.trackAtoms = unknown("XTRK", "trak")
    }
  }

  private static var tortureSound: TestTrack {
    TestTrack(.sound, id: 2).with {
      $0.timeScale = 48000
      $0.language = .macintosh(0)
      $0.extendedLanguage = "en-US"
      $0.group = 1
      $0.samples =
        .varied(469, around: 20, duration: 1024) + [TestSample(20, duration: 768)]
      $0.chunking = [1, 2, 2, 3, 1, 2]
      $0.edits = [
        TestEdit(duration: 100, mediaTime: -1), TestEdit(duration: 5000, mediaTime: 1024),
        TestEdit(duration: 4900, mediaTime: 240_000),
      ]
      $0.sampleEntries = [
        SampleEntry.sound("mp4a", rate: 48000, extensions: atom("wave") { atom("frma") { code("mp4a") } })
      ]
      $0.sampleTableAtoms = TestSupport.movie {
        fullAtom("sgpd", version: 1) {
          code("roll")
          u32(2, 1)
          u16(-1)
        }
        fullAtom("sbgp") {
          code("roll")
          u32(1, 470, 1)
        }
      }
      $0.trackAtoms = TestSupport.movie {
        atom("tref") { atom("folw") { u32(3) } }
        atom("udta") {
          atom("tagc") { text("public.main-program-content") }
          unknown("XUDT", "udta")
        }
      }
    }
  }

  private static var tortureSubtitles: TestTrack {
    TestTrack(.subtitle, id: 3).with {
      ($0.width, $0.height, $0.timeScale) = (640, 60, 1_000_000)
      $0.isEnabled = false
      $0.layer = -1
      $0.group = 7
      $0.matrix[7] = 300 << 16
      $0.language = .macintosh(6)
      $0.extendedLanguage = "es-419"
      $0.samples = [
        .timedText("", duration: 500_000), .timedText("Hola, mundo", duration: 1_500_000),
        .timedText("", duration: 1_000_000), .timedText("¿Qué tal?\nSegunda línea", duration: 2_500_000),
        .timedText("", duration: 1_500_000), .timedText("Adiós", duration: 2_000_000), .timedText("", duration: 0),
      ]
      $0.chunking = [1, 1, 3, 1]
      $0.edits = [TestEdit(duration: 9000, mediaTime: 0)]
      $0.sampleEntries = [SampleEntry.timedText(width: 640, height: 60, fontSize: 16, fontName: "Arial")]
      $0.userData = TestSupport.movie {
        atom("tagc") { text("public.easy-to-read") }
        atom("tagc") { text("public.main-program-content") }
      }
    }
  }

  private static var tortureTimecode: TestTrack {
    TestTrack(.timecode, id: 4).with {
      $0.timeScale = 12288
      $0.isEnabled = false
      $0.language = .macintosh(0)
      $0.samples = [TestSample(content: u32(86400), duration: 122_880)]
      $0.edits = [TestEdit(duration: 10000, mediaTime: 0)]
      $0.sampleEntries = [SampleEntry.timecode(timeScale: 12288, frameDuration: 512, framesPerSecond: 24)]
    }
  }

  private static func unknown(_ type: String, _ place: String) -> [UInt8] {
    atom(type) { text("unknown-\(place)-box") }
  }
}

/// Returns user data text: length, language (`und`, packed), UTF-8.
package func internationalText(_ string: String) -> [UInt8] {
  u16(string.utf8.count, 0x55C4) + text(string)
}

/// Returns a QuickTime `meta` with keys of the `mdta` namespace and texts as values.
package func mdtaMetadata(_ items: [(key: String, value: String)]) -> [UInt8] {
  atom("meta") {
    fullAtom("hdlr") {
      u32(0)
      code("mdta")
      zeros(13)
    }
    fullAtom("keys") {
      u32(items.count)
      for item in items { atom("mdta") { text(item.key) } }
    }
    atom("ilst") {
      for (index, item) in items.enumerated() {
        atom(numbered: index + 1) {
          atom("data") {
            u32(1, 0)
            text(item.value)
          }
        }
      }
    }
  }
}

extension RuleExample {
  /// Breaches of the rules about caption tracks.
  static var captions: [RuleExample] {
    func example(_ rule: String, _ change: (inout TestTrack) -> Void) -> RuleExample {
      RuleExample(rule, keeps: .rightWithCaptions) { movie in change(&movie.tracks[movie.tracks.count - 1]) }
    }
    return [
      example("caption.two-formats") {
        $0.sampleEntries = [TestTrack.captionEntry("c608"), TestTrack.captionEntry("c708")].map { Array($0) }
      },
      RuleExample("caption.no-reference", keeps: .rightWithCaptions) { movie in
        movie.tracks[0].references.removeAll { $0.type == "clcp" }
      },
      example("caption.unreadable") { $0.samples[0] = TestSample(content: atom("ccdp") { zeros(2) }, duration: 3_003) },
      example("caption.short-sample") {
        $0.samples[1].duration -= 4_004
        $0.samples[2].duration += 4_004
      },
      example("caption.parity") { $0.samples[1] = .captions([0x94, 0x20, 0x48, 0xE9], duration: 6_006) },
    ]
  }
}

extension TestMovie {
  /// ``right`` with English closed captions (8).
  package static var rightWithCaptions: TestMovie {
    right.with { movie in
      movie.tracks[0].references.append(TestReference("clcp", 8))
      movie.tracks.append(
        TestTrack(.other(handler: "clcp"), id: 8).with {
          $0.isEnabled = false
          $0.language = .packed("eng")
          ($0.group, $0.layer, $0.timeScale) = (2, -1, 30_000)
          $0.sampleEntries = [TestTrack.captionEntry("c608")]
          $0.samples = [
            .captions([0x80, 0x80], duration: 3_003),
            .captions([0x94, 0x20, 0x94, 0x20, 0x94, 0x70, 0x94, 0x70, 0xC8, 0xE9], duration: 6_006),
            .captions([0x94, 0x2F, 0x94, 0x2F], duration: 50_991),
          ]
        })
    }
  }
}

extension TestTrack {
  /// Returns a sample entry of closed captions.
  package static func captionEntry(_ format: String) -> [UInt8] {
    atom(format) {
      zeros(6)
      u16(1)
    }
  }
}

extension TestSample {
  /// Returns a sample with pairs of the first field.
  package static func captions(_ pairs: [UInt8], duration: Int) -> TestSample {
    TestSample(content: atom("cdat") { pairs }, duration: duration)
  }
}

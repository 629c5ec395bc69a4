extension RuleExample {
  /// Breaches of the rules about boxed timed metadata.
  static var timedMetadata: [RuleExample] {
    func example(_ rule: String, and others: [String] = [], _ change: (inout TestTrack) -> Void) -> RuleExample {
      RuleExample(rule, and: others, keeps: .rightWithMetadata) { movie in
        change(&movie.tracks[movie.tracks.count - 1])
      }
    }
    func keys(_ content: [UInt8]) -> [[UInt8]] { [atom("mebx") { zeros(6) + u16(1) + atom("keys") { content } }] }
    return [
      example("timed.key-without-identifier") {
        $0.sampleEntries = keys(TestMetadataKey(1, "com.example.a", type: 1).bytes + atom(numbered: 2) { zeros(8) })
      },
      example("timed.reserved-id") {
        $0.sampleEntries = keys(
          TestMetadataKey(1, "com.example.a", type: 1).bytes
            + TestMetadataKey(0xFFFF_FFFF, "com.example.b", type: 1).bytes)
      },
      example("timed.unknown-id") {
        $0.samples[0] = TestSample(content: atom(numbered: 2) { text("a") }, duration: 1_000)
      },
      example("timed.item-past-sample") {
        $0.samples[0] = TestSample(content: atom(numbered: 1) { text("a") } + u32(9, 1), duration: 1_000)
      },
      example("timed.empty-sample") { $0.samples[1] = TestSample(content: [], duration: 1_000) },
      RuleExample("timed.no-referent", keeps: .rightWithMetadata) { movie in
        movie.tracks[movie.tracks.count - 1].references = []
        movie.tracks.append(movie.tracks[0].with { $0.id = 9 })
      },
    ]
  }
}

extension TestMovie {
  /// ``right`` with timed metadata (8) that describes the video.
  package static var rightWithMetadata: TestMovie {
    right.with { movie in
      movie.tracks.append(
        TestTrack.boxed(
          id: 8, [TestMetadataKey(1, "com.example.a", type: 1)], [atom(numbered: 1) { text("a") }, atom(numbered: 0)]
        ).with { $0.references = [TestReference("cdsc", 1)] })
    }
  }
}

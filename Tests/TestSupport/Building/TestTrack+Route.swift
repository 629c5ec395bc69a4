extension TestTrack {
  /// Returns a timed metadata track with a location for each second, such as `+48.1370+011.5750+520.000/`. An empty text
  /// is a sample without items.
  package static func route(
    id: UInt32, _ places: [String], key name: String = "com.apple.quicktime.location.ISO6709"
  ) -> TestTrack {
    TestTrack(.other(handler: "meta"), id: id).with {
      $0.timeScale = 600
      $0.samples = places.map { place in
        TestSample(
          content: place.isEmpty
            ? atom(numbered: 0) : atom(numbered: 7) { text("other") } + atom(numbered: 2) { text(place) },
          duration: 600)
      }
      $0.sampleEntries = [
        atom("mebx") {
          zeros(6)
          u16(1)
          atom("keys") {
            key(7, "com.apple.quicktime.detected-face")
            key(2, name)
          }
        }
      ]
    }
  }

  private static func key(_ number: Int, _ name: String) -> [UInt8] {
    atom(numbered: number) {
      atom("keyd") { text("mdta" + name) }
      atom("dtyp") { u32(0, 1) }
    }
  }
}

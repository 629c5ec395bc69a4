/// A key of a `mebx` sample description in a test.
package struct TestMetadataKey: Sendable {
  package var id: Int
  package var name: String
  package var space = "mdta"
  /// The code of a well-known type, or `nil` for no `dtyp`.
  package var typeCode: Int?
  /// The name of a type with the base type ``typeCode``.
  package var typeName: String?
  package var language: String?

  package init(
    _ id: Int, _ name: String, space: String = "mdta", type typeCode: Int? = nil, named typeName: String? = nil,
    language: String? = nil
  ) {
    (self.id, self.name, self.space) = (id, name, space)
    (self.typeCode, self.typeName, self.language) = (typeCode, typeName, language)
  }

  package var bytes: [UInt8] {
    atom(numbered: id) {
      // The unknown child is first, because children may have any order.
      atom("setu") { u32(7) }
      if let typeName {
        atom("dtyp") { u32(1) + text(typeName) }
        if let typeCode { atom("ctps") { atom("dtyp") { u32(0, typeCode) } } }
      } else if let typeCode {
        atom("dtyp") { u32(0, typeCode) }
      }
      if let language { atom("loca") { cString(language) } }
      atom("keyd") { text(space + name) }
    }
  }
}

extension TestTrack {
  /// Returns a timed metadata track with a sample description of any format. Samples last one second.
  package static func timed(
    _ format: String, id: UInt32, description: [UInt8] = [], _ samples: [[UInt8]], timeScale: Int = 1_000
  ) -> TestTrack {
    TestTrack(.other(handler: "meta"), id: id).with {
      $0.timeScale = timeScale
      $0.samples = samples.map { TestSample(content: $0, duration: timeScale) }
      $0.sampleEntries = [atom(format) { zeros(6) + u16(1) + description }]
    }
  }

  /// Returns a track of boxed timed metadata. Samples last one second.
  package static func boxed(id: UInt32, _ keys: [TestMetadataKey], _ samples: [[UInt8]]) -> TestTrack {
    timed("mebx", id: id, description: atom("keys") { keys.flatMap(\.bytes) }, samples)
  }
}

/// An element of GoPro telemetry. `type` is the type of the values, or 0 for an element that contains elements.
package func telemetry(_ key: String, _ type: Character?, row: Int = 1, _ values: [UInt8]) -> [UInt8] {
  let count = row == 0 ? 0 : values.count / row
  let padding = (4 - values.count % 4) % 4
  return code(key) + u8(type.flatMap { $0.asciiValue.map(Int.init) } ?? 0, row) + u16(count) + values + zeros(padding)
}

/// An element of GoPro telemetry that contains elements.
package func telemetry(_ key: String, @MovieBuilder _ content: () -> [UInt8]) -> [UInt8] {
  let bytes = content()
  return telemetry(key, nil, row: bytes.count % 4 == 0 ? 4 : 1, bytes)
}

/// A payload of GoPro telemetry with the points of a GPS receiver.
///
/// - Parameters:
///   - points: latitude and longitude in units of 10⁻⁷°, altitude in millimeters.
///   - total: the number of points since the start, including these.
package func telemetryPayload(
  points: [(Int, Int, Int)], total: Int, fix: Int = 3, date: String = "190506181507.395", scale: [Int]? = nil
) -> [UInt8] {
  telemetry("DEVC") {
    telemetry("DVID", "L", row: 4, u32(1))
    telemetry("DVNM", "c", text("Hero7 Black"))
    telemetry("STRM") {
      telemetry("STNM", "c", text("Accelerometer"))
      telemetry("SIUN", "c", row: 4, [0x6D, 0x2F, 0x73, 0xB2])
      telemetry("SCAL", "s", row: 2, u16(418))
      telemetry("ACCL", "s", row: 6, u16(1, 2, 3, 4, 5, 6))
    }
    telemetry("STRM") {
      telemetry("TSMP", "L", row: 4, u32(total))
      telemetry("GPSF", "L", row: 4, u32(fix))
      telemetry("GPSU", "U", row: date.utf8.count, text(date))
      telemetry("GPSP", "S", row: 2, u16(205))
      telemetry("SCAL", "l", row: 4, u32Signed(scale ?? [10_000_000, 10_000_000, 1_000, 1_000, 100]))
      telemetry("GPS5", "l", row: 20, points.flatMap { u32Signed([$0.0, $0.1, $0.2, 1_610, 163]) })
    }
  }
}

/// Signed 32-bit numbers.
package func u32Signed(_ values: [Int]) -> [UInt8] {
  values.flatMap { u32(Int(UInt32(bitPattern: Int32($0)))) }
}

/// A record of camera motion metadata. Doubles have 8 bytes, floats 4.
package func cameraMotion(_ type: Int, _ content: [UInt8]) -> [UInt8] {
  [0, 0, UInt8(type), 0] + content
}

/// Little-endian doubles.
package func littleDoubles(_ values: Double...) -> [UInt8] {
  values.flatMap { u64($0.bitPattern).reversed() }
}

/// Little-endian floats.
package func littleFloats(_ values: Float...) -> [UInt8] {
  values.flatMap { u32(Int($0.bitPattern)).reversed() }
}

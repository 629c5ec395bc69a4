// Camera motion metadata (`camm`): little-endian records of sensors and GPS receivers in the samples of one track.
//
// A sample contains one or more records. A record consists of two reserved bytes, a type from 0 to 7, and fields of a
// fixed size.

import Subtitles

struct CameraMotionRecord: Sendable {
  let type: UInt16
  /// The values of the fields, in file order.
  let values: [Double]
  /// The range of the record in the sample.
  let range: Range<Int>

  /// The names of the record types.
  static let names = [
    "orientation", "exposure", "gyroscope", "acceleration", "position", "GPS", "GPS with accuracy", "magnetic field",
  ]

  /// The widths of the fields of each type: 4 for a float or an integer, 8 for a double.
  private static let widths: [[Int]] = [
    [4, 4, 4], [4, 4], [4, 4, 4], [4, 4, 4], [4, 4, 4], [8, 8, 8], [8, 4, 8, 8, 4, 4, 4, 4, 4, 4, 4], [4, 4, 4],
  ]

  /// Parses the records of a sample. Returns the readable records, and the reason why the rest is unreadable, or `nil`
  /// if there is no rest.
  static func records(_ bytes: Bytes) -> (records: [CameraMotionRecord], problem: String?) {
    var records: [CameraMotionRecord] = []
    var position = 0
    while position < bytes.count {
      guard let stored = bytes.load(at: position + 2, as: UInt16.self) else {
        return (records, "the sample ends inside the header of a record")
      }
      let type = stored.byteSwapped
      guard Int(type) < widths.count else { return (records, "record type \(type) is unknown") }
      let fields = widths[Int(type)]
      let end = position + 4 + fields.reduce(0, +)
      guard end <= bytes.count else {
        return (
          records, "a record of type \(type) needs \(end - position) bytes, but only \(bytes.count - position) remain"
        )
      }
      var values: [Double] = []
      values.reserveCapacity(fields.count)
      var offset = position + 4
      for (index, width) in fields.enumerated() {
        values.append(value(bytes, at: offset, width, isInteger: isInteger(type, index)))
        offset += width
      }
      records.append(CameraMotionRecord(type: type, values: values, range: position..<end))
      position = end
    }
    return (records, nil)
  }

  /// Whether a field is an integer. Only the exposure times and the fix of a GPS receiver are integers.
  private static func isInteger(_ type: UInt16, _ field: Int) -> Bool { type == 1 || type == 6 && field == 1 }

  private static func value(_ bytes: Bytes, at offset: Int, _ width: Int, isInteger: Bool) -> Double {
    if width == 8 { return Double(bitPattern: (bytes.load(at: offset, as: UInt64.self) ?? 0).byteSwapped) }
    let bits = (bytes.load(at: offset, as: UInt32.self) ?? 0).byteSwapped
    return isInteger ? Double(Int32(bitPattern: bits)) : Double(Float(bitPattern: bits))
  }

  /// Decodes a sample as an item for each record.
  static func decode(_ bytes: Bytes, at place: TimedSamplePlace) -> DecodedTimedSample {
    let (records, problem) = records(bytes)
    let items = records.enumerated().map { number, record in
      MetadataItem(
        MetadataIdentifier(.init(rawValue: "camm"), key: String(record.type)), .numbers(record.values), typeCode: nil,
        bytes.slice(at: record.range.lowerBound, count: record.range.count) ?? Bytes(),
        details: ["name": names[Int(record.type)]],
        at: place.item(at: UInt64(record.range.lowerBound), number: number))
    }
    return DecodedTimedSample(items: items, problem: problem)
  }
}

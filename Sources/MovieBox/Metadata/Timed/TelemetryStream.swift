// The elements and streams of GoPro's telemetry (GPMF), with the properties that apply to a stream's data.

import Subtitles

/// An element of GPMF: a key with values of one type.
struct TelemetryElement: Sendable {
  let key: FourCC
  /// The type of the values, such as `l` for 32-bit integers, or 0 for elements that contain elements.
  let type: UInt8
  /// The size of a row.
  let rowByteCount: Int
  let rowCount: Int
  /// The offset of the element in the sample.
  let offset: Int
  let payload: Bytes

  /// The text of a character element. GoPro writes these texts in ISO 8859-1.
  var text: String {
    String(String.UnicodeScalarView(payload.prefix { $0 != 0 }.map { Unicode.Scalar($0) }))
  }

  /// The texts of the rows.
  var texts: [String] {
    guard rowByteCount > 0 else { return [] }
    return (0..<rowCount).compactMap { row in
      payload.slice(at: row * rowByteCount, count: rowByteCount).map { bytes in
        String(String.UnicodeScalarView(bytes.prefix { $0 != 0 }.map { Unicode.Scalar($0) }))
      }
    }
  }

  /// The values of all rows, or `nil` if the type is not numeric.
  var numbers: [Double]? {
    guard let width = Self.widths[type], rowByteCount > 0, rowByteCount % width == 0 else { return nil }
    return stride(from: 0, to: payload.count - payload.count % width, by: width).compactMap {
      Self.number(payload, at: $0, type)
    }
  }

  /// Returns the values of a row. `structure` contains the types of a row of type `?`. Returns `nil` if the row does
  /// not match the types.
  func numbers(ofRow row: Int, structure: [UInt8]) -> [Double]? {
    var position = row * rowByteCount  // At most the size of the payload.
    let end = position + rowByteCount
    let types: [UInt8]
    if type == UInt8(ascii: "?") {
      types = structure
    } else {
      guard let width = Self.widths[type], rowByteCount % width == 0 else { return nil }
      types = [UInt8](repeating: type, count: rowByteCount / width)
    }
    var values: [Double] = []
    values.reserveCapacity(types.count)
    for type in types {
      guard let width = Self.widths[type], position + width <= end, let value = Self.number(payload, at: position, type)
      else { return nil }
      values.append(value)
      position += width
    }
    return position == end ? values : nil
  }

  /// The sizes of the numeric types. A row has at most 255 bytes.
  static let widths: [UInt8: Int] = [
    UInt8(ascii: "b"): 1, UInt8(ascii: "B"): 1, UInt8(ascii: "s"): 2, UInt8(ascii: "S"): 2, UInt8(ascii: "l"): 4,
    UInt8(ascii: "L"): 4, UInt8(ascii: "j"): 8, UInt8(ascii: "J"): 8, UInt8(ascii: "f"): 4, UInt8(ascii: "d"): 8,
    UInt8(ascii: "q"): 4, UInt8(ascii: "Q"): 8,
  ]

  private static func number(_ bytes: Bytes, at offset: Int, _ type: UInt8) -> Double? {
    switch type {
    case UInt8(ascii: "b"): bytes.load(at: offset, as: UInt8.self).map { Double(Int8(bitPattern: $0)) }
    case UInt8(ascii: "B"): bytes.load(at: offset, as: UInt8.self).map { Double($0) }
    case UInt8(ascii: "s"): bytes.load(at: offset, as: UInt16.self).map { Double(Int16(bitPattern: $0)) }
    case UInt8(ascii: "S"): bytes.load(at: offset, as: UInt16.self).map { Double($0) }
    case UInt8(ascii: "l"): bytes.load(at: offset, as: UInt32.self).map { Double(Int32(bitPattern: $0)) }
    case UInt8(ascii: "L"): bytes.load(at: offset, as: UInt32.self).map { Double($0) }
    case UInt8(ascii: "j"): bytes.load(at: offset, as: UInt64.self).map { Double(Int64(bitPattern: $0)) }
    case UInt8(ascii: "J"): bytes.load(at: offset, as: UInt64.self).map { Double($0) }
    case UInt8(ascii: "f"): bytes.load(at: offset, as: UInt32.self).map { Double(Float(bitPattern: $0)) }
    case UInt8(ascii: "d"): bytes.load(at: offset, as: UInt64.self).map { Double(bitPattern: $0) }
    case UInt8(ascii: "q"): bytes.load(at: offset, as: UInt32.self).map { Double(Int32(bitPattern: $0)) / 65_536 }
    case UInt8(ascii: "Q"):
      bytes.load(at: offset, as: UInt64.self).map { Double(Int64(bitPattern: $0)) / 4_294_967_296 }
    default: nil
    }
  }
}

/// A stream of a payload, with its properties and data.
struct TelemetryStream: Sendable {
  var name: String?
  var units: [String] = []
  /// The divisors of the values: none, one for all fields, or one for each field. The value is `nil` if the scale is
  /// invalid.
  var scale: [Double]? = []
  /// The types of a row's fields, for data of type `?`.
  var structure: [UInt8] = []
  /// The number of rows since the start of the recording (`TSMP`), or `nil` if the stream does not contain it.
  var totalRowCount: Double?
  /// The fix of a GPS receiver (`GPSF`): 0 for no fix, or else 2 or 3 dimensions.
  var fix: Double?
  /// The dilution of precision, times 100 (`GPSP`).
  var precision: Double?
  /// The date of a GPS receiver (`GPSU`).
  var date: TelemetryDate?
  /// The reason why a property is invalid, or `nil` if all properties are valid.
  var problem: String?
  /// The elements that are not properties.
  var data: [TelemetryElement] = []

  mutating func add(_ element: TelemetryElement) {
    switch element.key {
    case "STNM": name = element.text
    case "SIUN", "UNIT": units = element.texts
    case "SCAL":
      scale = element.numbers
      if scale?.isEmpty ?? true || scale?.contains(where: { $0 == 0 || !$0.isFinite }) ?? true {
        scale = nil
        problem = "a stream has an invalid scale (SCAL)"
      }
    case "TYPE": structure = Self.types(element.payload)
    case "TSMP": totalRowCount = element.numbers?.first
    case "GPSF": fix = element.numbers?.first
    case "GPSP": precision = element.numbers?.first
    case "GPSU":
      date = TelemetryDate(element.payload)
      if date == nil { problem = "the date of the GPS receiver, \(element.text), is invalid" }
    case let key where Self.properties.contains(key): break
    default: data.append(element)
    }
  }

  private static let properties: Set<FourCC> = [
    "DVID", "DVNM", "EMPT", "FLAG", "GPSA", "MTRX", "ORIN", "ORIO", "QUAN", "RMRK", "STMP", "STPS", "TICK", "TIMO",
    "TMPC", "TOCK", "VERS",
  ]

  /// Returns the types of a row, with repetitions such as `f[8]` expanded. A row has at most 255 bytes.
  private static func types(_ bytes: Bytes) -> [UInt8] {
    var types: [UInt8] = []
    var rest = bytes.prefix { $0 != 0 }[...]
    while let byte = rest.popFirst(), types.count <= 255 {
      if byte == UInt8(ascii: "["), let type = types.popLast() {
        let digits = rest.prefix { Ascii.isDigit($0) }
        let count = Swift.min(255, Int(String(decoding: digits, as: UTF8.self)) ?? 0)
        types += [UInt8](repeating: type, count: count)
        rest = rest.dropFirst(digits.count + 1)
      } else {
        types.append(byte)
      }
    }
    return types
  }

  /// Returns the scaled values of a row, or `nil` if the types or the scale do not match the row.
  func values(_ element: TelemetryElement, row: Int) -> [Double]? {
    guard let scale, var values = element.numbers(ofRow: row, structure: structure) else { return nil }
    switch scale.count {
    case 0: break
    case 1: for index in values.indices { values[index] /= scale[0] }
    case values.count: for index in values.indices { values[index] /= scale[index] }
    default: return nil
    }
    return values
  }
}

/// The date of a GPS receiver in UTC, such as `190506181507.395` (`GPSU`: year, month, day, hours, minutes, seconds).
struct TelemetryDate: Hashable, Sendable {
  let secondsSince1970: Double

  /// Parses the date. Returns `nil` for dates that do not exist. Receivers without a fix write these dates.
  init?(_ bytes: Bytes) {
    let digits = bytes.prefix(12)
    guard digits.count == 12, digits.allSatisfy({ Ascii.isDigit($0) }) else { return nil }
    let fields = stride(from: 0, to: 12, by: 2).map { Int(bytes[$0] - 0x30) * 10 + Int(bytes[$0 + 1] - 0x30) }
    let date = "20" + [0, 1, 2].map { fields[$0].padded(to: 2) }.joined(separator: "-")
    guard let day = MetadataDate(date + "T00:00:00Z")?.secondsSince1970, fields[3] < 24, fields[4] < 60,
      fields[5] <= 60
    else { return nil }
    var fraction = 0.0
    if bytes.count > 12 {
      let rest = String(decoding: bytes.dropFirst(12).prefix { $0 != 0 && $0 != 0x20 }, as: UTF8.self)
      guard rest.first == ".", rest.dropFirst().utf8.allSatisfy(Ascii.isDigit), let value = Double("0" + rest) else {
        return nil
      }
      fraction = value
    }
    secondsSince1970 = day + Double(fields[3] * 3_600 + fields[4] * 60 + fields[5]) + fraction
  }

  /// The date in ISO 8601.
  var text: String { UTCText.text(secondsSince1970: secondsSince1970) }
}

/// Times in UTC as text.
package enum UTCText {
  /// Returns the time in ISO 8601 with milliseconds, such as `2019-05-06T18:15:07.395Z`. Times outside the years 1 to
  /// 9999 become the first or the last of these times.
  package static func text(secondsSince1970 seconds: Double) -> String {
    let limits = MetadataDate.secondsSince1970Limits
    let (earliest, latest) = (Double(limits.lowerBound), Double(limits.upperBound))
    // The comparison is false for NaN.
    let bounded = seconds > earliest ? Swift.min(seconds, latest) : earliest
    let milliseconds = Int64((bounded * 1_000).rounded())
    // The divisions round down, because times before 1970 are negative.
    let dayLength: Int64 = 86_400_000
    let days = milliseconds >= 0 ? milliseconds / dayLength : -((dayLength - 1 - milliseconds) / dayLength)
    let (second, fraction) = (milliseconds - days * dayLength).quotientAndRemainder(dividingBy: 1_000)
    let day = CalendarDay(daysSince1970: days)
    let date = "\(day.year.padded(to: 4))-\(day.month.padded(to: 2))-\(day.day.padded(to: 2))"
    let clock = [second / 3_600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }.joined(separator: ":")
    return "\(date)T\(clock).\(fraction.padded(to: 3))Z"
  }
}

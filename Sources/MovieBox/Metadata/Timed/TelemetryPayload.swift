// GoPro's telemetry (`gpmd`): a tree of keys, lengths and values (GPMF). Devices (`DEVC`) contain streams (`STRM`), and
// a stream contains properties, such as its name and scale, before its data.
//
// Only the streams of GPS receivers are decoded. Other streams are listed with their names, units and rates.

import Subtitles

/// A payload of telemetry: the contents of one sample.
struct TelemetryPayload: Sendable {
  private(set) var streams: [TelemetryStream] = []
  /// The name of the first device.
  private(set) var deviceName: String?
  /// The reason why the payload was not read completely, or `nil` if it was.
  private(set) var problem: String?

  /// The maximum depth of elements. Cameras use three levels.
  static let depthLimit = 16

  /// Parses a payload. After an invalid element, the rest of its container is skipped.
  init(_ bytes: Bytes) {
    /// An open container: its bytes, its offset in the payload, the read position, and the stream if the container is a
    /// stream.
    var stack: [(bytes: Bytes, base: Int, position: Int, stream: TelemetryStream?)] = [(bytes, 0, 0, nil)]
    while var container = stack.popLast() {
      guard let element = next(in: container.bytes, &container.position, base: container.base) else {
        if let stream = container.stream {
          problem = problem ?? stream.problem
          if !stream.data.isEmpty { streams.append(stream) }
        }
        continue
      }
      guard element.type == 0, element.key != "EMPT" else {
        if container.stream != nil {
          container.stream?.add(element)
        } else if element.key == "DVNM", deviceName == nil {
          deviceName = element.text
        }
        stack.append(container)
        continue
      }
      stack.append(container)
      guard stack.count <= Self.depthLimit else {
        problem = problem ?? "elements are nested more than \(Self.depthLimit) levels deep"
        continue
      }
      stack.append((element.payload, element.offset + 8, 0, element.key == "STRM" ? TelemetryStream() : nil))
    }
  }

  /// Reads the next element, or returns `nil` at the end or if the element is invalid.
  private mutating func next(in bytes: Bytes, _ position: inout Int, base: Int) -> TelemetryElement? {
    guard let key = bytes.load(at: position, as: UInt32.self), key != 0 else {
      // Accept zeros at the end of the payload, because they are padding.
      if bytes.dropFirst(position).contains(where: { $0 != 0 }) {
        problem = problem ?? "the telemetry ends with bytes that are not an element"
      }
      return nil
    }
    guard let type = bytes.load(at: position + 4, as: UInt8.self),
      let rowByteCount = bytes.load(at: position + 5, as: UInt8.self),
      let rowCount = bytes.load(at: position + 6, as: UInt16.self)
    else {
      problem = problem ?? "the telemetry ends inside an element"
      return nil
    }
    let byteCount = Int(rowByteCount) * Int(rowCount)
    guard let payload = bytes.slice(at: position + 8, count: byteCount) else {
      let room = bytes.count - position - 8
      problem =
        problem ?? "\(FourCC(rawValue: key)) declares \(byteCount) bytes, but has room for only \(room)"
      return nil
    }
    let element = TelemetryElement(
      key: FourCC(rawValue: key), type: type, rowByteCount: Int(rowByteCount),
      // Rows of zero bytes do not count. Otherwise, an element of eight bytes could declare many rows.
      rowCount: rowByteCount > 0 ? Int(rowCount) : 0,
      offset: base + position, payload: payload)
    position += 8 + (byteCount + 3) / 4 * 4
    return element
  }

  /// The maximum length of the name and of the units of a stream. Real names have up to 60 characters.
  private static let detailLength = 200
  /// The maximum number of units that are listed for a stream. Real streams have up to 12 columns, with a unit for
  /// each.
  private static let unitCount = 64

  /// Returns an item for each kind of data in each stream. Items of GPS receivers contain an item for each point.
  func items(lasting microseconds: Int64?, at place: TimedSamplePlace) -> DecodedTimedSample {
    var sample = DecodedTimedSample(problem: problem)
    for stream in streams {
      var rowCounts: [FourCC: Int] = [:]
      for element in stream.data { rowCounts[element.key, default: 0] += element.rowCount }
      // Each item contains these details, so a damaged stream must not repeat long texts for thousands of elements.
      let name = stream.name.map { String($0.prefix(Self.detailLength)) } ?? ""
      let units = String(stream.units.prefix(Self.unitCount).joined(separator: ", ").prefix(Self.detailLength))
      for element in stream.data {
        var details: [String: String] = [:]
        if !name.isEmpty { details["name"] = name }
        if !units.isEmpty { details["units"] = units }
        details["count"] = String(element.rowCount)
        if let microseconds, microseconds > 0, let count = rowCounts[element.key] {
          let rate = (Double(count) * 10_000_000 / Double(microseconds)).rounded() / 10
          details["rate"] = "\(rate) Hz"
        }
        var item = MetadataItem(
          MetadataIdentifier(.init(rawValue: "gpmd"), element.key), stream.value(of: element), element.payload,
          details: details, at: place.item(at: UInt64(element.offset)))
        if ["GPS5", "GPS9"].contains(element.key) {
          let points = stream.pointItems(element, at: place)
          if points.count < element.rowCount {
            sample.problem =
              sample.problem
              ?? "\(element.rowCount - points.count) rows of \(element.key) do not match their scale or type"
          }
          item.nestedItems = points
        }
        sample.items.append(item)
      }
    }
    return sample
  }
}

extension TelemetryStream {
  /// The maximum number of values that are decoded in one element. Streams of cameras have up to some thousand values
  /// per second.
  private static let valueCountLimit = 16_384

  /// Returns the scaled values of all rows, or the bytes if the rows do not match their types or are points.
  fileprivate func value(of element: TelemetryElement) -> MetadataValue {
    guard !["GPS5", "GPS9"].contains(element.key), element.rowCount > 0,
      element.payload.count <= Self.valueCountLimit
    else { return .data(element.payload) }
    var numbers: [Double] = []
    for row in 0..<element.rowCount {
      guard let values = values(element, row: row) else { return .data(element.payload) }
      numbers += values
    }
    return .numbers(numbers)
  }

  /// Returns an item with the values of each readable row.
  fileprivate func pointItems(_ element: TelemetryElement, at place: TimedSamplePlace) -> [MetadataItem] {
    var details: [String: String] = [:]
    if let fix, let whole = Int(exactly: fix) { details["fix"] = String(whole) }
    if let precision { details["precision"] = (precision / 100).description }
    if let date { details["date"] = date.text }
    return (0..<element.rowCount).compactMap { row in
      // Omit rows with fewer than three values, because a point has at least a latitude, a longitude and an altitude.
      values(element, row: row).flatMap { values in
        values.count < 3
          ? nil
          : MetadataItem(
            MetadataIdentifier(.init(rawValue: "gpmd"), element.key), .numbers(values), typeCode: nil,
            element.payload.slice(at: row * element.rowByteCount, count: element.rowByteCount) ?? Bytes(),
            details: details, at: place.item(at: UInt64(element.offset + 8 + row * element.rowByteCount), number: row))
      }
    }
  }
}

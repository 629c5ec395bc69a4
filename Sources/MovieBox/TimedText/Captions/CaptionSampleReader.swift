import Subtitles

/// The time between two pairs in a sample of closed captions, in seconds: `ticks` / `timeScale`.
///
/// QTFF places a pair in each frame of the video, but most tracks are made from SCC files, whose pairs are 1001/30000 s
/// apart regardless of the video's frame rate.
struct CaptionInterval: Hashable, Sendable {
  let ticks: UInt64
  let timeScale: UInt64

  private init(ticks: UInt64, timeScale: UInt64) {
    self.ticks = ticks
    self.timeScale = timeScale
  }

  /// A frame of line 21.
  static let line21 = CaptionInterval(ticks: 1_001, timeScale: 30_000)

  /// The number of pictures that are examined. Tables can declare billions of pictures in a few bytes.
  private static let pictureCount = 10_000

  /// Creates an interval from the predominant duration of a film's first pictures. Returns `nil` if there are no
  /// pictures.
  init?(pictureOf movie: Movie, _ fragments: MovieFragments?) {
    guard let picture = movie.mainPicture, picture.mediaHeader.timeScale > 0 else { return nil }
    var durations = PictureDurations()
    if let fragmented = fragments?.track(picture.id) {
      for sample in fragmented.samples.prefix(Self.pictureCount) { durations.add(sample.duration) }
    } else {
      for sample in picture.samples.samples.prefix(Self.pictureCount) { durations.add(sample.duration) }
    }
    let (count, duration) = durations.predominant
    guard duration > 0 else { return nil }
    self.init(ticks: duration, timeScale: count * UInt64(picture.mediaHeader.timeScale))
  }

  /// Returns the time from the first pair of a sample to the pair at `index`, in ticks of a time scale, rounded down.
  func ticks(ofPair index: Int, timeScale: UInt32) -> Int64 {
    guard index > 0 else { return 0 }
    let (product, overflows) = UInt64(index).multipliedReportingOverflow(by: ticks)
    let offset = overflows ? nil : product.scaled(by: UInt64(timeScale), over: self.timeScale)
    return Int64(clamping: offset ?? .max)
  }
}

/// Collects the pairs from the samples of a caption track (QTFF "Closed Caption Media").
///
/// A `c608` sample contains pairs of the first field in `cdat` and of the second in `cdt2`. A `c708` sample contains a
/// caption distribution packet in `ccdp`. Only the CEA-608 pairs of the packet are read. Damaged samples cause notices.
struct CaptionSampleReader {
  private var captions: MediaCaptions
  private let interval: CaptionInterval
  private let trackID: UInt32
  private let timeScale: UInt32
  private let formats: [FourCC]
  /// For each sample description, whether its samples contain pairs in `cdat`.
  private let containPairs: [Bool]
  private var notices: NoticeList
  /// The start of the last sample.
  private var lastStart = Int64.min
  /// Whether a sample is presented before an earlier sample.
  private var isReordered = false
  /// The number of byte pairs whose time is after the end of their sample.
  private var lateCount = 0
  /// The index of the first sample with such a pair.
  private var firstLateSample = 0
  /// The number of packets without a checksum.
  private var uncheckedCount = 0

  init(_ interval: CaptionInterval, of track: Track, _ notices: NoticeList) {
    self.interval = interval
    self.notices = notices
    trackID = track.id
    timeScale = track.mediaHeader.timeScale
    formats = track.formats
    containPairs = formats.map { $0 == "c608" }
    captions = MediaCaptions(unitsPerFrame: interval.ticks(ofPair: 1, timeScale: timeScale))
  }

  /// The size and type of `cdat` with one pair.
  private static let headerOfOnePair: UInt64 = 0x0000_000A_6364_6174

  /// The notices about all samples.
  var finishedNotices: NoticeList {
    var notices = notices
    if lateCount > 0 {
      notices.add(
        .delayedCaptions, line: 0,
        "track \(trackID): \(counted(lateCount, "byte pair")) after the end of a sample \(lateCount == 1 ? "is" : "are") "
          + "read at its end; the first is in sample \(firstLateSample + 1)")
    }
    if uncheckedCount > 0 {
      notices.add(
        .uncheckedBytes, "checksum", line: 0,
        "track \(trackID): \(counted(uncheckedCount, "caption packet")) without a checksum "
          + "\(uncheckedCount == 1 ? "is" : "are") read")
    }
    return notices
  }

  /// Returns the captions of all samples, with times that do not decrease, and removes them from the reader.
  mutating func takeCaptions() -> MediaCaptions {
    var result = MediaCaptions(unitsPerFrame: captions.unitsPerFrame)
    swap(&result, &captions)
    guard isReordered else { return result }
    for field in result.fields.indices {
      let order = result.fields[field].enumerated().sorted {
        ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
      }
      result.fields[field] = order.map(\.element)
    }
    return result
  }

  /// Adds the pairs of the next sample. Its bytes begin at `offset` in `batch`. Samples must be added in decoding
  /// order.
  mutating func add(_ batch: Bytes, at offset: Int, _ sample: PlacedSample) {
    guard formats.indices.contains(sample.description) else { return }
    if sample.start < lastStart { isReordered = true }
    lastStart = sample.start
    if sample.end == .max { captions.lastSampleStart = sample.start }
    captions.end = sample.end == .max ? nil : max(captions.end ?? .min, sample.end)
    // Most samples contain one pair of the first field without data, so skip them without decoding.
    if containPairs[sample.description], sample.bytes.count == 10,
      batch.load(at: offset, as: UInt64.self) == Self.headerOfOnePair,
      batch.load(at: offset + 8, as: UInt16.self).map({ $0 & 0x7F7F == 0 }) ?? false
    {
      return
    }
    guard let bytes = batch.slice(at: offset, count: Int(clamping: sample.bytes.count)) else { return }
    let isPacket = formats[sample.description] == "c708"
    guard isPacket || containPairs[sample.description] else {
      note(.damagedSample, sample, "has the format \(formats[sample.description]) in a caption track: it is omitted")
      return
    }
    var indices = (0, 0)
    var position = 0
    while position < bytes.count {
      let remainingCount = bytes.count - position
      guard let size = bytes.load(at: position, as: UInt32.self),
        let type = bytes.load(at: position + 4, as: UInt32.self)
      else {
        if !bytes.dropFirst(position).isZero {
          note(
            .damagedSample, sample,
            "\(counted(remainingCount, "byte")) after the last atom \(remainingCount == 1 ? "is" : "are") ignored")
        }
        return
      }
      guard size >= 8, size <= remainingCount, let payload = bytes.slice(at: position + 8, count: Int(size) - 8) else {
        if !bytes.dropFirst(position).isZero {
          note(
            .damagedSample, sample,
            "atom \(FourCC(rawValue: type)) declares \(size) bytes, but only \(remainingCount) remain: the rest of the sample is omitted"
          )
        }
        return
      }
      switch FourCC(rawValue: type) {
      case "cdat" where !isPacket: add(payload, field: 0, &indices.0, sample)
      case "cdt2" where !isPacket: add(payload, field: 1, &indices.1, sample)
      case "ccdp" where isPacket: addPacket(payload, sample)
      default: break
      }
      position += Int(size)
    }
  }

  /// Adds the pairs of an atom. `index` is the index of the next pair of the field in the sample.
  private mutating func add(_ payload: Bytes, field: Int, _ index: inout Int, _ sample: PlacedSample) {
    for position in stride(from: 0, to: payload.count - payload.count % 2, by: 2) {
      defer { index += 1 }
      let pair = CaptionPair(payload[position], payload[position + 1])
      guard !pair.isNull else { continue }
      let time = sample.start.addingClamped(interval.ticks(ofPair: index, timeScale: timeScale))
      let latest = max(sample.start, sample.end.addingClamped(-1))
      if time > latest {
        if lateCount == 0 { firstLateSample = sample.index }
        lateCount += 1
      }
      add(pair, field: field, at: min(time, latest))
    }
    if payload.count % 2 == 1 { note(.damagedSample, sample, "the last byte pair is incomplete and is omitted") }
  }

  /// Adds the pairs of a packet. They belong to one frame.
  private mutating func addPacket(_ payload: Bytes, _ sample: PlacedSample) {
    let packet: CaptionDistributionPacket
    do throws(SubtitleError) {
      packet = try CaptionDistributionPacket(parsing: payload.array[...])
    } catch {
      note(.damagedPacket, sample, "\(error.reason): it is omitted")
      return
    }
    if !packet.hasChecksum { uncheckedCount += 1 }
    for triple in packet.triples where triple.isValid {
      switch triple.kind {
      case .field1 where !triple.pair.isNull: add(triple.pair, field: 0, at: sample.start)
      case .field2 where !triple.pair.isNull: add(triple.pair, field: 1, at: sample.start)
      case .field1, .field2: break
      case .digitalData, .digitalStart: captions.digitalServices.receive(triple)
      }
    }
  }

  private mutating func add(_ pair: CaptionPair, field: Int, at time: Int64) {
    captions.fields[field].append(TimedCaptionPair(time: time, pair))
  }

  private mutating func note(_ kind: SubtitleNotice.Kind, _ sample: PlacedSample, _ reason: String) {
    notices.add(kind, line: 0, "sample \(sample.index + 1) of track \(trackID): \(reason)")
  }
}

import Subtitles

/// Examines the samples of a caption track (QTFF "Closed Caption Media").
struct CaptionTrackExaminer: SampleExaminer {
  let track: Track
  var oddities = SampleOddities()
  var hasExhaustedBudget = false

  /// Creates the examiner, or returns `nil` if the track contains samples other than closed captions.
  init?(_ track: Track) {
    guard track.mediaType == .closedCaption, !track.formats.isEmpty,
      track.formats.allSatisfy({ $0 == "c608" || $0 == "c708" })
    else { return nil }
    self.track = track
  }

  func trackOddities() -> [(oddity: TextExamination.Oddity, reason: String)] { [] }

  mutating func examine(_ payload: Bytes, of sample: Sample) {
    let description = Int(sample.sampleDescriptionIndex) - 1  // The file counts descriptions from 1.
    guard track.formats.indices.contains(description) else { return }
    let isPacket = track.formats[description] == "c708"
    var hasData = false
    var position = 0
    while position < payload.count {
      guard let size = payload.load(at: position, as: UInt32.self), size >= 8,
        let type = payload.load(at: position + 4, as: UInt32.self).map({ FourCC(rawValue: $0) }),
        let contents = payload.slice(at: position + 8, count: Int(clamping: size) - 8)
      else {
        oddities.note(
          .unreadableCaptions, sample, "the last \(payload.count - position) bytes are not a complete atom")
        return
      }
      position += 8 + contents.count
      switch type {
      case "cdat" where !isPacket, "cdt2" where !isPacket:
        hasData = hasData || type == "cdat"
        examine(contents, type, of: sample)
      case "ccdp" where isPacket:
        hasData = true
        examinePacket(contents, of: sample)
      default: break
      }
    }
    if !hasData { oddities.note(.unreadableCaptions, sample, "the atom \(isPacket ? "ccdp" : "cdat") is missing") }
  }

  /// Examines a caption distribution packet.
  private mutating func examinePacket(_ packet: Bytes, of sample: Sample) {
    do throws(SubtitleError) {
      _ = try CaptionDistributionPacket(parsing: packet.array[...])
    } catch {
      oddities.note(.unreadableCaptions, sample, "the packet in ccdp is damaged: \(error.reason)")
    }
  }

  /// Examines the pairs of a field.
  private mutating func examine(_ pairs: Bytes, _ type: FourCC, of sample: Sample) {
    if pairs.count % 2 != 0 {
      oddities.note(.unreadableCaptions, sample, "\(type) has \(pairs.count) bytes, an odd number")
    }
    // Don't check a single pair, because it belongs to the frame at the sample's start. Don't check a last sample
    // without a duration either, because it lasts until the movie's end.
    let count = pairs.count / 2
    let isOpen = sample.duration == 0 && sample.index + 1 == track.samples.sampleCount
    let ticks = UInt64(count).scaledUp(by: UInt64(track.mediaHeader.timeScale) * 1_001, over: 30_000) ?? .max
    // The tolerance allows durations that were rounded down. It also allows tracks of exactly 30 frames a second, in
    // which a pair lasts a thousandth less than at 29.97 frames a second.
    if count > 1, !isOpen, ticks > UInt64(sample.duration).addingClamped(ticks / 500).addingClamped(1), hasData(pairs) {
      oddities.note(
        .shortCaptionSample, sample,
        "\(type) has \(count) pairs, which take \(ticks) ticks, but the sample lasts \(sample.duration)")
    }
    // Don't check the parity of a pair of zeros. The pair is padding and may have no parity bits.
    var errorCount = 0
    for index in 0..<count {
      let pair = CaptionPair(pairs[2 * index], pairs[2 * index + 1])
      guard !pair.isNull else { continue }
      errorCount += [pair.first, pair.second].count { !CaptionPair.hasOddParity($0) }
    }
    if errorCount > 0 {
      oddities.note(.captionParity, sample, "\(type) has \(counted(errorCount, "byte")) with even parity")
    }
  }

  /// Whether any pair is not padding.
  private func hasData(_ pairs: Bytes) -> Bool { pairs.contains { $0 & 0x7F != 0 } }
}

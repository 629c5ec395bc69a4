package import Subtitles

/// The search for closed captions in H.264 and HEVC pictures (ATSC A/53 part 4, 6.2.3).
///
/// Captions are supplemental enhancement information (SEI), and precede the slices of their picture. A search therefore
/// needs only the beginning of a sample, and the size of the slice shows that nothing follows it. If further units
/// follow, they are searched as well, because some writers append captions, and a sample may contain two fields.
///
///     var captions = PictureCaptions(format)
///     var next: PictureCaptions.Range? = .beginning
///     while let range = next {
///       next = captions.search(try read(range), in: range, ofByteCount: sample.count)
///     }
package struct PictureCaptions: Hashable, Sendable {
  /// The arrangement of pictures in the samples of a sample description.
  package struct Format: Hashable, Sendable {
    /// The number of bytes in the length field before each unit.
    let lengthByteCount: Int
    let isHEVC: Bool

    private static let formatsOfAVC: Set<FourCC> = ["avc1", "avc2", "avc3", "avc4", "dva1", "dvav"]
    private static let formatsOfHEVC: Set<FourCC> = ["hvc1", "hvc2", "hev1", "hev2", "dvh1", "dvhe"]

    /// Creates the arrangement for a sample description, or returns `nil` for other formats, for encrypted samples and
    /// for a damaged configuration.
    package init?(_ entry: Int, of tree: AtomTree) {
      let format = tree[entry].type
      if Self.formatsOfAVC.contains(format) {
        self.init(tree.configuration("avcC", of: entry)?.load(at: 4, as: UInt8.self), isHEVC: false)
      } else if Self.formatsOfHEVC.contains(format) {
        self.init(tree.configuration("hvcC", of: entry)?.load(at: 21, as: UInt8.self), isHEVC: true)
      } else {
        return nil
      }
    }

    /// Creates the arrangement for a byte of the configuration. Its lowest two bits declare the size of length fields.
    private init?(_ lengths: UInt8?, isHEVC: Bool) {
      guard let lengths else { return nil }
      self.init(lengthByteCount: Int(lengths & 3) + 1, isHEVC: isHEVC)
    }

    /// Creates an arrangement with length fields of 1 to 4 bytes.
    package init(lengthByteCount: Int, isHEVC: Bool) {
      self.lengthByteCount = lengthByteCount
      self.isHEVC = isHEVC
    }
  }

  /// A byte range in a sample. The range begins at the start of a NAL unit.
  package struct Range: Hashable, Sendable {
    /// The number of bytes before the range in the sample.
    package let offset: UInt64
    package let byteCount: Int
    /// Whether a slice precedes the range.
    let followsSlice: Bool

    /// The beginning of a sample, which usually contains its captions.
    package static let beginning = Range(offset: 0, byteCount: 1_024, followsSlice: false)
  }

  /// The number of bytes that are read after a unit. The next unit is usually a caption message that fits in these
  /// bytes.
  private static let blockByteCount: UInt64 = 256
  /// The maximum size of a searched unit. Caption messages have at most about 110 bytes.
  private static let unitByteCountLimit: UInt64 = 64 << 10

  /// The captions since ``triples`` was last emptied.
  package private(set) var triples: [CaptionDistributionPacket.Triple] = []
  /// The number of samples and messages whose sizes or counts are wrong. Their remaining captions are skipped.
  package private(set) var damagedCount = 0
  private let format: Format

  /// Prepares a search.
  package init(_ format: Format) {
    self.format = format
  }

  /// Empties ``triples`` and keeps the memory.
  package mutating func removeAll() { triples.removeAll(keepingCapacity: true) }

  /// Searches the bytes of a range of a sample, and adds the captions to ``triples``. The bytes may be more or fewer
  /// than requested.
  ///
  /// Returns the next range to search, or `nil` at the end of the sample. The next range begins later than `range`, or
  /// is longer.
  ///
  /// - Parameters:
  ///   - range: the beginning of the sample, or the result of the previous call.
  ///   - byteCount: the size of the whole sample.
  package mutating func search(_ bytes: Bytes, in range: Range = .beginning, ofByteCount byteCount: UInt64) -> Range? {
    var position = range.offset
    var followsSlice = range.followsSlice
    let end = range.offset.addingClamped(UInt64(bytes.count))
    let headByteCount = UInt64(format.lengthByteCount + (format.isHEVC ? 2 : 1))
    while position < byteCount {
      guard headByteCount <= byteCount - position else { return endOfDamagedSample(followsSlice) }
      guard position < end, headByteCount <= end - position else {
        let count = min(Self.blockByteCount, byteCount - position)
        return Range(offset: position, byteCount: Int(clamping: count), followsSlice: followsSlice)
      }
      let start = Int(clamping: position - range.offset)
      var unitByteCount: UInt64 = 0
      for index in start..<start + format.lengthByteCount { unitByteCount = unitByteCount << 8 | UInt64(bytes[index]) }
      let unitOffset = position + UInt64(format.lengthByteCount)
      // A unit is at least as long as its header. Otherwise, the sample is damaged.
      guard unitByteCount >= headByteCount - UInt64(format.lengthByteCount), unitByteCount <= byteCount - unitOffset
      else { return endOfDamagedSample(followsSlice) }
      switch unitKind(bytes, at: start + format.lengthByteCount) {
      case .slice: followsSlice = true
      case .information where unitByteCount <= Self.unitByteCountLimit:
        guard
          let unit = bytes.slice(at: start + format.lengthByteCount, count: Int(clamping: unitByteCount))
        else {
          // Read the beginning of the next unit together with this unit.
          let count = unitOffset - position + unitByteCount + Self.blockByteCount
          return Range(
            offset: position, byteCount: Int(clamping: min(count, byteCount - position)), followsSlice: followsSlice)
        }
        CaptionMessages.read(unit.dropFirst(format.isHEVC ? 2 : 1), &triples, &damagedCount)
      case .information, .other: break
      }
      position = unitOffset + unitByteCount
    }
    return nil
  }

  /// Counts the sample as damaged unless the unreadable bytes follow a slice, because some samples end with padding.
  /// Returns `nil`, because no further range of the sample can be searched.
  private mutating func endOfDamagedSample(_ followsSlice: Bool) -> Range? {
    if !followsSlice { damagedCount += 1 }
    return nil
  }

  private enum UnitKind {
    case slice
    case information
    case other
  }

  /// Returns the kind of the unit whose header is at `index` (ITU-T H.264, table 7-1; H.265, table 7-1).
  private func unitKind(_ bytes: Bytes, at index: Int) -> UnitKind {
    let first = bytes[index]
    guard format.isHEVC else {
      let type = first & 0x1F
      return type == 6 ? .information : (1...5).contains(type) ? .slice : .other
    }
    let type = first >> 1 & 0x3F
    if type < 32 { return .slice }
    // Layers above the base layer repeat the captions of the base layer.
    let isInBaseLayer = first & 1 == 0 && bytes[index + 1] >> 3 == 0
    return (type == 39 || type == 40) && isInBaseLayer ? .information : .other
  }
}

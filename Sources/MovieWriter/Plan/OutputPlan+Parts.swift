public import MovieBox

extension OutputPlan {
  /// A part of an upload in parts, as object stores take them.
  public struct Part: Hashable, Sendable {
    /// How the store comes by the bytes.
    public enum Origin: Hashable, Sendable {
      /// A range of the source, which the store copies on its own side; of a joined source,
      /// ``/MovieBox/JoinedSource/pieces(of:)`` tells the objects that it lies in.
      case copied(ByteRange)
      /// Bytes that are sent: generated ones, and ranges of the source too short to be copied.
      case sent
    }

    /// The bytes of the output that the part holds.
    public let range: ByteRange
    /// How the store comes by them.
    public let origin: Origin
  }

  /// The sizes that an object store allows its parts.
  public struct PartSizes: Hashable, Sendable {
    /// No part but the last is smaller.
    public let smallest: UInt64
    /// No part is larger.
    public let largest: UInt64

    /// Fails unless `smallest` is above 0 and `largest` at least twice as much.
    public init?(smallest: UInt64, largest: UInt64) {
      guard smallest > 0, largest / 2 >= smallest else { return nil }
      self.smallest = smallest
      self.largest = largest
    }

    private init(smallestMebibytes smallest: UInt64, largestMebibytes largest: UInt64) {
      self.smallest = smallest << 20
      self.largest = largest << 20
    }

    /// 5 MiB to 5 GiB, as Amazon's S3 and those who follow it say.
    public static let s3 = PartSizes(smallestMebibytes: 5, largestMebibytes: 5 << 10)
  }

  /// The output cut into parts for an object store that holds the source: runs of media are copied by the store, all
  /// else is sent.
  ///
  /// The parts follow one another without gaps and make up the whole output. A run of media is copied when it is at
  /// least as long as the smallest part, less what a part before it needs to become long enough. New samples put
  /// between the media leave no such runs: plan with ``OutputLayout/Interleaving/none``. Costs the extents.
  ///
  ///     for part in plan.parts(.s3) {
  ///       switch part.origin {
  ///       case .copied(let range): try store.copyPart(of: object, range)
  ///       case .sent: try store.sendPart(PlannedSource(plan, of: source).read(part.range))
  ///       }
  ///     }
  public func parts(_ sizes: PartSizes) -> [Part] {
    var parts: [Part] = []
    // Bytes that are to be sent and make no part yet.
    var start: UInt64 = 0
    for extent in extents {
      guard case .source(let range) = extent.content else {
        continue
      }
      var copied = range
      if start < extent.offset {
        // What waits becomes a part of its own, filled up with media where it is too short.
        let waiting = extent.offset - start
        let missing = waiting < sizes.smallest ? sizes.smallest - waiting : 0
        guard missing < range.count else { continue }
        copied = ByteRange(range.offset + missing..<range.end)
      }
      guard copied.count >= sizes.smallest else { continue }
      let end = extent.range.end - copied.count
      Self.cut(ByteRange(start..<end), sizes) { parts.append(Part(range: $0, origin: .sent)) }
      Self.cut(ByteRange(end..<extent.range.end), sizes) { piece in
        let offset = copied.offset + (piece.offset - end)
        parts.append(Part(range: piece, origin: .copied(ByteRange(offset..<offset + piece.count))))
      }
      start = extent.range.end
    }
    Self.cut(ByteRange(start..<byteCount), sizes) { parts.append(Part(range: $0, origin: .sent)) }
    return parts
  }

  /// A range in as few pieces as the largest size allows, all but equally long; nothing when it is empty.
  private static func cut(_ range: ByteRange, _ sizes: PartSizes, _ body: (ByteRange) -> Void) {
    guard range.count > 0 else { return }
    let count = (range.count - 1) / sizes.largest + 1
    var start = range.offset
    for number in 1...count {
      // A product of less than 2⁶³ and a number of pieces may not fit: whole shares first, then what is left over.
      let end = range.offset + range.count / count * number + Swift.min(number, range.count % count)
      body(ByteRange(start..<end))
      start = end
    }
  }
}

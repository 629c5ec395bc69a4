public import MovieBox

/// The output of a plan, to be read before anyone has written it.
///
/// The plan checker reads a planned movie through it, and a service answers an HTTP range from it.
public struct PlannedSource<Base: RandomAccessSource>: RandomAccessSource {
  /// The plan.
  public let plan: OutputPlan
  /// What the plan's source ranges are read from.
  public let base: Base

  /// The output of `plan`, with `base` as its source.
  public init(_ plan: OutputPlan, of base: Base) {
    self.plan = plan
    self.base = base
  }

  /// The size of the output, and the tag that tells versions of the source apart (``/MovieBox/SourceIdentity/tag``).
  public func identity() throws -> SourceIdentity {
    SourceIdentity(byteCount: plan.byteCount, tag: "plan of " + (try base.identity().tag))
  }

  /// The bytes of a range of the output: one read of the source for each of its extents there.
  public func read(_ range: ByteRange) throws -> Bytes {
    guard range.end <= plan.byteCount, range.count <= Int.max else {
      throw MovieError(
        .truncated, at: range.offset, "asked for \(range.count) bytes of an output of \(plan.byteCount)")
    }
    let parts = plan.extents(in: range)
    return try Bytes(
      joining: parts.map { part in
        switch part.content {
        case .generated(let bytes): .bytes(bytes)
        case .source(let range): .range(range, of: base)
        case .zeros(let count): .zeros(Int(clamping: count))
        }
      })
  }
}

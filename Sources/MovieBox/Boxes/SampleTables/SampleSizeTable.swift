/// The sizes of the samples (`stsz`, or its compact form `stz2`).
///
/// A view: a size is computed from the bytes when asked for. Where all sizes are equal the file stores no table, so
/// that ``count`` is then not backed by table entries.
package struct SampleSizeTable: AtomPayload {
  /// The storage of the sizes.
  package enum Layout: Hashable, Sendable {
    /// All samples have this many bytes; more than 0.
    case uniform(UInt32)
    /// Fields of 32 bits (`stsz`).
    case words
    /// Fields of 4, 8 or 16 bits (`stz2`).
    case compact(bitsPerField: Int)
  }

  /// All bytes after the atom's header, sizes and tail.
  package let payload: Bytes
  /// The number of samples.
  package let count: Int
  /// The storage of the sizes.
  package let layout: Layout

  /// Reads an `stsz`; throws when the bytes have no room for the sizes that it claims.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 0)
    let size = try reader.read(UInt32.self)
    if size == 0 {
      layout = .words
      count = try reader.readEntryCount(bitsPerEntry: 32)
    } else {
      layout = .uniform(size)
      count = Int(try reader.read(UInt32.self))
    }
    self.payload = payload
  }

  /// Reads an `stz2`; throws when the bytes have no room for the sizes that it claims, or when its fields are not
  /// 4, 8 or 16 bits wide.
  package init(compactPayload payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 0)
    let bits = try reader.read(UInt32.self) & 0xFF  // After three reserved bytes.
    guard bits == 4 || bits == 8 || bits == 16 else {
      throw MovieError(.malformed, at: 7, "fields of \(bits) bits, they can have 4, 8 or 16")
    }
    layout = .compact(bitsPerField: Int(bits))
    count = try reader.readEntryCount(bitsPerEntry: UInt64(bits))
    self.payload = payload
  }

  /// The size of all samples together.
  ///
  /// Costs one pass over the sizes, or nothing where all are equal.
  package var totalByteCount: UInt64 { byteCount(of: 0..<count) }

  /// The size of the samples of `range` together; `range` must lie within `0..<count`.
  ///
  /// Less than 2³² samples of less than 2³² bytes: it cannot overflow. Costs one pass over the range, or nothing where
  /// all sizes are equal.
  package func byteCount(of range: Range<Int>) -> UInt64 {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range of samples outside the table")
    if range.count == count { TablePass.sizes.begin() }
    var total: UInt64 = 0
    switch layout {
    case .uniform(let size):
      total = UInt64(size) &* UInt64(range.count)
    case .words:
      total = payload.sumOfWords(at: 12 &+ range.lowerBound &* 4, count: range.count)
    case .compact:
      for index in range { total &+= UInt64(self[index]) }
    }
    return total
  }

  /// The same; quicker where chunks have few samples, as programs write that start one whenever tracks alternate.
  @inline(__always)
  func byteCount(ofChunk samples: Range<Int>) -> UInt64 {
    guard case .words = layout, samples.count <= 8, samples.upperBound <= count else { return byteCount(of: samples) }
    var total: UInt64 = 0
    for index in samples { total &+= UInt64(payload.entry(at: 12 &+ index &* 4, as: UInt32.self)) }
    return total
  }

  /// The size of a sample, as the subscript gives it; quicker, for walks over many.
  @inline(__always)
  func size(at index: Int) -> UInt32 {
    guard case .words = layout, index >= 0, index < count else { return self[index] }
    return payload.entry(at: 12 &+ index &* 4, as: UInt32.self)
  }

  /// The size of the largest sample; 0 for none. Costs one pass, or nothing where all sizes are equal.
  var largest: UInt32 {
    TablePass.sizes.begin()
    return switch layout {
    case .uniform(let size): size
    case .words: payload.bounds(of: UInt32.self, at: 12, count: count, stride: 4)?.upperBound ?? 0
    case .compact(let bits): UInt32.max >> UInt32(clamping: 32 - bits)  // More than any can be, and near enough.
    }
  }
}

extension SampleSizeTable: EntryTable {
  /// The size in bytes of the sample at `index`, which must be below `count`.
  package subscript(index: Int) -> UInt32 {
    precondition(index >= 0 && index < count, "index of a sample outside the table")
    // Each offset lies in what the initialisers checked.
    switch layout {
    case .uniform(let size): return size
    case .words: return payload.entry(at: 12 &+ index &* 4, as: UInt32.self)
    case .compact(bitsPerField: 16): return UInt32(payload.entry(at: 12 &+ index &* 2, as: UInt16.self))
    case .compact(bitsPerField: 8): return UInt32(payload.entry(at: 12 &+ index, as: UInt8.self))
    case .compact:  // Two in a byte, the high one first.
      let pair = payload.entry(at: 12 &+ index / 2, as: UInt8.self)
      return UInt32(index.isMultiple(of: 2) ? pair >> 4 : pair & 0xF)
    }
  }
}

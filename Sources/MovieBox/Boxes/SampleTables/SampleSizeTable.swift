/// The sizes of the samples: `stsz`, or its compact form `stz2`.
///
/// The table is a view of the bytes: a size is decoded when it is accessed. If all sizes are equal, the file stores
/// no table, so ``count`` is not limited by the size of the atom.
package struct SampleSizeTable: AtomPayload {
  /// The encoding of the sizes in the file.
  package enum Layout: Hashable, Sendable {
    /// All samples have this size in bytes. The size is not 0.
    case uniform(UInt32)
    /// Fields of 32 bits (`stsz`).
    case words
    /// Fields of 4, 8 or 16 bits (`stz2`).
    case compact(bitsPerField: Int)
  }

  /// The bytes after the atom's header, including sizes and tail.
  package let payload: Bytes
  package let count: Int
  package let layout: Layout

  /// Reads an `stsz`. Throws if the declared sizes do not fit in the bytes.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upToVersion: 0)
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

  /// Reads an `stz2`. Throws if the declared sizes do not fit in the bytes, or if fields do not have 4, 8 or 16 bits.
  package init(compactPayload payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upToVersion: 0)
    let bits = try reader.read(UInt32.self) & 0xFF  // The field follows three reserved bytes.
    guard bits == 4 || bits == 8 || bits == 16 else {
      throw MovieError(.malformed, at: 7, "size fields have \(bits) bits, not 4, 8 or 16")
    }
    layout = .compact(bitsPerField: Int(bits))
    count = try reader.readEntryCount(bitsPerEntry: UInt64(bits))
    self.payload = payload
  }

  /// The total size of all samples.
  ///
  /// Makes one pass over the sizes, or requires constant time if all sizes are equal.
  package var totalByteCount: UInt64 { byteCount(of: 0..<count) }

  /// Returns the total size of the samples in `range`, which must lie within `0..<count`.
  ///
  /// The sum cannot overflow: fewer than 2³² samples have less than 2³² bytes each. Makes one pass over the range, or
  /// requires constant time if all sizes are equal.
  package func byteCount(of range: Range<Int>) -> UInt64 {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range of samples is outside the table")
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

  /// Returns the total size of a chunk's samples, as ``byteCount(of:)`` does. This method is faster than
  /// ``byteCount(of:)`` if chunks contain few samples, as in the files of some writers.
  @inline(__always)
  func byteCount(ofChunk samples: Range<Int>) -> UInt64 {
    guard case .words = layout, samples.count <= 8, samples.upperBound <= count else { return byteCount(of: samples) }
    var total: UInt64 = 0
    for index in samples { total &+= UInt64(payload.entry(at: 12 &+ index &* 4, as: UInt32.self)) }
    return total
  }

  /// Returns the size of the sample at `index`, as the subscript does. This method is faster than the subscript in
  /// passes over many samples.
  @inline(__always)
  func size(at index: Int) -> UInt32 {
    guard case .words = layout, index >= 0, index < count else { return self[index] }
    return payload.entry(at: 12 &+ index &* 4, as: UInt32.self)
  }

  /// An upper bound for the sample sizes, or 0 if there are no samples. Makes one pass, or requires constant time if all
  /// sizes are equal. Unless the table is compact, the bound is at most twice the largest size.
  var sizeBound: UInt32 {
    TablePass.sizes.begin()
    return switch layout {
    case .uniform(let size): size
    case .words: payload.upperBoundOfWords(at: 12, count: count)
    // The largest number that a field can store is a sufficient bound.
    case .compact(let bits): UInt32.max >> UInt32(clamping: 32 - bits)
    }
  }
}

extension SampleSizeTable: EntryTable {
  /// The size in bytes of the sample at `index`, which must be below `count`.
  package subscript(index: Int) -> UInt32 {
    precondition(index >= 0 && index < count, "the index of the sample is outside the table")
    // The initializers checked that all offsets are in the payload.
    switch layout {
    case .uniform(let size): return size
    case .words: return payload.entry(at: 12 &+ index &* 4, as: UInt32.self)
    case .compact(bitsPerField: 16): return UInt32(payload.entry(at: 12 &+ index &* 2, as: UInt16.self))
    case .compact(bitsPerField: 8): return UInt32(payload.entry(at: 12 &+ index, as: UInt8.self))
    case .compact:  // A byte contains two sizes, and the upper half is the first.
      let pair = payload.entry(at: 12 &+ index / 2, as: UInt8.self)
      return UInt32(index.isMultiple(of: 2) ? pair >> 4 : pair & 0xF)
    }
  }
}

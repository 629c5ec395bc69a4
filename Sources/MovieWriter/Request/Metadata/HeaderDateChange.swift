import MovieBox

/// The change to the dates in the headers of a movie, its tracks and their media.
struct HeaderDateChange: Hashable, Sendable {
  /// The seconds since 1904 that become the date of creation, or `nil` if the old dates stay.
  var creation: UInt64?
  /// The seconds by which all dates are moved.
  var shift: Int64 = 0

  /// The new dates of a header with these. A date of 0 is not set, and is not moved.
  func dates(_ creation: UInt64, _ modification: UInt64) -> (creation: UInt64, modification: UInt64) {
    func shifted(_ seconds: UInt64) -> UInt64 {
      seconds == 0 ? 0 : UInt64(clamping: Int128(seconds) + Int128(shift))
    }
    return (shifted(self.creation ?? creation), shifted(modification))
  }

  /// Whether a date moved by this change is after 1904, and fits the field of a header.
  func canMove(_ seconds: UInt64, version: UInt8) -> Bool {
    let sum = Int128(seconds) + Int128(shift)
    return seconds == 0 || 1...Int128(version == 0 ? UInt64(UInt32.max) : UInt64(Int64.max)) ~= sum
  }

  func apply(to header: inout MovieHeader) {
    (header.creationTime, header.modificationTime) = dates(header.creationTime, header.modificationTime)
  }

  func apply(to header: inout TrackHeader) {
    (header.creationTime, header.modificationTime) = dates(header.creationTime, header.modificationTime)
  }

  func apply(to header: inout MediaHeader) {
    (header.creationTime, header.modificationTime) = dates(header.creationTime, header.modificationTime)
  }
}

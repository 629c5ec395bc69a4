/// How long a movie is with all its fragments: the `mehd` atom, versions 0 and 1 (ISO/IEC 14496-12 8.8.2).
package struct MovieExtendsHeader {
  /// 0, or 1 with a duration of 64 bits.
  package var version: UInt8
  /// 24 bits of flags; 0.
  package var flags: UInt32
  /// The duration of the longest track with its fragments, in movie ticks; some writers leave 0.
  package var fragmentDuration: UInt64
  /// What follows the known fields.
  package var tail: Bytes

  /// A header of these values; without a version, the lowest that holds them.
  package init(version: UInt8? = nil, flags: UInt32 = 0, fragmentDuration: UInt64, tail: Bytes = Bytes()) {
    self.version = version ?? PayloadVersion.holding(fragmentDuration)
    self.flags = flags
    self.fragmentDuration = fragmentDuration
    self.tail = tail
  }
}

extension MovieExtendsHeader: FieldedPayload {
  package static var unread: MovieExtendsHeader { MovieExtendsHeader(fragmentDuration: 0) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.fullAtomHeader(&version, &flags, newest: 1)
    try visitor.field(&fragmentDuration, "fragment duration", .versioned(version))
    try visitor.field(&tail, nil, .rest)
  }
}

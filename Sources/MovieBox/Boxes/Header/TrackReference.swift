/// The tracks that a track refers to in one way: a child of `tref`, of any type (QTFF "Track Reference Atoms").
package struct TrackReference {
  /// The IDs of the tracks; 0 is an unused slot.
  package var trackIDs: [UInt32]
  /// Up to three bytes after the last whole ID.
  package var tail: Bytes

  /// A reference to these tracks.
  package init(trackIDs: [UInt32], tail: Bytes = Bytes()) {
    self.trackIDs = trackIDs
    self.tail = tail
  }
}

extension TrackReference: FieldedPayload {
  package static var unread: TrackReference { TrackReference(trackIDs: []) }

  package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.field(&trackIDs, "tracks", .trackIDs)
    try visitor.field(&tail, nil, .rest)
  }
}

extension FieldFormat<[UInt32]> {
  /// As many track IDs as there are.
  fileprivate static var trackIDs: FieldFormat {
    FieldFormat(
      read: { reader throws(MovieError) in
        var ids: [UInt32] = []
        while reader.remaining >= 4 { ids.append(try reader.read()) }
        return ids
      },
      write: { ids, writer in for id in ids { writer.write(id) } },
      text: { ids in ids.map(String.init).joined(separator: ", ") })
  }
}

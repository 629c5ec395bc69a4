/// The tracks that a track refers to in one way: a child of `tref`, of any type (QTFF "Track Reference Atoms").
public struct TrackReference {
  /// The IDs of the tracks; 0 is an unused slot.
  public var trackIDs: [UInt32]
  /// Up to three bytes after the last whole ID.
  public var tail: Bytes

  /// A reference to these tracks.
  public init(trackIDs: [UInt32], tail: Bytes = Bytes()) {
    self.trackIDs = trackIDs
    self.tail = tail
  }
}

extension TrackReference: AtomPayload {
  /// Parses the track IDs.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    trackIDs = []
    while reader.remaining >= 4 {
      trackIDs.append(try reader.read())
    }
    tail = reader.readRest()
  }

  /// Writes the track IDs.
  public func write(to writer: inout ByteWriter) {
    for trackID in trackIDs { writer.write(trackID) }
    writer.write(tail)
  }
}

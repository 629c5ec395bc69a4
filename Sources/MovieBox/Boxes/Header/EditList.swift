/// Which parts of a track's media are shown when: the `elst` atom, versions 0 and 1 (QTFF "Edit List Atoms").
public struct EditList {
  /// One edit.
  public struct Entry: Hashable, Sendable {
    /// How long the edit lasts, in movie ticks; 0 in a fragmented movie means the rest of the track.
    public var segmentDuration: UInt64
    /// Where in the media it begins, in media ticks; -1 for an empty edit.
    public var mediaTime: Int64
    /// How fast the media runs, 16.16.
    public var mediaRate: Int32

    /// An edit of these values.
    public init(segmentDuration: UInt64, mediaTime: Int64, mediaRate: Int32 = 0x1_0000) {
      self.segmentDuration = segmentDuration
      self.mediaTime = mediaTime
      self.mediaRate = mediaRate
    }

    /// Whether nothing is shown for the length of the edit.
    public var isEmptyEdit: Bool { mediaTime == -1 }
  }

  /// 0, or 1 with durations and times of 64 bits.
  public var version: UInt8
  /// 24 bits of flags; 0.
  public var flags: UInt32
  /// The edits, in the order in which they are shown.
  public var entries: [Entry]
  /// What follows the last edit.
  public var tail: Bytes

  /// A list of these edits; without a version, the lowest that holds them.
  public init(version: UInt8? = nil, flags: UInt32 = 0, entries: [Entry], tail: Bytes = Bytes()) {
    let fitsVersion0 = entries.allSatisfy {
      UInt32(exactly: $0.segmentDuration) != nil && Int32(exactly: $0.mediaTime) != nil
    }
    self.version = version ?? (fitsVersion0 ? 0 : 1)
    self.flags = flags
    self.entries = entries
    self.tail = tail
  }
}

extension EditList: AtomPayload {
  /// Parses `elst`. Throws when there is no room for the edits that it claims, and for versions above 1.
  public init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 1)
    version = header.version
    flags = header.flags
    let declared = try reader.read(UInt32.self)
    entries = []
    for _ in 0..<(try reader.checkedCount(declared, width: version == 0 ? 12 : 20)) {
      let segmentDuration = try reader.readVersioned(version)
      let mediaTime = version == 0 ? Int64(try reader.read(Int32.self)) : try reader.read(Int64.self)
      let mediaRate = try reader.read(Int32.self)
      entries.append(Entry(segmentDuration: segmentDuration, mediaTime: mediaTime, mediaRate: mediaRate))
    }
    tail = reader.readRest()
  }

  /// Writes `elst`. Durations and times must fit the version.
  public func write(to writer: inout ByteWriter) {
    writer.write(FullAtomHeader(version: version, flags: flags))
    writer.write(UInt32(clamping: entries.count))
    for entry in entries {
      writer.writeVersioned(entry.segmentDuration, version)
      if version == 0 {
        let mediaTime = Int32(truncatingIfNeeded: entry.mediaTime)
        precondition(Int64(mediaTime) == entry.mediaTime, "a media time beyond 32 bits wants version 1")
        writer.write(mediaTime)
      } else {
        writer.write(entry.mediaTime)
      }
      writer.write(entry.mediaRate)
    }
    writer.write(tail)
  }
}

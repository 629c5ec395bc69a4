/// What a sink did.
public struct SinkReport: Hashable, Sendable {
  /// Bytes that went through memory to the disk, the copied ones included.
  public internal(set) var bytesWritten: UInt64 = 0
  /// Of these, bytes that were copied from the source.
  public internal(set) var bytesCopied: UInt64 = 0
  /// Bytes that the new file shares with the source instead of having a copy.
  public internal(set) var bytesCloned: UInt64 = 0
  /// How often the sink waited until something was on the disk.
  public internal(set) var syncs = 0
  /// How many other names the replaced file has; they still name the old movie.
  public internal(set) var otherHardLinks: UInt64 = 0
  /// What could not be carried over from the replaced file: `owner`, `group`, names of extended attributes.
  public internal(set) var lostAttributes: [String] = []

  /// Nothing done.
  init() {}
}

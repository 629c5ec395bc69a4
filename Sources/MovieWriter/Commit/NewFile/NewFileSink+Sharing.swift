import MovieBox

extension NewFileSink {
  /// The size of the blocks that a new file of this name could share with `source`; `nil` where it shares none.
  ///
  /// Some file systems (btrfs, XFS, APFS) let files have blocks in common: what is shared need not be written. Tried
  /// with a file that has no name and is gone at once.
  static func sharedBlockByteCount(
    with source: some RandomAccessSource, at path: String, on disk: any FileSystem = LocalFileSystem()
  ) -> UInt64? {
    // Of several joined, the movie's own comes first.
    let first = (source as? JoinedSource)?.sources.first ?? source
    guard let file = first as? FileSource else { return nil }
    do {
      let isLink = try disk.status(at: path, followingLinks: false) != nil
      let folder = FilePath(isLink ? try disk.resolve(path) : path).folder
      let block = try disk.volume(of: folder).blockSize
      guard block > 0, block <= PlanFiller<FileSource>.smallestClone, try file.identity().byteCount >= block else {
        return nil
      }
      return disk.sharesBlocks(of: file.descriptor, blockSize: block, in: folder) ? block : nil
    } catch {
      return nil  // Whoever then writes the file learns why.
    }
  }
}

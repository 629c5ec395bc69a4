import MovieBox

/// The samples at which decoding can begin though the pictures that are shown right before are missing: `stps` in
/// QuickTime movies, groups of the type `rap ` in ISO files (ISO/IEC 14496-12 10.4).
enum PartialSyncSamples {
  private static let groupingType: FourCC = "rap "
  /// Three hours at 100 pictures a second, of which every one is a point to begin at.
  private static let limit = 1_080_000

  /// `sgpd` and `sbgp` that say what `stps` does; samples are counted from 1, in order.
  static func groups(of numbers: SyncSampleTable) -> (descriptions: [UInt8], samples: [UInt8]) {
    var descriptions = ByteWriter()
    descriptions.atom("sgpd") { sgpd in
      sgpd.write(FullAtomHeader(version: 1))
      sgpd.write(groupingType)
      sgpd.write(UInt32(1))  // How long a description is.
      sgpd.write(UInt32(1))
      sgpd.write(UInt8(0))  // How many samples to leave out is not known.
    }
    var runs = RunLengths<UInt32>()
    for number in numbers {
      guard let index = Int(exactly: number), index > runs.count else { continue }
      runs.fill(to: index - 1, with: 0)
      runs.append(1)
    }
    var samples = ByteWriter()
    samples.atom("sbgp") { sbgp in
      sbgp.write(FullAtomHeader())
      sbgp.write(groupingType)
      sbgp.write(UInt32(clamping: runs.runs.count))
      for run in runs.runs {
        sbgp.write(UInt32(clamping: run.count))
        sbgp.write(run.value)
      }
    }
    return (descriptions.bytes, samples.bytes)
  }

  /// `stps` for the samples that groups say so of, but those of `stss`; `nil` where there are none.
  static func table(in stbl: Int, of tree: AtomTree, _ track: Track) throws(MovieError) -> [UInt8]? {
    for atom in tree.children(of: stbl, "sbgp") {
      let groups = try tree.decode(SampleToGroupTable.self, at: atom)
      guard groups.groupingType == groupingType else { continue }
      var sync = track.samples.syncSamples?.makeIterator()
      var nextSync = sync?.next()
      var numbers: [UInt32] = []
      var sample: UInt64 = 1
      for entry in groups {
        let end = Swift.min(sample + UInt64(entry.sampleCount), UInt64(track.samples.sampleCount) + 1)
        // One entry may claim any number: no film has a million samples that only this makes points to begin at.
        guard entry.descriptionIndex == 0 || numbers.count + Int(clamping: end - Swift.min(sample, end)) <= limit else {
          throw MovieError(.limit, in: "moov", "more than \(limit) random access points (rap) in track \(track.id)")
        }
        while sample < end, entry.descriptionIndex > 0 {
          while let number = nextSync, UInt64(number) < sample { nextSync = sync?.next() }
          if nextSync.map({ UInt64($0) }) != sample { numbers.append(UInt32(clamping: sample)) }
          sample += 1
        }
        sample = Swift.max(sample, end)
      }
      guard !numbers.isEmpty else { return nil }
      var writer = ByteWriter()
      writer.atom("stps") { stps in
        stps.write(FullAtomHeader())
        stps.write(UInt32(clamping: numbers.count))
        for number in numbers { stps.write(number) }
      }
      return writer.bytes
    }
    return nil
  }
}

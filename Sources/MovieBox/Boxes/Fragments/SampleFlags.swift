/// What a fragment says of how samples depend on one another: 32 bits (ISO/IEC 14496-12 8.8.3.1).
package struct SampleFlags: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The bits as they stand in the file.
  package let rawValue: UInt32

  /// Flags of these bits.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Whether decoding cannot start at the sample: the opposite of being listed in `stss`.
  package var isNonSync: Bool { rawValue & 0x1_0000 != 0 }
  /// Whether decoding can start at the sample.
  package var isSync: Bool { !isNonSync }
  /// The flags for a sample of text, which can be shown without others (8.6.4.3: `sample_depends_on` is 2, not 1). FFmpeg
  /// 5.1 says otherwise of samples that show nothing.
  package var correctedForText: SampleFlags {
    guard isNonSync else { return self }
    let dependsOnOthers: UInt32 = 0x100_0000
    let isDependent = rawValue & 0x300_0000 == dependsOnOthers
    return SampleFlags(rawValue: rawValue & ~0x1_0000 ^ (isDependent ? 0x300_0000 : 0))
  }
  /// The dependencies as the byte that `sdtp` has for the sample (8.6.4).
  package var dependencyByte: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 20) }
  /// How many bits at the end of the sample mean nothing, 0 to 7 (as in `padb`).
  package var paddingBitCount: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 17 & 0x7) }
  /// How early the sample is given up, as in `stdp`.
  package var degradationPriority: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}

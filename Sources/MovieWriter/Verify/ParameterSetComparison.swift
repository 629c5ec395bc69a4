import MovieBox

/// Compares sample descriptions of HEVC that are renamed because their configuration contains all parameter sets.
///
/// It knows nothing of what writes them: each byte that differs has to be one of the format's name, or the first of an
/// array of parameter sets with the bit of completeness added.
enum ParameterSetComparison {
  static let reason = "more than the format's name and the completeness of its parameter sets changed"

  /// Whether the new list is the old one with `hvc1` for `hev1`, `dvh1` for `dvhe`, and all arrays of video, sequence and
  /// picture parameter sets marked as complete.
  static func declaresComplete(old: SampleDescriptions, new: SampleDescriptions) -> Bool {
    guard old.version == new.version, old.flags == new.flags, old.tail == new.tail,
      old.entries.count == new.entries.count
    else { return false }
    return zip(old.entries, new.entries).allSatisfy(declaresComplete)
  }

  private static let names: [FourCC: FourCC] = ["hev1": "hvc1", "dvhe": "dvh1"]

  private static func declaresComplete(old: SampleEntry, new: SampleEntry) -> Bool {
    guard names[old.format] == new.format, old.reserved == new.reserved,
      old.dataReferenceIndex == new.dataReferenceIndex, old.body.count == new.body.count,
      let arrays = arrays(in: old.body)
    else { return false }
    return zip(old.body, new.body).enumerated().allSatisfy { offset, bytes in
      bytes.1 == (arrays.contains(offset) ? bytes.0 | 0x80 : bytes.0)
    }
  }

  /// The bytes of fields before the atoms of a video sample description (ISO/IEC 14496-12, 12.1.3.2).
  private static let fieldByteCount = 70

  /// The offsets of the arrays of parameter sets in a description, or `nil` unless there is one of each type.
  private static func arrays(in body: Bytes) -> Set<Int>? {
    var position = fieldByteCount
    while let size = body.load(at: position, as: UInt32.self), let type = body.load(at: position + 4, as: UInt32.self) {
      guard size >= 8, Int(size) <= body.count - position else { return nil }
      if FourCC(rawValue: type) == "hvcC" { return arrays(in: body, position + 8, end: position + Int(size)) }
      position += Int(size)
    }
    return nil
  }

  /// The offsets of the arrays in `hvcC` (ISO/IEC 14496-15, 8.3.3.1.2), or `nil` unless there is one of each type.
  private static func arrays(in body: Bytes, _ start: Int, end: Int) -> Set<Int>? {
    var (found, types, position): (Set<Int>, Set<UInt8>, Int) = ([], [], start + 23)
    guard position <= end else { return nil }
    for _ in 0..<body[start + 22] {
      guard position + 3 <= end, let count = body.load(at: position + 1, as: UInt16.self) else { return nil }
      let type = body[position] & 0x3F
      if (32...34).contains(type), count > 0 { types.insert(type) }
      if (32...34).contains(type) { found.insert(position) }
      position += 3
      for _ in 0..<count {
        guard position + 2 <= end, let length = body.load(at: position, as: UInt16.self),
          Int(length) <= end - position - 2
        else { return nil }
        position += 2 + Int(length)
      }
    }
    return types.count == 3 ? found : nil
  }
}

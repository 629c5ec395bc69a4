import MovieBox

/// Decodes the payload of every atom in a tree by its type. Encoding a decoded payload must result in the original
/// bytes.
func readPayloads(of tree: AtomTree) {
  consume(tree.defects.map(\.description))
  for index in tree.atoms.indices {
    consume((tree.path(of: index), tree.range(of: index), tree.head(of: index), tree.tail(of: index)))
    let type = tree[index].type
    let parent = tree[index].parent.map { tree[$0].type }
    if parent == "tref" { check(TrackReference.self, at: index, of: tree) }
    if parent == "udta", type.rawValue >> 24 == 0xA9 { check(UserDataText.self, at: index, of: tree) }
    if let read = readers[type] { read(tree, index) }
  }
}

private typealias Reader = @Sendable (AtomTree, Int) -> Void

private let readers: [FourCC: Reader] = [
  "ftyp": { check(FileType.self, at: $1, of: $0) },
  "mvhd": { check(MovieHeader.self, at: $1, of: $0) },
  "tkhd": { check(TrackHeader.self, at: $1, of: $0) },
  "mdhd": { check(MediaHeader.self, at: $1, of: $0) },
  "hdlr": { check(HandlerReference.self, at: $1, of: $0) },
  "elng": { check(ExtendedLanguage.self, at: $1, of: $0) },
  "elst": { check(EditList.self, at: $1, of: $0) },
  "dref": { check(DataReference.self, at: $1, of: $0) },
  "vmhd": { check(VideoMediaHeader.self, at: $1, of: $0) },
  "smhd": { check(SoundMediaHeader.self, at: $1, of: $0) },
  "nmhd": { check(NullMediaHeader.self, at: $1, of: $0) },
  "gmin": { check(BaseMediaInfo.self, at: $1, of: $0) },
  "stsd": { check(SampleDescriptions.self, at: $1, of: $0) },
  "stts": { check(TimeToSampleTable.self, at: $1, of: $0) },
  "ctts": { check(CompositionOffsetTable.self, at: $1, of: $0) },
  "stsc": { check(SampleToChunkTable.self, at: $1, of: $0) },
  "stsz": { check(SampleSizeTable.self, at: $1, of: $0) },
  "stss": { check(SyncSampleTable.self, at: $1, of: $0) },
  "name": { check(TrackName.self, at: $1, of: $0) },
  "tnam": { check(LocalizedTrackName.self, at: $1, of: $0) },
  "titl": { check(TrackTitle.self, at: $1, of: $0) },
  "kind": { check(TrackKind.self, at: $1, of: $0) },
  "tagc": { check(TaggedCharacteristic.self, at: $1, of: $0) },
  "mehd": { check(MovieExtendsHeader.self, at: $1, of: $0) },
  "trex": { check(TrackExtends.self, at: $1, of: $0) },
  "mfhd": { check(MovieFragmentHeader.self, at: $1, of: $0) },
  "tfhd": { check(TrackFragmentHeader.self, at: $1, of: $0) },
  "tfdt": { check(TrackFragmentDecodeTime.self, at: $1, of: $0) },
  "trun": { check(TrackRun.self, at: $1, of: $0) },
  "sidx": { check(SegmentIndex.self, at: $1, of: $0) },
  "sgpd": { check(SampleGroupDescriptions.self, at: $1, of: $0) },
  "sbgp": { check(SampleToGroupTable.self, at: $1, of: $0) },
  "saiz": { check(AuxiliaryInformationSizes.self, at: $1, of: $0) },
  "saio": { check(AuxiliaryInformationOffsets.self, at: $1, of: $0) },
  "tx3g": { check(Tx3gDescription.self, sampleEntryAt: $1, of: $0) },
  "avc1": { check(VideoDescription.self, sampleEntryAt: $1, of: $0) },
  "mp4a": { check(SoundDescription.self, sampleEntryAt: $1, of: $0) },
]

private func check<Payload: AtomPayload>(_ type: Payload.Type, at index: Int, of tree: AtomTree) {
  check(type, tree.payload(of: index))
}

/// Checks the payload after the eight bytes with which all sample descriptions begin.
private func check<Payload: AtomPayload>(_ type: Payload.Type, sampleEntryAt index: Int, of tree: AtomTree) {
  check(type, tree.payload(of: index).dropFirst(8))
}

private func check<Payload: AtomPayload>(_ type: Payload.Type, _ bytes: Bytes) {
  guard let payload = attempt("\(type)", { try Payload(payload: bytes) }) else { return }
  if Bytes(payload.payloadBytes) != bytes { fault("\(type) is not written as it was read: \(bytes.array)") }
}

import MovieBox

// Online stores write the buyer of a movie into its sample descriptions. iTunes writes the name and account number of
// the buyer. They are in `sinf/schi`, next to the key IDs, if the track is protected. In iTunes Plus files, they are in
// `pinf`, which only iTunes reads.
extension SharingPolicy {
  /// The children of `schi` that identify a buyer. They contain the name, the account, rights with purchase numbers,
  /// data that is encrypted for the buyer, and signatures.
  private static let buyersAtoms: Set<FourCC> = ["name", "user", "righ", "priv", "sign", "cert"]

  /// Returns the body of a description without `pinf`, and with zeros instead of the buyer in `schi`.
  ///
  /// - Parameter byteCount: the size of the atoms at the end of the body.
  static func withoutBuyer(_ body: [UInt8], last byteCount: Int) -> [UInt8] {
    let bytes = Bytes(body)
    var writer = ByteWriter()
    let start = Swift.max(0, body.count - byteCount)
    writer.write(bytes.slice(at: 0, count: start) ?? Bytes())
    var list = AtomList(bytes, from: start, allowsOpenEnd: true)
    while let atom = list.next() {
      guard atom.type != "pinf" else { continue }
      var copy = bytes.slice(at: atom.range.lowerBound, count: atom.range.count)?.array ?? []
      clearBuyer(in: &copy, payload: atom.payloadRange.lowerBound - atom.range.lowerBound, of: atom.type, depth: 0)
      writer.write(copy)
    }
    writer.write(list.rest)
    return writer.bytes
  }

  /// Overwrites the buyer in the children of an atom with zeros.
  private static func clearBuyer(in atom: inout [UInt8], payload: Int, of type: FourCC, depth: Int) {
    guard depth < 4, ["sinf", "schi", "wave", "pinf"].contains(type) else { return }
    for child in AtomList(Bytes(atom), from: payload, allowsOpenEnd: true) {
      if type == "schi" && buyersAtoms.contains(child.type) || child.type == "pinf" {
        atom.replaceSubrange(child.payloadRange, with: repeatElement(0, count: child.payload.count))
      } else if child.range.upperBound <= atom.count {
        var copy = Array(atom[child.range])
        clearBuyer(
          in: &copy, payload: child.payloadRange.lowerBound - child.range.lowerBound, of: child.type, depth: depth + 1)
        atom.replaceSubrange(child.range, with: copy)
      }
    }
  }

  /// Returns the decisions about sample descriptions, sample groups and loudness. The buyer is removed, and unknown
  /// contents are kept.
  static func decisionsOnDescriptions(
    of movie: Movie, _ descriptions: [Int: FourCC], tracks keptIDs: Set<UInt32>
  ) -> [MovieEdit.SharingDecision] {
    let tree = movie.tree
    var decisions: [MovieEdit.SharingDecision] = []
    var knownDecisions: Set<MovieEdit.SharingDecision> = []
    var buyersTracks: Set<UInt32> = []
    func unknown(_ subject: String, _ trackID: UInt32?) {
      let decision = MovieEdit.SharingDecision(
        subject: subject, trackID: trackID, isKept: true, reason: "unknown, but may be needed for playback")
      if knownDecisions.insert(decision).inserted { decisions.append(decision) }
    }
    for track in movie.tracks where keptIDs.contains(track.id) {
      for index in track.atom..<tree[track.atom].subtreeEnd {
        if descriptions[index] != nil {
          for child in index + 1..<Swift.max(index + 1, tree[index].subtreeEnd)
          where !knownAtoms.contains(tree[child].type) && !buyersAtoms.contains(tree[child].type) {
            unknown(tree.path(of: child), track.id)
          }
          guard !buyersTracks.contains(track.id), identifiesBuyer(tree.bytes(of: index), of: track) else { continue }
          buyersTracks.insert(track.id)
          let isProtected = (index..<tree[index].subtreeEnd).contains { tree[$0].type == "schi" }
          decisions.append(
            .init(
              subject: buyersSubject, trackID: track.id, isKept: false,
              reason: "identifies the buyer"
                + (isProtected ? "; no player can play the protected track without it" : "")))
        } else if tree[index].type == "sgpd",
          let type = tree.payload(of: index).load(at: 4, as: UInt32.self).map({ FourCC(rawValue: $0) }),
          !knownGroups.contains(type)
        {
          unknown("\(tree.path(of: index)) '\(type)'", track.id)
        }
      }
    }
    for index in tree.root..<tree[tree.root].subtreeEnd where tree[index].type == "ludt" {
      let track = movie.track(containing: index)
      if let track, !keptIDs.contains(track.id) { continue }
      for child in tree.children(of: index) where !["tlou", "alou"].contains(tree[child].type) {
        unknown(tree.path(of: child), track?.id)
      }
      if tree[index].subtreeEnd == index + 1, !tree.payload(of: index).isEmpty {
        unknown(tree.path(of: index), track?.id)
      }
    }
    return decisions
  }

  static let buyersSubject = "name and account of the buyer"

  /// Whether a description contains a buyer.
  private static func identifiesBuyer(_ atom: Bytes, of track: Track) -> Bool {
    guard let handler = track.handler?.handlerType else { return false }
    do throws(MovieError) {
      var reader = ByteReader(atom)
      let entry = try SampleEntry(reading: &reader)
      return try withoutBuyer(entry, ofMedia: handler).body != entry.body
    } catch {
      return false  // The caller rejects an unreadable description.
    }
  }

  /// Returns the description without its buyer.
  static func withoutBuyer(_ entry: SampleEntry, ofMedia handler: FourCC) throws(MovieError) -> SampleEntry {
    var entry = entry
    let tail: Int
    switch handler {
    case "vide", "auxv", "pict": tail = try VideoDescription(body: entry.body).tail.count
    case "soun": tail = try SoundDescription(body: entry.body).tail.count
    case "sbtl", "text", "subt", "clcp": tail = entry.body.count - timedTextFieldByteCount(entry)
    default: return entry
    }
    entry.body = Bytes(withoutBuyer(entry.body.array, last: tail))
    return entry
  }

  /// Returns the size of the fields before the atoms of a text description.
  private static func timedTextFieldByteCount(_ entry: SampleEntry) -> Int {
    ["tx3g", "drmt", "enct"].contains(entry.format) ? Swift.min(30, entry.body.count) : entry.body.count
  }

  /// The atoms in sample descriptions that decoders read or that cannot identify a person.
  private static let knownAtoms: Set<FourCC> = Set(
    ("avcC hvcC vvcC av1C vpcC evcC dvcC dvvC dvwC lhvC mvcC svcC esds colr pasp clap fiel gama btrt sinf rinf mdcv clli "
      + "SmDm CoLL st3d sv3d svhd proj prhd equi cbmp mesh vexu eyes stri hero cams cmfy must blin dadj pack pkin hfov amve "
      + "ccst auxi d263 bitr dac3 dec3 dac4 dmlp ddts udts dOps dfLa alac wave chan chnl srat pcmC dmix iods damr glbl "
      + "strf ACLR ARES APRG ADHR AALP jp2h dvc1 dvcC mhaC mhaP iacb frma enda samr free skip wide uuid pinf schm schi tenc "
      + "key iviV odkm ohdr oddr ftab ctab vttC vlab keys mdta keyd dtyp loca ctps setu sdpd lidp lidl jpgC jbrd name tcmi "
      + "SMI mp4a alis cfgv QDCA QDCP fmtX hvcE avcE SA3D logC dref")
      .split(separator: " ").compactMap { FourCC(String($0).padded(to: 4)) } + [FourCC(rawValue: 0)])

  /// The standard sample groups (ISO/IEC 14496-12, 14496-15, 23001-7).
  private static let knownGroups: Set<FourCC> = Set(
    ("roll rap sync tele tsas stsa prol seig scif scnm avss alst trif nalm tscl mvif vipr dtrt avll avcb oinf linf spor "
      + "sap rash refs eob lbli opth pase pasr casg msrc")
      .split(separator: " ").compactMap { FourCC(String($0).padded(to: 4)) })
}

extension String {
  /// Returns the string padded with spaces to a number of bytes.
  fileprivate func padded(to count: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, count - utf8.count))
  }
}

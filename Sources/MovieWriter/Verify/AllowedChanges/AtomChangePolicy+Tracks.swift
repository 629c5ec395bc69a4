import MovieBox

// The changes that every edit may make, and the changes of tracks, references, groups, labels and chapters.
extension AtomChangePolicy {
  /// Returns the changes that the requests of an edit allow. Every edit may change positions and `mvhd`.
  ///
  /// - Parameters:
  ///   - longestNewTrack: the duration of the longest new track, in movie ticks.
  ///   - durations: the movie's duration with its fragments. It is needed only if the edit keeps fragments and removes
  ///     a track. Otherwise, it is `nil`.
  static func edit(
    of resolved: ResolvedEdit, longestNewTrack: UInt64 = 0, _ durations: FragmentedDurations? = nil
  ) -> AtomChangePolicy {
    var policy = positions
    policy.join(tracks(resolved.tracks, longestNewTrack: longestNewTrack, durations))
    for (id, types) in resolved.requested.changedAtoms {
      policy.join(changes(of: types, inTrack: id, clearsPaths: resolved.sharing != nil))
    }
    for (id, types) in resolved.requested.changedLabels(in: resolved.movie.tree) {
      policy.join(labels(types, ofTrack: id))
    }
    if resolved.requestedChapters?.chapters.isEmpty ?? false { policy.join(removedChapters) }
    if let metadata = resolved.requestedMetadata { policy.join(.metadata(metadata)) }
    if let sharing = resolved.sharing { policy.join(.sharing(sharing, metadata: resolved.requestedMetadata)) }
    return policy
  }

  /// Positions of samples, auxiliary information and items may change. `checkPositions` and `checkChunks` verify them.
  static var positions: AtomChangePolicy {
    var policy = AtomChangePolicy()
    let positions = PayloadChange { atom throws(MovieError) in try changedPositions(atom) }
    policy.allow(.change(positions), at: .ending("meta", "iloc"), in: .anywhere)
    policy.join(samplePositions)
    return policy
  }

  /// Positions of samples and of their auxiliary information may change.
  static var samplePositions: AtomChangePolicy {
    var policy = AtomChangePolicy()
    let positions = PayloadChange { atom throws(MovieError) in try changedPositions(atom) }
    policy.allow(.change(positions), at: .ending("stbl"), ["stco", "co64", "saio"], in: .everyTrack)
    return policy
  }

  // MARK: - Added and removed tracks

  /// Tracks are added and removed, and the duration of the movie changes to the duration of its longest track.
  private static func tracks(
    _ tracks: ChangedTracks, longestNewTrack: UInt64, _ durations: FragmentedDurations?
  ) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    for id in tracks.new { policy.allow(.addition(), at: ["trak"], in: .track(id)) }
    for id in tracks.removed {
      policy.allow(.removal(), at: ["trak"], in: .track(id))
      policy.allow(.removal(), at: ["mvex"], ["trex", "trep"], in: .track(id))
    }
    let header = PayloadChange.fields(MovieHeader.self) { header, new, atom throws(MovieError) in
      header.nextTrackID = new.nextTrackID
      guard header.duration != 0, !header.isDurationUnknown else { return }
      let longest = tracks.removed.isEmpty ? nil : try longestTrack(in: atom.old)
      if longest == header.duration, let longestNow = try longestTrack(in: atom.new) {
        header.duration = longestNow
      } else {
        header.duration = max(header.duration, longestNewTrack)
      }
      if header.duration >= UInt64(UInt32.max) { header.version = 1 }
    }
    policy.allow(.change(header), at: ["mvhd"], in: .movie)
    // If `mehd` declares the duration of the longest track, and that track is removed, the duration becomes shorter.
    if let durations {
      let duration = PayloadChange.fields(MovieExtendsHeader.self) { header, _, _ in
        guard durations.matchesLongestTrack(header.fragmentDuration) else { return }
        header.fragmentDuration = min(header.fragmentDuration, durations.remainingTracks)
      }
      policy.allow(.change(duration), at: ["mvex", "mehd"], in: .movie)
    }
    return policy
  }

  /// Returns the duration of the longest track, or `nil` if the duration of any track is unknown.
  private static func longestTrack(in tree: AtomTree) throws(MovieError) -> UInt64? {
    var longestDuration: UInt64 = 0
    for trak in tree.children(of: tree.root, "trak") {
      guard let tkhd = tree.child(of: trak, "tkhd") else { return nil }
      let header = try tree.decode(TrackHeader.self, at: tkhd)
      if header.isDurationUnknown { return nil }
      longestDuration = max(longestDuration, header.duration)
    }
    return longestDuration
  }

  // MARK: - Changes in a track

  /// Atoms of these types may change in a kept track. ``RequestedTracks/changedAtoms`` lists the types.
  ///
  /// - Parameter clearsPaths: whether paths are removed from data references to the movie itself.
  static func changes(of types: Set<FourCC>, inTrack id: UInt32, clearsPaths: Bool = false) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    let scope = Scope.track(id)
    for type in types {
      switch type {
      case "tkhd":
        let use = PayloadChange.fields(TrackHeader.self, "flags and group") { header, new, _ in
          (header.alternateGroup, header.isEnabled) = (new.alternateGroup, new.isEnabled)
        }
        policy.allow(.change(use), at: ["trak", type], in: scope)
      case "tref": policy.allow(.addition(\.hasExemptContents), at: ["trak", type], in: scope)
      case "stsd":
        let names = PayloadChange.anyPayload(isWhole: true) { atom throws(MovieError) in
          let old = try SampleDescriptions(payload: atom.payload)
          return ParameterSetComparison.declaresComplete(
            old: old, new: try SampleDescriptions(payload: atom.newPayload))
        }
        policy.allow(.change(names), at: .sampleTable(type), in: scope)
      case "dref":
        let places = PayloadChange.fields(DataReference.self, "the data references", isWhole: true) {
          references, _, _ in
          for (index, entry) in references.entries.enumerated() {
            if clearsPaths || !entry.isSelfContained { references.entries[index].data = Bytes() }
            references.entries[index].flags |= 0x1
          }
        }
        policy.allow(.change(places), at: ["trak", "mdia", "minf", "dinf", type], in: scope)
      case "hdlr": policy.join(quickTimeHandler(inTrack: id))
      case "saiz", "saio": policy.allow(.addition(), at: .sampleTable(type), in: scope)
      default: policy.allow(.any(), at: ["trak", "tref", type], in: scope)
      }
    }
    return policy
  }

  /// The handler of a track may change from the form of ISO files to the form of QuickTime movies. The handler type,
  /// the name and all other fields are kept.
  static func quickTimeHandler(inTrack id: UInt32) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    let form = PayloadChange.anyPayload { atom throws(MovieError) in
      let old = try atom.old.decode(HandlerReference.self, at: atom.oldIndex)
      let new = try atom.new.decode(HandlerReference.self, at: atom.newIndex)
      var same = new
      (same.componentType, same.nameBytes) = (old.componentType, old.nameBytes)
      let counted = new.nameBytes.first.map { Int($0) < new.nameBytes.count } ?? false
      return old.componentType.rawValue == 0 && new.componentType == "mhlr" && counted && new.name == old.name
        && Bytes(same.payloadBytes) == atom.payload
    }
    policy.allow(.change(form), at: ["trak", "mdia", "hdlr"], in: .track(id))
    return policy
  }

  /// Labels in atoms of these types may change in a kept track. ``RequestedTracks/changedLabels(in:)`` lists the types,
  /// and RequestedTracksCheck compares the labels.
  static func labels(_ types: Set<FourCC>, ofTrack id: UInt32) -> AtomChangePolicy {
    var policy = AtomChangePolicy()
    let scope = Scope.track(id)
    for type in types {
      switch type {
      case "mdhd":
        let language = PayloadChange.fields(MediaHeader.self, "the language") { header, new, _ in
          header.languageCode = new.languageCode
        }
        policy.allow(.change(language), at: ["trak", "mdia", type], in: scope)
      case "stsd":
        let flags = PayloadChange.fields(SampleDescriptions.self, "the flags of forced subtitles", isWhole: true) {
          list, new, _ in
          list.copyForcedFlags(from: new)
        }
        policy.allow(.change(flags), at: .sampleTable(type), in: scope)
      case "elng": policy.allow(.any(), at: ["trak", "mdia", type], in: scope)
      case "txas": policy.allow(.any(), at: ["trak", type], in: scope)
      // A track without user data may get a `udta` if other rules allow everything in it.
      case "udta": policy.allow(.addition(\.hasExemptContents), at: ["trak", type], in: scope)
      default: policy.allow(.any(), at: ["trak", "udta", type], in: scope)
      }
    }
    return policy
  }

  /// Atoms that contained nothing but chapters may be removed.
  private static var removedChapters: AtomChangePolicy {
    var policy = AtomChangePolicy()
    func containsOnly(_ type: FourCC, _ place: AtomContext) -> Bool {
      let tail = place.tree.tail(of: place.index)
      let children = place.tree.children(of: place.index)
      return (tail.isEmpty || type == "chpl" && tail.isZero) && children.allSatisfy(place.exempts)
        && children.contains { place.tree[$0].type == type }
    }
    policy.allow(.removal { containsOnly("chap", $0) }, at: ["trak", "tref"], in: .everyTrack)
    policy.allow(.removal { containsOnly("chpl", $0) }, at: ["udta"], in: .movie)
    return policy
  }
}

extension SampleDescriptions {
  /// Copies the flags of forced subtitles from the timed-text descriptions of another list.
  fileprivate mutating func copyForcedFlags(from other: SampleDescriptions) {
    for (index, entry) in other.entries.enumerated() where entries.indices.contains(index) {
      guard entries[index].isTimedText, entry.isTimedText, let flags = entry.body.first else { continue }
      var body = entries[index].body.array
      guard let old = body.first else { continue }
      body[0] = old & 0x3F | flags & 0xC0
      entries[index].body = Bytes(body)
    }
  }
}

// MARK: - Payloads

extension AtomChangePolicy {
  /// Returns the new payload of a table of positions. Throws if anything but the positions changed.
  fileprivate static func changedPositions(_ atom: ChangedAtom) throws(MovieError) -> Bytes {
    let (before, after) = (atom.payload, atom.newPayload)
    let (type, newType) = (atom.old[atom.oldIndex].type, atom.new[atom.newIndex].type)
    guard type == newType || type == "stco" && newType == "co64" else {
      throw atom.refusal("its type became \(newType)")
    }
    switch type {
    case "stco", "co64":
      guard before.slice(at: 0, count: 8) == after.slice(at: 0, count: 8) else {
        throw atom.refusal("the number of chunks changed")
      }
      let count = Int(clamping: before.load(at: 4, as: UInt32.self) ?? 0)
      guard before.dropFirst(8 + count * width(of: type)) == after.dropFirst(8 + count * width(of: newType)) else {
        throw atom.refusal("the bytes after its table of positions changed")
      }
    case "saio":
      var reader = ByteReader(before)
      do throws(MovieError) {
        _ = try AuxiliaryInformationHead(&reader)
        _ = try reader.read(UInt32.self)  // This is the number of positions.
      } catch {
        throw atom.refusal("its header cannot be read")
      }
      guard before.count == after.count, before.prefix(reader.position).elementsEqual(after.prefix(reader.position))
      else { throw atom.refusal("more than its positions changed") }
    default:
      guard before.count == after.count else { throw atom.refusal("its size changed") }
    }
    return after
  }

  private static func width(of table: FourCC) -> Int { table == "co64" ? 8 : 4 }
}

/// Compares HEVC sample descriptions before and after a rename from `hev1` to `hvc1` or from `dvhe` to `dvh1`.
///
/// The comparison is independent of the code that renames. A byte may differ only in two places: in the name of the
/// format, or in the first byte of an array of parameter sets, where the completeness bit must have been set.
private enum ParameterSetComparison {
  /// Whether the new list equals the old list with renamed formats and with all arrays of video, sequence and picture
  /// parameter sets marked as complete.
  static func declaresComplete(old: SampleDescriptions, new: SampleDescriptions) -> Bool {
    guard old.version == new.version, old.flags == new.flags, old.tail == new.tail,
      old.entries.count == new.entries.count
    else { return false }
    return zip(old.entries, new.entries).allSatisfy(declaresComplete)
  }

  private static let newFormats: [FourCC: FourCC] = ["hev1": "hvc1", "dvhe": "dvh1"]

  private static func declaresComplete(old: SampleEntry, new: SampleEntry) -> Bool {
    guard newFormats[old.format] == new.format, old.reserved == new.reserved,
      old.dataReferenceIndex == new.dataReferenceIndex, old.body.count == new.body.count,
      let arrays = arrays(in: old.body)
    else { return false }
    return zip(old.body, new.body).enumerated().allSatisfy { offset, bytes in
      bytes.1 == (arrays.contains(offset) ? bytes.0 | 0x80 : bytes.0)
    }
  }

  /// The size of the fields before the atoms in a video sample description (ISO/IEC 14496-12, 12.1.3.2).
  private static let fieldByteCount = 70

  /// Returns the offsets of the parameter set arrays in a description, or `nil` if a type of parameter set is missing.
  private static func arrays(in body: Bytes) -> Set<Int>? {
    var position = fieldByteCount
    while let size = body.load(at: position, as: UInt32.self), let type = body.load(at: position + 4, as: UInt32.self) {
      guard size >= 8, Int(size) <= body.count - position else { return nil }
      if FourCC(rawValue: type) == "hvcC" { return arrays(in: body, position + 8, end: position + Int(size)) }
      position += Int(size)
    }
    return nil
  }

  /// Returns the offsets of the arrays in `hvcC` (ISO/IEC 14496-15, 8.3.3.1.2), or `nil` if a type of parameter set is
  /// missing.
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

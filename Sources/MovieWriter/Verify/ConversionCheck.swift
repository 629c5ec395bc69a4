import MovieBox
import Subtitles

/// A movie that was converted to another type: what may differ follows from the type that was asked for.
struct ConversionCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// The new movie has the brands of the type that was asked for; its tracks are described as they were, in the words of
  /// that type, and say the same of times, languages and places of samples; text that was written again says the same.
  ///
  /// Brands, descriptions, facts, chapters and text are read from the new movie. Its other atoms and its places were
  /// compared with those of the converted movie, as in every edit; here that is compared with the old one.
  func check() throws {
    guard let conversion = resolved.stages.converted else { return }
    let type = conversion.type
    let brands = planned.layout.atoms.filter { $0.type == "ftyp" }
    guard brands.count == 1, brands.first?.range.offset == 0, let fileType = planned.fileType,
      MovieType(of: fileType) == type, fileType.isQuickTime == type.isQuickTime
    else { throw failure("the new movie does not have the brands of \(type.name)") }
    let (before, after) = (conversion.original, resolved.stages.whole)
    let kept = Set(before.tracks.map(\.id)).subtracting(resolved.tracks.removed)
    guard before.tracks.map(\.id) == after.tracks.map(\.id) else { throw failure("tracks came or went") }
    for track in before.tracks where conversion.removedTracks.contains(track.id) {
      guard !mayHold(track, of: before, type) else { throw failure("track \(track.id) is left out, and has a place") }
    }
    let leftOut = LeftOutContents(conversion.notes)
    try AtomChangePolicy.conversion(from: before, to: after, type, keeping: kept, leftOut)
      .check(.init(before.tree), .init(after.tree))
    try ConvertedMetadataComparison(conversion: conversion, planned: planned).check()
    try checkConvertedChapters(of: conversion, keeping: kept)
    for (old, new) in zip(before.tracks, after.tracks) where kept.contains(old.id) {
      try checkMediaHeader(of: old, in: before, new, in: after, type, leftOut)
      let comparison = ConvertedTrackComparison(old: old, new: new, type: type)
      if let reason = try comparison.difference(in: before.tree, after.tree) {
        throw before.tree.error(.planCheckFailed, at: old.atom, reason)
      }
      try checkLeftOutBytes(of: old, new, leftOut)
      if ConvertedTrackComparison.isTextWrittenAgain(old, new) {
        try checkText(old, leftOut)
      } else {
        try checkPlaces(old, new)
      }
    }
  }

  /// Allows a `gmhd` or `nmhd` to become the media header of the target type, which carries no information of its own.
  private func checkMediaHeader(
    of before: Track, in old: Movie, _ after: Track, in new: Movie, _ type: MovieType, _ leftOut: LeftOutContents
  ) throws(MovieError) {
    func headers(_ track: Track, _ tree: AtomTree) -> [Bytes] {
      guard let minf = tree.descendant(of: track.atom, "mdia", "minf") else { return [] }
      return tree.children(of: minf).filter { ["gmhd", "nmhd"].contains(tree[$0].type) }.map { tree.bytes(of: $0) }
    }
    let (left, right) = (headers(before, old.tree), headers(after, new.tree))
    guard left != right else { return }
    let media = after.mediaType.rawValue
    let expected = type.isQuickTime ? PlainMediaHeader.quickTime(for: media) : NullMediaHeader().atom("nmhd")
    guard left.count == 1, right == [Bytes(expected)] else {
      throw old.tree.error(.planCheckFailed, at: before.atom, "its media header (gmhd, nmhd) changed")
    }
    guard !type.isQuickTime, !old.chapterTrackIDs.contains(before.id),
      let gmhd = old.tree.descendant(of: before.atom, "mdia", "minf", "gmhd"),
      PlainMediaHeader.hasPresentationSettings(gmhd, in: old.tree)
    else { return }
    guard leftOut.contains("gmhd", ofTrack: before.id) else {
      throw old.tree.error(
        .planCheckFailed, at: gmhd, "the presentation settings (gmhd) were dropped without a warning")
    }
  }

  /// Throws if bytes of a sound description were dropped without a warning.
  private func checkLeftOutBytes(
    of old: Track, _ new: Track, _ leftOut: LeftOutContents
  ) throws(MovieError) {
    guard old.mediaType == .audio else { return }
    let isReported = leftOut.contains("stsd", ofTrack: old.id)
    for (left, right) in zip(old.sampleDescriptions.entries, new.sampleDescriptions.entries)
    where left != right && !isReported {
      guard try SoundDescription(body: left.body).bytesThatAreNoAtoms.isEmpty else {
        throw failure("bytes of a sound description of track \(old.id) are left out, and not listed")
      }
    }
  }

  /// Whether files of a type can hold a track: packets for servers are of another form in the other family, and 3GP files
  /// have no boxed metadata.
  private func mayHold(_ track: Track, of movie: Movie, _ type: MovieType) -> Bool {
    if track.mediaType.rawValue == "hint" { return type.isQuickTime == (movie.dialect == .quickTime) }
    return !(track.formats.contains("mebx") && (type == .threeGPP || type == .threeGPP2))
  }

  /// Chapters begin when they did, and stand in user data too where players of MP4 files look for them, unless their
  /// tracks went, or those that list them, or others were asked for.
  private func checkConvertedChapters(of conversion: ConvertedMovie, keeping kept: Set<UInt32>) throws {
    guard resolved.requestedChapters == nil else { return }  // See ChaptersCheck.
    let old = try resolved.stages.presented.readChapters(
      from: source, resolved.stages.flattened?.fragments)
    let titles = old.forms.filter { $0.kind == .titles }.compactMap(\.trackID)
    guard
      !conversion.type.isQuickTime || conversion.leavesOutChapters || !titles.isEmpty
        || !old.forms.contains(where: { $0.kind == .nero })
    else { throw failure("the chapters in user data (chpl) are left out, and not listed") }
    let listing = conversion.original.tracks.filter { !Set(titles).isDisjoint(with: $0.referenced("chap")) }.map(\.id)
    guard !titles.isEmpty, kept.isSuperset(of: titles + listing), !old.chapters.isEmpty else { return }
    let new = try planned.readChapters(from: output)
    // A title that is too long for a sample is left out, and reported.
    let starts = [old, new].map { list in
      list.chapters.filter { $0.titles.contains { $0.text.utf8.count <= Tx3gSample.longestText } }
        .map(\.startMilliseconds)
    }
    guard starts[0] == starts[1] else { throw failure("chapters begin at other times than they did") }
    guard !conversion.type.isQuickTime, conversion.original.dialect == .quickTime else { return }
    let (before, after) = (old.forms.filter { $0.kind == .nero }, new.forms.filter { $0.kind == .nero })
    let isWhole = starts[0].count == old.chapters.count && starts[0].allSatisfy { $0 <= NeroChapters.lastStart }
    guard !after.isEmpty, !isWhole || !before.isEmpty || after.allSatisfy({ !$0.differs }) else {
      throw failure("the list of chapters in user data (chpl) does not say what the track does")
    }
  }

  /// Every chunk names the bytes that it named.
  private func checkPlaces(_ old: Track, _ new: Track) throws(MovieError) {
    let (before, after) = (ChunkLocator(old), ChunkLocator(new))
    if old.samples.sampleSizes == new.samples.sampleSizes, before.hasNoPackets, after.hasNoPackets { return }
    guard old.samples.sampleCount == new.samples.sampleCount, old.samples.chunkCount == new.samples.chunkCount else {
      throw failure("track \(old.id) has another number of samples")
    }
    for (chunk, other) in zip(old.samples.chunks, new.samples.chunks) {
      guard before.byteRange(of: chunk) == after.byteRange(of: other), chunk.samples == other.samples else {
        throw failure("chunk \(chunk.index + 1) of track \(old.id) has other bytes than it had", at: chunk.offset)
      }
    }
  }

  /// Every sample of text has the text that it had, with its faces, colors and font sizes.
  private func checkText(_ old: Track, _ leftOut: LeftOutContents) throws {
    guard let new = planned.track(old.id), old.samples.sampleCount == new.samples.sampleCount else {
      throw failure("track \(old.id) has another number of samples of text")
    }
    let fontSizes = try new.sampleDescriptions.entries.indices.map { number throws(MovieError) in
      try fontSize(of: number, in: old, new)
    }
    let (before, after) = (try readers(old, fontSizes), try readers(new, fontSizes))
    let isOpaque = fontSizes.indices.map { number in
      [old, new].contains { hasQuickTimeColors($0.sampleDescriptions.entries, number) }
    }
    let listsLoss = leftOut.contains("mdat", ofTrack: old.id)
    var samples = new.samples.samples.makeIterator()
    for sample in old.samples.samples {
      guard let other = samples.next(), sample.sampleDescriptionIndex == other.sampleDescriptionIndex,
        let from = sample.byteRange, let to = other.byteRange,
        case let number = Int(sample.sampleDescriptionIndex) - 1,  // Stored from 1.
        before.indices.contains(number), after.indices.contains(number), isOpaque.indices.contains(number),
        let wasRead = before[number], let isRead = after[number]
      else { throw failure("a sample of text of track \(old.id) is lost") }
      let bytes = from.count > 0 ? try source.readExactly(from) : Bytes()
      let newBytes = to.count > 0 ? try output.readExactly(to) : Bytes()
      let (text, newText) = (wasRead.read(bytes).text, isRead.read(newBytes).text)
      // A text that has no room in a sample may go where that is listed.
      if let text, text.text.utf8.count > Tx3gSample.longestText, newText?.text.isEmpty ?? true, listsLoss { continue }
      let (fontSize, hasAlpha) = (fontSizes[number], !isOpaque[number])
      guard
        ComparableText(text, fontSize: fontSize, hasAlpha: hasAlpha)
          == ComparableText(newText, fontSize: fontSize, hasAlpha: hasAlpha)
      else {
        throw failure("sample \(sample.index + 1) of track \(old.id) says something else", at: from.offset)
      }
    }
  }

  /// The font size of a description of `tx3g`, the new one or the old one: those of QuickTime have none.
  private func fontSize(of number: Int, in old: Track, _ new: Track) throws(MovieError) -> UInt8 {
    for track in [new, old] {
      let entries = track.sampleDescriptions.entries
      guard entries.indices.contains(number), entries[number].format == "tx3g" else { continue }
      return try Tx3gDescription(payload: entries[number].body).defaultStyle.fontSize
    }
    return 0
  }

  /// Whether a description is of QuickTime text, whose colors are red, green and blue.
  private func hasQuickTimeColors(_ entries: [SampleEntry], _ number: Int) -> Bool {
    entries.indices.contains(number) && entries[number].format == "text" && !entries[number].holdsTimedText
  }

  private func readers(_ track: Track, _ fontSizes: [UInt8]) throws(MovieError) -> [TextSampleText?] {
    try zip(track.sampleDescriptions.entries, fontSizes).map { entry, fontSize throws(MovieError) in
      try TextSampleText(entry, of: track, fontSize: fontSize)
    }
  }
}

/// A text with its faces, colors and font sizes, for a comparison.
private struct ComparableText: Equatable {
  let text: String
  /// The ranges that are not plain, neighbours of one style as one.
  let ranges: [StyledRange]

  struct StyledRange: Equatable {
    var range: Range<Int>
    let isBold, isItalic, isUnderlined: Bool
    let color: TextColor
    /// In points.
    let fontSize: Int

    func hasSameStyle(as other: StyledRange) -> Bool {
      (isBold, isItalic, isUnderlined, color, fontSize)
        == (other.isBold, other.isItalic, other.isUnderlined, other.color, other.fontSize)
    }
  }

  /// Sizes are compared in whole points, as samples have them, by what 100 % of them is; colors as both formats have
  /// them.
  init(_ text: StyledText?, fontSize: UInt8, hasAlpha: Bool) {
    self.text = text?.text ?? ""
    var ranges: [StyledRange] = []
    for run in text?.runs ?? [] {
      let style = run.style
      let styled = StyledRange(
        range: run.range, isBold: style.isBold, isItalic: style.isItalic, isUnderlined: style.isUnderlined,
        color: Self.color(style.color, hasAlpha), fontSize: Self.points(style.sizeInPercent ?? 100, of: fontSize))
      let isPlain = !(styled.isBold || styled.isItalic || styled.isUnderlined) && styled.color == .white
      guard !isPlain || styled.fontSize != Self.points(100, of: fontSize) else { continue }
      if let last = ranges.last, last.range.upperBound == run.range.lowerBound, last.hasSameStyle(as: styled) {
        ranges[ranges.count - 1].range = last.range.lowerBound..<run.range.upperBound
      } else {
        ranges.append(styled)
      }
    }
    self.ranges = ranges
  }

  /// White is the default. Black in QuickTime text is a field that is not used, and read so.
  private static func color(_ color: TextColor?, _ hasAlpha: Bool) -> TextColor {
    guard let color, !hasAlpha else { return color ?? .white }
    let opaque = TextColor(red: color.red, green: color.green, blue: color.blue)
    return opaque == TextColor(red: 0, green: 0, blue: 0) ? .white : opaque
  }

  private static func points(_ percent: Int, of fontSize: UInt8) -> Int {
    let points = (Int(fontSize) * min(max(0, percent), 25_500) + 50) / 100
    // A byte of 1 and more, read back in whole percents.
    return points > 252 ? 255 : points < 3 ? 1 : points
  }
}

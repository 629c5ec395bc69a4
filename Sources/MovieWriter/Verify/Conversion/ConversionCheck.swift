import MovieBox
import Subtitles

/// Checks a movie that was converted to another type.
///
/// The differences that a conversion may make are derived only from the requested type. Brands, sample descriptions,
/// metadata, chapters and rewritten text are read from the planned movie. This check compares the converted movie with
/// the original movie. As in every edit, MovieAtomCheck and KeptTracksCheck compare the planned movie with the
/// converted movie.
struct ConversionCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that the new movie has the brands of the requested type, and that its tracks have equivalent descriptions,
  /// times, languages, sample positions and text.
  func check() throws {
    guard let conversion = resolved.stages.converted else { return }
    let type = conversion.type
    let brands = planned.layout.atoms.filter { $0.type == "ftyp" }
    guard brands.count == 1, brands.first?.range.offset == 0, let fileType = planned.fileType,
      MovieType(of: fileType) == type, fileType.isQuickTime == type.isQuickTime
    else { throw failure("the new movie does not have the brands of \(type.name)") }
    let (before, after) = (conversion.original, resolved.stages.whole)
    let remainingIDs = Set(before.tracks.map(\.id)).subtracting(resolved.tracks.removed)
    guard before.tracks.map(\.id) == after.tracks.map(\.id) else {
      throw failure("the conversion added or removed tracks")
    }
    for track in before.tracks where conversion.removedTracks.contains(track.id) {
      guard !canContain(track, of: before, type) else {
        throw failure("track \(track.id) was omitted, but \(type.name) can contain it")
      }
    }
    let droppedContents = DroppedContents(conversion.losses)
    try AtomChangePolicy.conversion(from: before, to: after, type, keeping: remainingIDs, droppedContents)
      .check(.init(before.tree), .init(after.tree))
    try ConvertedMetadataComparison(conversion: conversion, planned: planned).check()
    try checkConvertedChapters(of: conversion, keeping: remainingIDs)
    for (old, new) in zip(before.tracks, after.tracks) where remainingIDs.contains(old.id) {
      try checkMediaHeader(of: old, in: before, new, in: after, type, droppedContents)
      let comparison = ConvertedTrackComparison(old: old, new: new, type: type)
      if let reason = try comparison.firstDifference(in: before.tree, after.tree) {
        throw before.tree.error(.planCheckFailed, at: old.atom, reason)
      }
      try checkDroppedBytes(of: old, new, droppedContents)
      if ConvertedTrackComparison.isTextRewritten(old, new) {
        try checkText(old, droppedContents)
      } else {
        try checkChunkBytes(old, new)
      }
    }
  }

  /// Checks that a `gmhd` or `nmhd` became the media header of the target type. This header contains no information.
  private func checkMediaHeader(
    of before: Track, in old: Movie, _ after: Track, in new: Movie, _ type: MovieType, _ leftOut: DroppedContents
  ) throws(MovieError) {
    func headers(_ track: Track, _ tree: AtomTree) -> [Bytes] {
      guard let minf = tree.descendant(of: track.atom, "mdia", "minf") else { return [] }
      return tree.children(of: minf).filter { ["gmhd", "nmhd"].contains(tree[$0].type) }.map { tree.bytes(of: $0) }
    }
    let (left, right) = (headers(before, old.tree), headers(after, new.tree))
    guard left != right else { return }
    let media = after.mediaType.rawValue
    let expectedAtom = type.isQuickTime ? PlainMediaHeader.quickTime(for: media) : NullMediaHeader().atom("nmhd")
    guard left.count == 1, right == [Bytes(expectedAtom)] else {
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
  private func checkDroppedBytes(
    of old: Track, _ new: Track, _ leftOut: DroppedContents
  ) throws(MovieError) {
    guard old.mediaType == .audio else { return }
    let isReported = leftOut.contains("stsd", ofTrack: old.id)
    for (left, right) in zip(old.sampleDescriptions.entries, new.sampleDescriptions.entries)
    where left != right && !isReported {
      guard try SoundDescription(body: left.body).nonAtomBytes.isEmpty else {
        throw failure("bytes of a sound description of track \(old.id) were dropped without a warning")
      }
    }
  }

  /// Whether files of a type can contain a track. Hint tracks differ between QuickTime and ISO files, and 3GP files
  /// cannot contain boxed metadata.
  private func canContain(_ track: Track, of movie: Movie, _ type: MovieType) -> Bool {
    if track.mediaType.rawValue == "hint" { return type.isQuickTime == (movie.dialect == .quickTime) }
    return !(track.formats.contains("mebx") && (type == .threeGPP || type == .threeGPP2))
  }

  /// Checks that chapters start at their old times, and that MP4 files also list the chapters in user data, where
  /// players look for them. Skips the check if the edit removes chapter tracks or the tracks that refer to them, or
  /// replaces the chapters.
  private func checkConvertedChapters(of conversion: ConvertedMovie, keeping kept: Set<UInt32>) throws {
    guard resolved.requestedChapters == nil else { return }  // ChaptersCheck checks these.
    let old = try resolved.stages.presented.readChapters(
      from: source, resolved.stages.flattened?.fragments)
    let titles = old.forms.filter { $0.kind == .titles }.compactMap(\.trackID)
    guard
      !conversion.type.isQuickTime || conversion.omitsChapterList || !titles.isEmpty
        || !old.forms.contains(where: { $0.kind == .nero })
    else { throw failure("the chapters in user data (chpl) were dropped without a warning") }
    let listing = conversion.original.tracks.filter { !Set(titles).isDisjoint(with: $0.referenced("chap")) }.map(\.id)
    guard !titles.isEmpty, kept.isSuperset(of: titles + listing), !old.chapters.isEmpty else { return }
    let new = try planned.readChapters(from: output)
    // The conversion drops a title that is too long for a sample, and reports the loss.
    let starts = [old, new].map { list in
      list.chapters.filter { $0.titles.contains { $0.text.utf8.count <= Tx3gSample.maximumTextByteCount } }
        .map(\.startMilliseconds)
    }
    guard starts[0] == starts[1] else { throw failure("the start times of chapters changed") }
    guard !conversion.type.isQuickTime, conversion.original.dialect == .quickTime else { return }
    let (before, after) = (old.forms.filter { $0.kind == .nero }, new.forms.filter { $0.kind == .nero })
    let isWhole = starts[0].count == old.chapters.count && starts[0].allSatisfy { $0 <= NeroChapters.lastStart }
    guard !after.isEmpty, !isWhole || !before.isEmpty || after.allSatisfy({ !$0.differs }) else {
      throw failure("the chapter list in user data (chpl) differs from the chapter track")
    }
  }

  /// Checks that every chunk refers to the same bytes as before.
  private func checkChunkBytes(_ old: Track, _ new: Track) throws(MovieError) {
    let (before, after) = (ChunkLocator(old), ChunkLocator(new))
    if old.samples.sampleSizes == new.samples.sampleSizes, before.hasNoLegacyAudioPackets, after.hasNoLegacyAudioPackets
    {
      return
    }
    guard old.samples.sampleCount == new.samples.sampleCount, old.samples.chunkCount == new.samples.chunkCount else {
      throw failure("the number of samples of track \(old.id) changed")
    }
    for (chunk, other) in zip(old.samples.chunks, new.samples.chunks) {
      guard before.byteRange(of: chunk) == after.byteRange(of: other), chunk.samples == other.samples else {
        throw failure("chunk \(chunk.index + 1) of track \(old.id) refers to different bytes", at: chunk.offset)
      }
    }
  }

  /// Checks that every text sample has its old text, faces, colors and font sizes.
  private func checkText(_ old: Track, _ leftOut: DroppedContents) throws {
    guard let new = planned.track(old.id), old.samples.sampleCount == new.samples.sampleCount else {
      throw failure("the number of text samples of track \(old.id) changed")
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
        case let number = Int(sample.sampleDescriptionIndex) - 1,  // Stored indices begin at 1.
        before.indices.contains(number), after.indices.contains(number), isOpaque.indices.contains(number),
        let wasRead = before[number], let isRead = after[number]
      else { throw failure("a text sample of track \(old.id) was lost") }
      let bytes = from.count > 0 ? try source.readExactly(from) : Bytes()
      let newBytes = to.count > 0 ? try output.readExactly(to) : Bytes()
      let (text, newText) = (wasRead.read(bytes).text, isRead.read(newBytes).text)
      // The conversion may drop a text that is too long for a sample if it reports the loss.
      if let text, text.text.utf8.count > Tx3gSample.maximumTextByteCount, newText?.text.isEmpty ?? true, listsLoss {
        continue
      }
      let (fontSize, hasAlpha) = (fontSizes[number], !isOpaque[number])
      guard
        ComparableText(text, fontSize: fontSize, hasAlpha: hasAlpha)
          == ComparableText(newText, fontSize: fontSize, hasAlpha: hasAlpha)
      else {
        throw failure("the text of sample \(sample.index + 1) of track \(old.id) changed", at: from.offset)
      }
    }
  }

  /// Returns the default font size of the `tx3g` description, new or old, or 0 if neither description is `tx3g`.
  /// QuickTime text has no default size.
  private func fontSize(of number: Int, in old: Track, _ new: Track) throws(MovieError) -> UInt8 {
    for track in [new, old] {
      let entries = track.sampleDescriptions.entries
      guard entries.indices.contains(number), entries[number].format == "tx3g" else { continue }
      return try Tx3gDescription(payload: entries[number].body).defaultStyle.fontSize
    }
    return 0
  }

  /// Whether a description is QuickTime text, whose colors have no alpha.
  private func hasQuickTimeColors(_ entries: [SampleEntry], _ number: Int) -> Bool {
    entries.indices.contains(number) && entries[number].format == "text" && !entries[number].isTimedText
  }

  private func readers(_ track: Track, _ fontSizes: [UInt8]) throws(MovieError) -> [ConversionTextDecoder?] {
    try zip(track.sampleDescriptions.entries, fontSizes).map { entry, fontSize throws(MovieError) in
      try ConversionTextDecoder(entry, of: track, fontSize: fontSize)
    }
  }
}

/// A text with its faces, colors and font sizes, in a form that allows the two text formats to be compared.
private struct ComparableText: Equatable {
  let text: String
  /// The ranges with a style that is not plain. Adjacent ranges of one style are merged.
  let ranges: [StyledRange]

  struct StyledRange: Equatable {
    var range: Range<Int>
    let isBold, isItalic, isUnderlined: Bool
    let color: StyledText.Color
    /// The size in points.
    let fontSize: Int

    func hasSameStyle(as other: StyledRange) -> Bool {
      (isBold, isItalic, isUnderlined, color, fontSize)
        == (other.isBold, other.isItalic, other.isUnderlined, other.color, other.fontSize)
    }
  }

  /// Rounds font sizes to whole points, as samples store them, and replaces colors by colors that both formats can
  /// represent. `fontSize` is the size that corresponds to 100 %.
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

  /// Returns the color, with white as the default. Black in QuickTime text means that the field is unused, so it is
  /// read as white.
  private static func color(_ color: StyledText.Color?, _ hasAlpha: Bool) -> StyledText.Color {
    guard let color, !hasAlpha else { return color ?? .white }
    let opaque = StyledText.Color(red: color.red, green: color.green, blue: color.blue)
    return opaque == StyledText.Color(red: 0, green: 0, blue: 0) ? .white : opaque
  }

  private static func points(_ percent: Int, of fontSize: UInt8) -> Int {
    let points = (Int(fontSize) * min(max(0, percent), 25_500) + 50) / 100
    // A size is stored in one byte, is at least 1, and is converted to whole percents when it is read.
    return points > 252 ? 255 : points < 3 ? 1 : points
  }
}

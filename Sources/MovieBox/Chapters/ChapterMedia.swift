/// The media of a chapter track: what its sample descriptions, tables and media data are made of. The samples tile the
/// movie to its end, from 0 or, where they are pictures or the first chapter begins weeks later, from that chapter.
package struct ChapterMedia: Sendable {
  /// A title, link or picture, and when it begins, in milliseconds.
  package struct Entry: Hashable, Sendable {
    package let start: UInt64
    /// The title.
    package var text = ""
    /// A URL that goes with it.
    package var link: String?
    /// A JPEG or PNG picture.
    package var image: Bytes?

    /// A text, from this time on.
    package init(start: UInt64, text: String, link: String? = nil) {
      (self.start, self.text, self.link) = (start, text, link)
    }

    /// A picture, from this time on.
    package init(start: UInt64, image: Bytes) {
      (self.start, self.image) = (start, image)
    }
  }

  /// The kind of the samples.
  package let kind: ChapterList.Form.Kind
  /// All samples, one after the other.
  package private(set) var data: [UInt8] = []
  /// The number of bytes of each sample, in order.
  package private(set) var sampleSizes: [UInt32] = []
  /// The number of the description of each, from 1.
  package private(set) var descriptionIndices: [UInt32] = []
  /// Their durations, neighbours of one duration counted together.
  package private(set) var durationRuns: [SampleDurationRun] = []
  /// The sample entries for `stsd`, headers included; each takes the first data reference.
  package private(set) var sampleEntries: [[UInt8]] = []
  /// The types of the sample entries.
  package private(set) var formats: [FourCC] = []
  /// The size of the largest picture; 0 for text.
  package private(set) var pictureSize: (width: UInt16, height: UInt16) = (0, 0)
  /// Ticks a second: times of chapters are in milliseconds.
  package let timeScale: UInt32 = 1_000
  /// The start of the first sample, in ticks.
  package let start: UInt64
  /// The start of the second chapter, or the end, in ticks: the first sample must be shown before.
  package let firstEnd: UInt64
  /// The sum of the samples' durations, in ticks.
  package let duration: UInt64

  /// The longest text, in bytes: its length has 16 bits.
  package static let longestText = Int(UInt16.max)

  /// The longest link, in bytes: its length has 8 bits.
  package static let longestLink = Int(UInt8.max)

  /// The media of entries in the order of their start, none of which begins at or after the end of the movie. A picture
  /// that is the one before goes on.
  ///
  /// Throws `.invalidEdit` for a picture that is neither JPEG nor PNG and for a chapter of more than
  /// ``TimedSample/longestDuration``; `.limit` for more than 4 GiB of pictures.
  package init(
    _ kind: ChapterList.Form.Kind, _ entries: [Entry], untilMilliseconds end: UInt64
  ) throws(MovieError) {
    self.kind = kind
    // One sample cannot cover the time before chapters on a clock since 1970; players list several as chapters.
    let first = entries.first?.start ?? 0
    start = kind == .images || first > UInt64(TimedSample.longestDuration) ? Swift.min(end, first) : 0
    firstEnd = entries.dropFirst().first?.start ?? end
    duration = end - start
    if kind != .images {
      sampleEntries = [Self.textEntry]
      formats = ["text"]
    }
    var descriptions: [PictureDescription: UInt32] = [:]
    // Before the first there is nothing to say; readers of titles that look at no edit list count samples from 0.
    if let first = entries.first, first.start > start { try addSample([0, 0], 1, lasting: first.start - start) }
    var shown: [Entry] = []
    for entry in entries where kind != .images || entry.image != shown.last?.image { shown.append(entry) }
    for (index, entry) in shown.enumerated() {
      let next = index + 1 < shown.count ? shown[index + 1].start : end
      guard next > entry.start else {
        throw MovieError(.invalidEdit, "two chapters begin together, or one with the end")
      }
      if let image = entry.image {
        let picture = try PictureDescription(image)
        let number = descriptions[picture] ?? UInt32(clamping: descriptions.count + 1)
        if descriptions[picture] == nil {
          descriptions[picture] = number
          sampleEntries.append(picture.sampleEntry)
          formats.append(picture.type)
          pictureSize = (max(pictureSize.width, picture.width), max(pictureSize.height, picture.height))
        }
        try addSample(image.array, number, lasting: Self.duration(of: entry, until: next))
      } else {
        try addSample(
          Self.textSample(entry.text, link: entry.link), 1, lasting: Self.duration(of: entry, until: next))
      }
    }
  }

  /// The duration of a chapter, which is one sample. A list of times from 0 in a movie whose clock counts from 1970 has
  /// a first chapter of half a century.
  private static func duration(of entry: Entry, until end: UInt64) throws(MovieError) -> UInt64 {
    let duration = end - entry.start
    guard duration <= UInt64(TimedSample.longestDuration) else {
      func time(_ milliseconds: UInt64) -> String {
        MediaTime(ticks: Int64(clamping: milliseconds), timeScale: 1000)?.text ?? "\(milliseconds) ms"
      }
      throw MovieError(
        .invalidEdit,
        "the chapter at \(time(entry.start)) lasts \(time(duration)), more than a track can store "
          + "(\(time(UInt64(TimedSample.longestDuration)))); begin it later")
    }
    return duration
  }

  private mutating func addSample(
    _ bytes: [UInt8], _ description: UInt32, lasting ticks: UInt64
  ) throws(MovieError) {
    guard let duration = UInt32(exactly: ticks), let size = UInt32(exactly: bytes.count),
      data.count <= Int(UInt32.max) - bytes.count
    else { throw MovieError(.limit, "chapter pictures exceed 4 GiB: use smaller pictures") }
    data += bytes
    sampleSizes.append(size)
    descriptionIndices.append(description)
    durationRuns.add(duration)
  }

  // MARK: - Text

  /// A sample of QuickTime text (QTFF "Text Sample Data"): the text, and that it is Unicode (`encd`), without which
  /// players read it in the Macintosh's encodings.
  private static func textSample(_ text: String, link: String?) -> [UInt8] {
    let short = text.cut(toUTF8Count: longestText)
    var writer = ByteWriter()
    writer.write(UInt16(truncatingIfNeeded: short.utf8.count))
    guard !short.isEmpty else { return writer.take() }
    writer.write(utf8: short)
    if let link, link.utf8.count <= longestLink {
      writer.atom("href") { href in  // From the first character to the last; no second text.
        href.write(UInt16(0))
        href.write(UInt16(truncatingIfNeeded: short.unicodeScalars.count))
        href.write(UInt8(truncatingIfNeeded: link.utf8.count))
        href.write(utf8: link)
        href.write(UInt8(0))
      }
    }
    writer.atom("encd") { $0.write(UInt32(0x100)) }
    return writer.take()
  }

  /// A description of QuickTime text (QTFF "Text Sample Description") of 59 bytes, as iTunes writes it: not to be drawn,
  /// centred, all else 0.
  ///
  /// MP4 files get the same: ffmpeg, mp4v2 and iTunes write it there, and Apple's players know chapters by it.
  private static let textEntry: [UInt8] = {
    var body = ByteWriter()
    body.write(UInt32(1))
    body.write(UInt32(1))
    body.writeZeros(35)
    var writer = ByteWriter()
    SampleEntry(format: "text", body: Bytes(body.bytes)).write(to: &writer)
    return writer.take()
  }()

  // MARK: - Pictures

  private struct PictureDescription: Hashable {
    let type: FourCC
    let width: UInt16
    let height: UInt16

    init(_ image: Bytes) throws(MovieError) {
      guard let format = PictureFormat(image), format == .jpeg || format == .png,
        let size = PictureFormat.size(of: image)
      else { throw MovieError(.invalidEdit, "the picture of a chapter is not a JPEG or PNG") }
      type = format == .jpeg ? "jpeg" : "png "
      (width, height) = size
    }

    var sampleEntry: [UInt8] {
      var writer = ByteWriter()
      let description = VideoDescription(width: width, height: height)
      SampleEntry(format: type, body: Bytes(description.payloadBytes)).write(to: &writer)
      return writer.take()
    }
  }
}

/// The media of a chapter track: sample entries, sample tables and media data.
///
/// The samples cover the movie from time 0 to its end without gaps. If the first chapter begins after time 0, an empty
/// sample precedes it. The samples start at the first chapter instead if the track contains pictures, or if the first
/// chapter begins too late for one empty sample.
package struct ChapterMedia: Sendable {
  /// A title, link or picture, with its start in milliseconds.
  package struct Entry: Hashable, Sendable {
    package let start: UInt64
    package var text = ""
    /// A URL that players offer with the title.
    package var link: String?
    /// The bytes of a JPEG or PNG picture.
    package var image: Bytes?

    /// Creates an entry that shows a text from `start` on.
    package init(start: UInt64, text: String, link: String? = nil) {
      (self.start, self.text, self.link) = (start, text, link)
    }

    /// Creates an entry that shows a picture from `start` on.
    package init(start: UInt64, image: Bytes) {
      (self.start, self.image) = (start, image)
    }
  }

  package let kind: ChapterList.Form.Kind
  /// The bytes of all samples, concatenated.
  package private(set) var data: [UInt8] = []
  /// The size of each sample in bytes.
  package private(set) var sampleSizes: [UInt32] = []
  /// The sample description index of each sample, from 1.
  package private(set) var descriptionIndices: [UInt32] = []
  /// The run-length encoded durations of the samples.
  package private(set) var durationRuns: [SampleDurationRun] = []
  /// The sample entries for `stsd`, including their headers. Each entry refers to the first data reference.
  package private(set) var sampleEntries: [[UInt8]] = []
  package private(set) var formats: [FourCC] = []
  /// The size of the largest picture, or 0 for text.
  package private(set) var pictureSize: (width: UInt16, height: UInt16) = (0, 0)
  /// The time scale in ticks per second. The times of chapters are in milliseconds.
  package let timeScale: UInt32 = 1_000
  /// The start of the first sample, in ticks.
  package let start: UInt64
  /// The start of the second chapter, or the end of the movie, in ticks. The edit list must begin before this time.
  /// Otherwise, it would skip the first sample.
  package let firstChapterEnd: UInt64
  /// The sum of the sample durations, in ticks.
  package let duration: UInt64

  /// The maximum size of a text in bytes: its length field has 16 bits.
  package static let maximumTextByteCount = Int(UInt16.max)

  /// The maximum size of a link in bytes: its length field has 8 bits.
  package static let maximumLinkByteCount = Int(UInt8.max)

  /// Creates the media from entries. They must be sorted by start and begin before the end of the movie. A picture that
  /// equals the previous picture extends its sample.
  ///
  /// Throws `.invalidEdit` if a picture is neither JPEG nor PNG, or if a chapter lasts longer than
  /// ``Sample/longestDuration``. Throws `.limit` if the pictures exceed 4 GiB.
  package init(
    _ kind: ChapterList.Form.Kind, _ entries: [Entry], untilMilliseconds end: UInt64
  ) throws(MovieError) {
    self.kind = kind
    // One sample cannot cover the time before the chapters if the movie's times are seconds since 1970. Several empty
    // samples would not help, because players list each empty sample as a chapter.
    let first = entries.first?.start ?? 0
    start = kind == .images || first > UInt64(Sample.longestDuration) ? Swift.min(end, first) : 0
    firstChapterEnd = entries.dropFirst().first?.start ?? end
    duration = end - start
    if kind != .images {
      sampleEntries = [Self.textEntry]
      formats = ["text"]
    }
    var descriptions: [PictureDescription: UInt32] = [:]
    // Some readers ignore the edit list and assume that the first sample starts at time 0. An empty sample before the
    // first chapter gives them the right times too.
    if let first = entries.first, first.start > start { try addSample([0, 0], 1, lasting: first.start - start) }
    var shownEntries: [Entry] = []
    for entry in entries where kind != .images || entry.image != shownEntries.last?.image { shownEntries.append(entry) }
    for (index, entry) in shownEntries.enumerated() {
      let next = index + 1 < shownEntries.count ? shownEntries[index + 1].start : end
      guard next > entry.start else {
        throw MovieError(
          .invalidEdit,
          "two chapters begin at the same time, or a chapter begins at the end of "
            + "the movie; change the start of a chapter")
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

  /// Returns the duration of the sample that shows an entry. Throws if the duration exceeds
  /// ``Sample/longestDuration``.
  ///
  /// For example, the first chapter lasts half a century if its start is 0 and the movie's times are seconds since
  /// 1970.
  private static func duration(of entry: Entry, until end: UInt64) throws(MovieError) -> UInt64 {
    let duration = end - entry.start
    guard duration <= UInt64(Sample.longestDuration) else {
      func time(_ milliseconds: UInt64) -> String {
        MediaTime(ticks: Int64(clamping: milliseconds), timeScale: 1000)?.text ?? "\(milliseconds) ms"
      }
      throw MovieError(
        .invalidEdit,
        "the chapter at \(time(entry.start)) lasts \(time(duration)), more than a track can store "
          + "(\(time(UInt64(Sample.longestDuration)))); begin it later")
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

  /// Returns a sample of QuickTime text (QTFF "Text Sample Data"). The `encd` atom declares Unicode, because players
  /// assume a Macintosh encoding in samples without `encd`.
  private static func textSample(_ text: String, link: String?) -> [UInt8] {
    let shortText = text.cut(toUTF8Count: maximumTextByteCount)
    var writer = ByteWriter()
    writer.write(UInt16(truncatingIfNeeded: shortText.utf8.count))
    guard !shortText.isEmpty else { return writer.take() }
    writer.write(utf8: shortText)
    if let link, link.utf8.count <= maximumLinkByteCount {
      writer.atom("href") { href in  // The link covers the whole text. The second text field is empty.
        href.write(UInt16(0))
        href.write(UInt16(truncatingIfNeeded: shortText.unicodeScalars.count))
        href.write(UInt8(truncatingIfNeeded: link.utf8.count))
        href.write(utf8: link)
        href.write(UInt8(0))
      }
    }
    writer.atom("encd") { $0.write(UInt32(0x100)) }
    return writer.take()
  }

  /// A QuickTime text description (QTFF "Text Sample Description") of 59 bytes, as iTunes writes it. It declares
  /// hidden, centered text, and all other fields are 0.
  ///
  /// MP4 files use the same sample entry: ffmpeg, mp4v2 and iTunes write it, and Apple's players recognize chapters
  /// by it.
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
      else { throw MovieError(.invalidEdit, "a chapter picture is neither JPEG nor PNG; convert the picture") }
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

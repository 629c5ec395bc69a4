public import MovieBox
public import MovieWriter

/// A movie as HTTP Live Streaming plays it: playlists, initialization segments, segments of picture, sound and text.
///
/// A value, worked out from sample tables and the samples of text alone: no picture or sound is read. Media is ranges of
/// the movie; all else is generated. Write it to a folder (``write(to:from:existing:synchronizes:progress:)``), or
/// answer requests from it:
///
///     let source = try FileSource(path: "film.mov")
///     let plan = try StreamPlan(of: Movie(of: source), from: source)
///     if let answer = plan.response(plan.entryPath, range: nil) {
///       print(answer.contentType, answer.byteCount, answer.entityTag)
///     }
public struct StreamPlan: Sendable {
  /// One of the files of a presentation.
  public struct File: Hashable, Sendable {
    /// What a file is.
    public enum Kind: String, Sendable {
      /// The playlist that a player opens.
      case multivariantPlaylist = "multivariant-playlist"
      /// A playlist of segments.
      case mediaPlaylist = "media-playlist"
      /// What a player needs before the segments of a track.
      case initialization
      /// A piece of picture or sound, or all of a track in one file.
      case media
      /// A piece of text: WebVTT.
      case text
      /// Chapters and the like: JSON.
      case data
      /// A picture of a chapter.
      case image
    }

    /// Its name, with folders, from the folder of the presentation on.
    public let path: String
    /// What it is.
    public let kind: Kind
    /// Its type for `Content-Type`.
    public let contentType: String
    /// Its bytes: generated ones, and ranges of ``StreamPlan/source``.
    ///
    /// Indices do not begin at 0: the files of a track are slices of one array, which lives as long as any of them.
    public let contents: ArraySlice<OutputPlan.Content>
    /// How many bytes.
    public let byteCount: UInt64
    /// How many of them are generated.
    package let generatedByteCount: UInt64

    /// A file of these counts of bytes: to add up those of media is a step for each of some hundred thousand chunks.
    init(
      _ path: String, _ kind: Kind, _ contentType: String, _ contents: ArraySlice<OutputPlan.Content>,
      byteCount: UInt64, generatedByteCount: UInt64
    ) {
      self.path = path
      self.kind = kind
      self.contentType = contentType
      self.contents = contents
      self.byteCount = byteCount
      self.generatedByteCount = generatedByteCount
    }

    /// A file that is generated as a whole.
    init(_ path: String, _ kind: Kind, _ contentType: String, _ bytes: Bytes) {
      let count = UInt64(bytes.count)
      self.init(path, kind, contentType, [.generated(bytes)], byteCount: count, generatedByteCount: count)
    }

    /// The bytes of a file that is generated as a whole.
    var generatedBytes: Bytes {
      if contents.count == 1, case .generated(let bytes)? = contents.first { bytes } else { Bytes() }
    }

    /// A file of text.
    init(_ path: String, _ kind: Kind, _ contentType: String, text: String) {
      self.init(path, kind, contentType, Bytes(Array(text.utf8)))
    }
  }

  /// Something that a person should know.
  public struct Notice: Hashable, Sendable {
    /// A word for it, which stays the same.
    public let code: String
    /// Which of the movies, counted from 0.
    public let movieIndex: Int
    /// The track that it is about; `nil` where none applies.
    public let trackID: UInt32?
    /// Whether a person should act on it.
    public let isWarning: Bool
    /// One sentence.
    public let message: String
    /// The change to the options that avoids what the notice is about, or `nil` if no option does.
    package let remedy: StreamRemedy?
    /// The reason why the track is left out, or `nil` if the notice is about something else.
    package let leftOutReason: String?

    init(
      _ code: String, movieIndex: Int = 0, trackID: UInt32? = nil, isWarning: Bool = true,
      remedy: StreamRemedy? = nil, _ message: String
    ) {
      self.code = code
      self.movieIndex = movieIndex
      self.trackID = trackID
      self.isWarning = isWarning
      self.remedy = remedy
      self.message = message
      leftOutReason = nil
    }

    /// A notice that a track is left out.
    init(leftOut trackID: UInt32, ofMovie movieIndex: Int, isWarning: Bool = true, because reason: String) {
      code = "track-left-out"
      self.movieIndex = movieIndex
      self.trackID = trackID
      self.isWarning = isWarning
      remedy = nil
      message = reason + "; left out"
      leftOutReason = reason
    }
  }

  /// What the movie's source must look like; of several movies, that of a ``/MovieBox/JoinedSource`` of all.
  public let source: SourceIdentity
  /// The files, in the order in which they are written: what refers to others comes after them.
  public let files: [File]
  /// What was left out, and what a person should know.
  public let notices: [Notice]
  /// The playlist that a player opens.
  package let multivariant: MultivariantPlaylist
  /// How long a segment is at most, in seconds (`EXT-X-TARGETDURATION`).
  public let targetDuration: UInt64
  /// How much later times in the files are than those of the movie, in ticks of 90 kHz.
  public let delayIn90kHz: UInt64
  /// What the tags of all files of media begin with.
  private let tagPrefix: EntityTag
  /// The places of ``files`` by their paths.
  private let indices: [String: Int]

  init(
    source: SourceIdentity, files: [File], notices: [Notice], multivariant: MultivariantPlaylist,
    targetDuration: UInt64, delayIn90kHz: UInt64, tagPrefix: EntityTag
  ) {
    self.source = source
    self.tagPrefix = tagPrefix
    self.files = files
    self.notices = notices
    self.multivariant = multivariant
    self.targetDuration = targetDuration
    self.delayIn90kHz = delayIn90kHz
    indices = Dictionary(files.indices.map { (files[$0].path, $0) }) { first, _ in first }
  }

  /// The path of the playlist that a player opens.
  public var entryPath: String { Self.entryPath }

  package static let entryPath = "main.m3u8"

  /// The file of a path; `nil` for none.
  public func file(_ path: String) -> File? {
    indices[path].map { files[$0] }
  }

  /// A tag of a file's bytes, with its quotation marks: the same as long as the bytes are.
  ///
  /// The bytes of media follow from the movie, the options and the path, and so does their tag: a long segment need not
  /// be gone through, which would take longer than a client should wait.
  func entityTag(of file: File) -> String {
    if file.contents.count == 1, case .generated(let bytes)? = file.contents.first { return EntityTag(bytes).text }
    var tag = tagPrefix
    tag.add(file.path.utf8)
    return tag.text
  }

  /// The bytes of a file as a plan, to be read (``/MovieWriter/PlannedSource``) or written.
  ///
  /// Throws ``/MovieBox/MovieError`` for a movie two samples of which are the same bytes.
  public func outputPlan(of file: File) throws(MovieError) -> OutputPlan {
    do throws(MovieError) {
      return try OutputPlan(of: source, Array(file.contents))
    } catch {
      // All ranges lie in the movie: only their sharing bytes is left.
      throw MovieError(.unsupported, at: error.offset, "two samples of \(file.path) are the same bytes of the movie")
    }
  }
}

extension StreamPlan {
  /// What a server answers: how many bytes, which of them, and where they are.
  public struct Response: Hashable, Sendable {
    /// The size of the whole file.
    public let byteCount: UInt64
    /// The bytes that are sent: `Content-Range`, and `Content-Length` is their count.
    public let range: ByteRange
    /// `Content-Type`.
    public let contentType: String
    /// `ETag`, with its quotation marks: the same as long as the file's bytes are.
    public let entityTag: String
    /// The bytes: generated ones, and ranges of the movie; offsets count from the start of the file.
    public let extents: [OutputPlan.Extent]
  }

  /// The answer to a request for a file, or for some of its bytes, cut to the end of the file; `nil` where there is no
  /// such file, or no byte of it in the range.
  ///
  /// The path is that of the file, without percent encoding and without a leading slash. Plans and reads nothing: costs
  /// the file's contents up to the end of the range.
  public func response(_ path: String, range: ByteRange? = nil) -> Response? {
    guard let file = file(path) else { return nil }
    let wanted = range ?? ByteRange(0..<file.byteCount)
    guard wanted.offset < file.byteCount || range == nil else { return nil }
    let cut = ByteRange(wanted.offset..<Swift.min(wanted.end, file.byteCount))
    return Response(
      byteCount: file.byteCount, range: cut, contentType: file.contentType, entityTag: entityTag(of: file),
      extents: Self.extents(of: file, in: cut))
  }

  /// The contents of a file in a range, cut to it.
  private static func extents(of file: File, in range: ByteRange) -> [OutputPlan.Extent] {
    var found: [OutputPlan.Extent] = []
    var offset: UInt64 = 0
    for content in file.contents {
      guard offset < range.end else { break }
      let end = offset.addingClamped(content.byteCount)
      if let part = ByteRange(offset..<end).intersection(range), part.count > 0 {
        // The part lies in the content.
        let piece = content.cut(part.offset &- offset, count: part.count)
        found.append(OutputPlan.Extent(offset: part.offset, content: piece))
      }
      offset = end
    }
    return found
  }
}

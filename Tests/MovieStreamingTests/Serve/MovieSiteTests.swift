import MovieBox
import MovieWriter
import Synchronization
import TestSupport
import Testing

@testable import MovieStreaming

/// A site with a page, a movie and its presentation.
struct MovieSiteTests {
  /// A movie in memory that records its reads.
  private final class CountingSource: RandomAccessSource {
    private let base: MemorySource
    private let log = Mutex<[ByteRange]>([])

    init(_ bytes: [UInt8]) { base = MemorySource(Bytes(bytes)) }

    func identity() -> SourceIdentity { base.identity() }

    func read(_ range: ByteRange) throws -> Bytes {
      log.withLock { $0.append(range) }
      return try base.read(range)
    }

    /// Discards the record.
    func forget() { log.withLock { $0 = [] } }

    /// Returns how often the byte at an offset was read.
    func readCount(of offset: UInt64) -> Int { log.withLock { $0.count { $0.offset <= offset && offset < $0.end } } }
  }

  private struct Site {
    var site = MovieSite()
    let plan: StreamPlan
    let source: CountingSource
    let movie: Movie

    init(_ bytes: [UInt8]) throws {
      source = CountingSource(bytes)
      movie = try Movie(of: source)
      source.forget()
      var page = try PageMovie(movie, from: source, at: "film.mp4")
      plan = try site.add(&page, movie, from: source, under: "1").get()
    }

    func tag(_ path: String) throws -> String? {
      let head = String(
        decoding: site.response(to: try HTTPRequestTests.request("HEAD /1/hls/\(path) HTTP/1.1", "Host: a")).head(
          on: ""),
        as: UTF8.self)
      return head.firstMatch(of: /ETag: (.*)\r\n/).map { String($0.1) }
    }
  }

  @Test func sendsTheLibrarysTags() throws {
    let site = try Site(StreamableMovie.talk.bytes())
    for file in site.plan.files {
      let tag = try site.tag(file.path)
      #expect(tag != nil && tag == site.plan.response(file.path)?.entityTag, "\(file.path)")
    }
  }

  @Test func readsSubtitlesOnce() throws {
    let site = try Site(StreamableMovie.talk.bytes())
    let text = try #require(site.movie.tracks.first { $0.mediaType == .subtitle })
    let samples = try #require(site.movie.readFragments(of: site.source).track(text.id)).samples
    for sample in samples {
      let range = try #require(sample.byteRange)
      #expect(site.source.readCount(of: range.offset) == 1)
    }
    // The presentation contains the text nevertheless.
    #expect(site.plan.files.contains { $0.path == "subtitles-en/segment-1.vtt" })
    let plain = try Streamed(StreamableMovie.talk)
    for file in plain.plan.files where file.kind == .text { #expect(site.plan.file(file.path) == file) }
  }

  @Test func readsFragmentsOnce() throws {
    let header = StreamableMovie.talk.initial.with { movie in
      movie.dialect = .iso
      movie.tracks = Array(movie.tracks.prefix(2))
    }
    let fragments = [0, 1].map { index in
      let track = StreamableMovie.talk.tracks[index]
      return TestFragment([.init(id: track.id, decodeTime: 0, runs: [.init(track.samples)])])
    }
    let site = try Site(header.bytes(fragments: fragments))
    let moof = try #require(site.movie.layout.first("moof"))
    let once = CountingSource(header.bytes(fragments: fragments))
    let movie = try Movie(of: once)
    once.forget()
    _ = try movie.readFragments(of: once)
    #expect(site.source.readCount(of: moof.payloadRange.offset) == once.readCount(of: moof.payloadRange.offset))
  }
}

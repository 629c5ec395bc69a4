import MovieBox
import MovieStreaming
import MovieWriter
import TestSupport
import Testing

/// Movies from anybody give a plan or an error.
struct HostileStreamTests {
  /// Every word of the movie atom in turn says something else.
  @Test(arguments: [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF]) func numbersThatLieGiveAnError(_ value: Int) throws {
    let bytes = StreamableMovie.short.with { $0.layout = .movieFirst }.bytes()
    let end = try #require(bytes.firstRange(of: code("mdat"))).lowerBound
    for place in stride(from: 40, to: end - 4, by: 4) {
      var changed = bytes
      changed.replaceSubrange(place..<place + 4, with: u32(value))
      do {
        let streamed = try Streamed(changed)
        for file in streamed.plan.files { _ = try streamed.plan.outputPlan(of: file) }
      } catch let error as MovieError {
        #expect(error.code != .planCheckFailed, "word at \(place): \(error)")
      }
    }
  }

  @Test func moviesOfManySegmentsAreRefused() throws {
    var options = StreamOptions(segmentMilliseconds: 1_000)
    options.segmentCountLimit = 3
    #expect { try Streamed(StreamableMovie.talk, options) } throws: { ($0 as? MovieError)?.code == .limit }
    options = StreamOptions()
    options.sampleCountLimit = 100
    #expect { try Streamed(StreamableMovie.talk, options) } throws: { ($0 as? MovieError)?.code == .limit }
    options = StreamOptions()
    options.textByteCountLimit = 100
    #expect { try Streamed(StreamableMovie.talk, options) } throws: { ($0 as? MovieError)?.code == .limit }
  }

  /// Movies from the wild are streamed or refused; what is streamed has the samples of the movie.
  @Test(.timeLimit(.minutes(5))) func moviesFromTheWildAreStreamedOrRefused() throws {
    var count = 0
    for entry in try Corpus.require().movies {
      let source = try FileSource(path: entry.path)
      do {
        let movie = try Movie(of: source)
        let plan = try StreamPlan(of: movie, from: source)
        let media = plan.files.filter { $0.kind == .media }.flatMap(\.contents)
        var ranges: UInt64 = 0
        for content in media {
          if case .source(let range) = content { ranges += range.count }
        }
        #expect(ranges > 0, "\(entry.name)")
        for file in plan.files { _ = try plan.outputPlan(of: file) }
        count += 1
      } catch is MovieError {
        continue
      }
    }
    #expect(count > 60)
  }
}

import TestSupport
import Testing

@testable import MovieBox

struct RouteTests {
  private static func movie(_ tracks: [TestTrack]) throws -> (Movie, MemorySource) {
    let source = MemorySource(Bytes(TestMovie(tracks: tracks).build().bytes))
    return (try Movie(of: source), source)
  }

  private static let picture = TestTrack(.video, id: 1).with {
    $0.samples = [TestSample(8, duration: 6_000)]
  }

  @Test func readsLocationsWithTheirTimes() throws {
    let track = TestTrack.route(id: 2, ["+48.1370+011.5750+520.000/", "", "+48.1380-011.5760/", "nowhere"])
    let (movie, source) = try Self.movie([Self.picture, track])
    let route = try #require(try movie.route(from: source)).points
    #expect(route.map(\.milliseconds) == [0, 2_000])
    #expect(route.map(\.location.latitude) == [48.137, 48.138])
    #expect(route.map(\.location.longitude) == [11.575, -11.576])
    #expect(route.map(\.location.altitude) == [520, nil])
  }

  @Test func appliesEditListsToLocations() throws {
    let places = (0..<4).map { "+0\($0).0000+000.0000/" }
    let track = TestTrack.route(id: 2, places).with {
      // An empty second, then the second half of the media, then the first.
      $0.edits = [
        TestEdit(duration: 600, mediaTime: -1), TestEdit(duration: 1_500, mediaTime: 900),
        TestEdit(duration: 600, mediaTime: 0),
      ]
    }
    let (movie, source) = try Self.movie([Self.picture, track])
    let route = try #require(try movie.route(from: source)).points
    #expect(route.map(\.milliseconds) == [1_000, 1_500, 2_500, 3_500])
    #expect(route.map(\.location.latitude) == [1, 2, 3, 0])
  }

  /// As in text tracks, a last sample without duration lasts to the end.
  @Test func extendsALastLocationWithoutDuration() throws {
    let track = TestTrack.route(id: 2, ["+01.0000+000.0000/", "+02.0000+000.0000/"]).with {
      $0.samples[1].duration = 0
      $0.edits = [TestEdit(duration: 600, mediaTime: 700), TestEdit(duration: 600, mediaTime: 0)]
    }
    let (movie, source) = try Self.movie([Self.picture, track])
    let route = try #require(try movie.route(from: source)).points
    #expect(route.map(\.milliseconds) == [0, 1_000] && route.map(\.location.latitude) == [2, 1])
  }

  /// Numbers out of range and texts that are not ISO 6709 are counted.
  @Test func omitsInvalidLocations() throws {
    let (movie, source) = try Self.movie([
      .route(
        id: 1, ["+48.1+011.5/", "+NaN+011.5/", "+91.0+011.5/", "48.1+011.5/", "+48.1+011.5 north", "+48.2+011.5/x"])
    ])
    let route = try #require(try movie.route(from: source))
    #expect(route.omittedPointCount == 4)
    #expect(route.segments.map { $0.map(\.location.latitude) } == [[48.1], [48.2]])
  }

  @Test func returnsNoRouteForOtherMovies() throws {
    let (movie, source) = try Self.movie([Self.picture])
    #expect(try movie.route(from: source)?.points == nil)
    let (empty, emptySource) = try Self.movie([Self.picture, .route(id: 2, ["", "x"])])
    #expect(try empty.route(from: emptySource)?.points.isEmpty ?? true)
  }

  @Test func survivesAnyChangedByteOfTheTrack() throws {
    let bytes = TestMovie(tracks: [.route(id: 1, ["+48.1370+011.5750/"])]).build().bytes
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: "stsd".utf8) })
    for index in start..<min(start + 160, bytes.count) {
      for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        var changed = bytes
        changed[index] = value
        let source = MemorySource(Bytes(changed))
        do {
          _ = try Movie(of: source).route(from: source)
        } catch {
          #expect(error is MovieError, "\(error)")
        }
      }
    }
  }
}

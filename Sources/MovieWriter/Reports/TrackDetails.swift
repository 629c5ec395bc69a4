package import MovieBox

/// What a track and its first sample description say of picture and sound.
package struct TrackDetails: Equatable, Sendable {
  /// A size in pixels.
  package struct Size: Equatable, Sendable {
    package let width: UInt32
    package let height: UInt32
  }

  /// The size on the screen, after the matrix; `nil` for a track without one.
  package private(set) var displaySize: Size?
  /// The size of the coded picture.
  package private(set) var codedSize: Size?
  /// How many channels sound has; `nil` where the movie atom does not say.
  package private(set) var channelCount: UInt32?
  /// Samples of sound a second.
  package private(set) var sampleRate: UInt32?

  /// Reads the first sample description; one that does not parse leaves no details.
  package init(_ track: Track, in movie: Movie) {
    let size = track.pictureSize
    if size.width > 0, size.height > 0 { displaySize = Size(width: size.width, height: size.height) }
    guard let entry = track.sampleDescriptions.entries.first else { return }
    do throws(MovieError) {
      switch track.mediaType {
      case .video:
        let description = try VideoDescription(body: entry.body)
        codedSize = Size(width: UInt32(description.width), height: UInt32(description.height))
      case .audio:
        let description = try SoundDescription(body: entry.body)
        channelCount = movie.channelCount(of: track)
        let rate = description.sampleRate(of: entry.format, mediaTimeScale: track.mediaHeader.timeScale)
        // Of sound without any rate nothing is said.
        sampleRate = description.sampleRate > 0 || rate > UInt32(UInt16.max) ? rate : 0
      default: break
      }
    } catch {
      return  // The rule `description.unreadable` reports it.
    }
  }

  /// The cell of a table: `1280 × 720`, `6 channels, 48 kHz`.
  package var description: String {
    if let sampleRate {
      let channels: String? =
        switch channelCount {
        case nil, 0: nil
        case 1: "mono"
        case 2: "stereo"
        case let count?: "\(count) channels"
        }
      let rate = sampleRate > 0 ? Self.kilohertz(sampleRate) : nil
      return [channels, rate].compactMap(\.self).joined(separator: ", ")
    }
    return (displaySize ?? codedSize).map { "\($0.width) × \($0.height)" } ?? ""
  }

  /// `48 kHz`, `44.1 kHz`, `11.025 kHz`.
  private static func kilohertz(_ rate: UInt32) -> String {
    var fraction = String(1000 + rate % 1000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(rate / 1000)" + (fraction.isEmpty ? "" : "." + fraction) + " kHz"
  }
}

import MovieBox

/// What a track and its first sample description say of picture and sound.
struct TrackDetails: Equatable, Sendable {
  /// A size in pixels.
  struct Size: Equatable, Sendable {
    let width: UInt32
    let height: UInt32
  }

  /// The size on the screen, after the matrix; `nil` for a track without one.
  private(set) var displaySize: Size?
  /// The size of the coded picture.
  private(set) var codedSize: Size?
  /// How many channels sound has.
  private(set) var channelCount: UInt32?
  /// Samples of sound a second.
  private(set) var sampleRate: UInt32?

  /// Reads the first sample description; one that does not parse leaves no details.
  init(_ track: Track) {
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
        channelCount = description.channelCount
        // Rates from 65536 do not fit the description of versions 0 and 1.
        let timeScale = track.mediaHeader.timeScale
        let rate = description.sampleRate
        sampleRate = timeScale > UInt32(UInt16.max) && description.version < 2 ? timeScale : rate
      default: break
      }
    } catch {
      return  // `description.unreadable` says so.
    }
  }

  /// The cell of a table: `1280 × 720`, `2 channels, 48 kHz`.
  var words: String {
    if let channelCount {
      let channels =
        switch channelCount {
        case 0: "channels not known"
        case 1: "mono"
        case 2: "stereo"
        default: "\(channelCount) channels"
        }
      guard let sampleRate, sampleRate > 0 else { return channels }
      return channels + ", " + Self.kilohertz(sampleRate)
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

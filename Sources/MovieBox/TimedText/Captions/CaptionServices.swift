package import Subtitles

/// Lists the CEA-608 channels and CEA-708 services of closed captions, without decoding them.
package struct CaptionServices: Hashable, Sendable {
  /// The service of the following characters in a field.
  private enum Destination: Hashable {
    case channel(CaptionChannel)
    case text(CaptionChannel)
  }

  private var channels: Set<CaptionChannel> = []
  private var textServices: Set<CaptionChannel> = []
  private var digitalServices = DigitalCaptionServices()
  /// The service of the last control code in each field. It is `nil` before the first control code and in extended data
  /// (XDS).
  private var destinations: [Destination?] = [nil, nil]
  /// The channels in text mode. Only some codes change the mode.
  private var channelsInTextMode: Set<CaptionChannel> = []

  package init() {}

  /// The names `CC1` to `CC4`, then `SERVICE1` to `SERVICE63`, as in playlists.
  package var names: [String] { channelNames + digitalNumbers.map { "SERVICE\($0)" } }
  /// The names of all services: `CC1` to `CC4`, `T1` to `T4`, then `SERVICE1` to `SERVICE63`.
  package var allNames: [String] {
    if channels.isEmpty, textServices.isEmpty, digitalNumbers.isEmpty { return [] }
    return channelNames + CaptionChannel.allCases.filter(textServices.contains).map(\.textServiceName)
      + digitalNumbers.map { "SERVICE\($0)" }
  }
  /// The names of the channels with characters, from `CC1` to `CC4`.
  package var channelNames: [String] { CaptionChannel.allCases.filter(channels.contains).map(\.rawValue) }
  /// The numbers of the CEA-708 services, from 1 to 63.
  package var digitalNumbers: [Int] { digitalServices.numbers }

  /// Processes the next triple.
  package mutating func receive(_ triple: CaptionDistributionPacket.Triple) {
    guard triple.isValid else { return }
    switch triple.kind {
    case .field1: receive(triple.pair, field: 0)
    case .field2: receive(triple.pair, field: 1)
    case .digitalData, .digitalStart: digitalServices.receive(triple)
    }
  }

  /// Reads the services of the last packet. Call this function after the last triple, and before triples that do not
  /// directly follow the previous triples.
  package mutating func finish() { digitalServices.finish() }

  /// Processes a pair. Text belongs to the channel of the preceding control code.
  private mutating func receive(_ pair: CaptionPair, field: Int) {
    let (first, second) = pair.codes
    if pair.isControl {
      let channel = CaptionChannel(field: field, isSecond: first & 0x08 != 0)
      // Miscellaneous control codes with a second byte from 0x20 to 0x2F select and control the caption mode.
      if first & 0x06 == 0x04, (0x20...0x2F).contains(second) {
        switch second {
        case 0x2A, 0x2B: channelsInTextMode.insert(channel)
        case 0x20, 0x25, 0x26, 0x27, 0x29, 0x2F: channelsInTextMode.remove(channel)
        default: break
        }
      }
      destinations[field] = channelsInTextMode.contains(channel) ? .text(channel) : .channel(channel)
    } else if first >= 0x20 {
      switch destinations[field] {
      case .channel(let channel): channels.insert(channel)
      case .text(let channel): textServices.insert(channel)
      case nil: break
      }
    } else if (0x01...0x0F).contains(first) {
      destinations[field] = nil  // A packet of extended data services (XDS).
    }
  }
}

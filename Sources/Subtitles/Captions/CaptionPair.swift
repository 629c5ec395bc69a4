/// The two bytes that a field of line 21 carries in a frame (CTA-608-E). Bit 7 of each byte makes its parity odd.
package struct CaptionPair: Hashable, Sendable {
  /// The first byte, with its parity bit as transmitted.
  package var first: UInt8
  /// The second byte, with its parity bit as transmitted.
  package var second: UInt8

  /// Creates a pair of bytes that include their parity bits.
  package init(_ first: UInt8, _ second: UInt8) {
    self.first = first
    self.second = second
  }

  /// Creates a pair of two 7-bit codes and sets their parity bits.
  package init(code first: UInt8, _ second: UInt8) {
    self.init(Self.withOddParity(first), Self.withOddParity(second))
  }

  /// The pair that fills frames without data.
  package static let null = CaptionPair(0x80, 0x80)

  /// The 7-bit codes without parity.
  package var codes: (first: UInt8, second: UInt8) { (first & 0x7F, second & 0x7F) }

  /// Whether both codes are equal to the codes of another pair. The parity may differ.
  package func hasSameCodes(as other: CaptionPair?) -> Bool { other.map { codes == $0.codes } ?? false }

  /// Whether both codes are zero. A frame with this pair contains no data.
  package var isNull: Bool { (first | second) & 0x7F == 0 }

  /// Whether the pair is a control code or a special character. Both bytes of the pair form one code.
  package var isControl: Bool { (0x10...0x1F).contains(codes.first) }

  /// Whether a control code belongs to the second channel of its field.
  package var isOfSecondChannel: Bool { codes.first & 0x08 != 0 }

  /// The pair with odd parity in both bytes. Tracks and files are written with odd parity, because receivers check it.
  package var withOddParity: CaptionPair { CaptionPair(code: codes.first, codes.second) }

  /// Whether the parity of a byte is odd, as CEA-608 requires.
  package static func hasOddParity(_ byte: UInt8) -> Bool { byte.nonzeroBitCount & 1 == 1 }

  private static func withOddParity(_ code: UInt8) -> UInt8 {
    hasOddParity(code & 0x7F) ? code & 0x7F : code | 0x80
  }
}

/// A pair and the time at which it is transmitted.
package struct TimedCaptionPair: Hashable, Sendable {
  /// The time. It is the frame number in a caption file, or the media time in a movie. Several pairs may have equal
  /// times.
  package var time: Int64
  /// The bytes.
  package var pair: CaptionPair
  /// The line in the file, from 1, or 0 if the pair is not from a file.
  package var line: Int

  /// Creates a pair that is transmitted at `time`.
  package init(time: Int64, _ pair: CaptionPair, line: Int = 0) {
    self.time = time
    self.pair = pair
    self.line = line
  }
}

/// A channel of closed captions (CEA-608). Most programs use only the first channel.
public enum CaptionChannel: String, Hashable, Sendable, CaseIterable {
  /// The first channel of the first field. Nearly all captions use this channel.
  case cc1 = "CC1"
  /// The second channel of the first field.
  case cc2 = "CC2"
  /// The first channel of the second field, often for another language.
  case cc3 = "CC3"
  /// The second channel of the second field.
  case cc4 = "CC4"

  /// Creates the channel for a field and for the first or second data channel of the field. The first field is 0.
  package init(field: Int, isSecond: Bool) {
    switch (field, isSecond) {
    case (0, false): self = .cc1
    case (0, true): self = .cc2
    case (_, false): self = .cc3
    case (_, true): self = .cc4
    }
  }

  /// The field of line 21, 0 or 1, that carries the channel.
  package var field: Int { self == .cc1 || self == .cc2 ? 0 : 1 }

  /// Whether the channel is the second one of its field.
  package var isSecond: Bool { self == .cc2 || self == .cc4 }

  /// The name of the text service that shares the channel: T1 to T4.
  package var textServiceName: String { "T" + rawValue.dropFirst(2) }
}

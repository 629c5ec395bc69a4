@testable import Subtitles

/// A code of CEA-608 by the name that standards give it, or text.
enum CaptionCode {
  case rcl, bs, der, ru(Int), fon, rdc, tr, edm, cr, enm, eoc
  case tab(Int)
  /// A preamble of a row, from 1, with an indent.
  case pac(Int, indent: Int = 0, isUnderlined: Bool = false)
  /// A preamble of a row with a style: 0 is white, 1 green to 6 magenta, 7 italic.
  case pacStyle(Int, UInt8)
  /// A change of style within a row, by the number of the style.
  case midRow(UInt8, isUnderlined: Bool = false)
  /// Basic characters in ASCII, two in a pair.
  case text(String)
  /// The 7-bit codes of a pair.
  case codes(UInt8, UInt8)
  /// A pair without data.
  case null

  /// The pairs of the code, each control code once.
  var pairs: [CaptionPair] {
    switch self {
    case .rcl: [CaptionPair(code: 0x14, 0x20)]
    case .bs: [CaptionPair(code: 0x14, 0x21)]
    case .der: [CaptionPair(code: 0x14, 0x24)]
    case .ru(let depth): [CaptionPair(code: 0x14, 0x23 + UInt8(depth))]
    case .fon: [CaptionPair(code: 0x14, 0x28)]
    case .rdc: [CaptionPair(code: 0x14, 0x29)]
    case .tr: [CaptionPair(code: 0x14, 0x2A)]
    case .edm: [CaptionPair(code: 0x14, 0x2C)]
    case .cr: [CaptionPair(code: 0x14, 0x2D)]
    case .enm: [CaptionPair(code: 0x14, 0x2E)]
    case .eoc: [CaptionPair(code: 0x14, 0x2F)]
    case .tab(let count): [CaptionPair(code: 0x17, 0x20 + UInt8(count))]
    case .pac(let row, let indent, let isUnderlined):
      [Self.preamble(row, 0x10 | UInt8(indent / 4) << 1 | (isUnderlined ? 1 : 0))]
    case .pacStyle(let row, let style): [Self.preamble(row, style << 1)]
    case .midRow(let style, let isUnderlined): [CaptionPair(code: 0x11, 0x20 | style << 1 | (isUnderlined ? 1 : 0))]
    case .text(let text): Self.pairs(of: Array(text.utf8))
    case .codes(let first, let second): [CaptionPair(code: first, second)]
    case .null: [.null]
    }
  }

  private static func pairs(of bytes: [UInt8]) -> [CaptionPair] {
    stride(from: 0, to: bytes.count, by: 2).map { index in
      CaptionPair(code: bytes[index], index + 1 < bytes.count ? bytes[index + 1] : 0)
    }
  }

  /// The table of preambles in CTA-608-E: the first byte, and the bit that selects the second row of two.
  private static func preamble(_ row: Int, _ low: UInt8) -> CaptionPair {
    let table: [Int: (UInt8, UInt8)] = [
      1: (0x11, 0x40), 2: (0x11, 0x60), 3: (0x12, 0x40), 4: (0x12, 0x60), 5: (0x15, 0x40), 6: (0x15, 0x60),
      7: (0x16, 0x40), 8: (0x16, 0x60), 9: (0x17, 0x40), 10: (0x17, 0x60), 11: (0x10, 0x40), 12: (0x13, 0x40),
      13: (0x13, 0x60), 14: (0x14, 0x40), 15: (0x14, 0x60),
    ]
    let (first, high) = table[row] ?? (0x14, 0x60)
    return CaptionPair(code: first, high | low)
  }
}

extension [CaptionCode] {
  /// The pairs in consecutive frames, with each control code twice unless `isDoubled` is `false`.
  func timed(from frame: Int64 = 0, isDoubled: Bool = true) -> [TimedCaptionPair] {
    let pairs = flatMap { code in
      code.pairs.flatMap { $0.isControl && isDoubled ? [$0, $0] : [$0] }
    }
    return pairs.enumerated().map { TimedCaptionPair(time: frame + Int64($0.offset), $0.element) }
  }

  /// The screens of a channel.
  func screens(
    _ channel: CaptionChannel = .cc1, parity: CaptionDecoder.Parity = .checked, isDoubled: Bool = true
  ) throws -> [CaptionScreen] {
    var decoder = CaptionDecoder(field: channel.field, parity: parity)
    for pair in timed(isDoubled: isDoubled) { try decoder.receive(pair) }
    try decoder.finish()
    return decoder.screens(of: channel)
  }

  /// The rows of the screens, as `ROW:COLUMN TEXT`.
  func rows(_ channel: CaptionChannel = .cc1, isDoubled: Bool = true) throws -> [[String]] {
    try screens(channel, isDoubled: isDoubled).map { $0.rows.map(\.summary) }
  }
}

extension CaptionRow {
  /// The row as `ROW:COLUMN TEXT`.
  var summary: String { "\(row):\(column) \(text.text)" }
}

/// Text of SCC files.
func scc(_ lines: String...) -> [UInt8] {
  Array("Scenarist_SCC V1.0\n\n".utf8) + Array(lines.joined(separator: "\n\n").utf8) + [0x0A]
}

extension TextColor {
  /// A colour of CSS in lower case: a name, `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa`, `rgb()`, `rgba()` or
  /// `transparent`. Fails for anything else.
  init?(css value: String) {
    if value == "transparent" {
      self = .transparent
    } else if value.hasPrefix("rgb") {
      guard let color = TextColor(cssFunction: value) else { return nil }
      self = color
    } else if value.hasPrefix("#"), value.utf8.count == 5 || value.utf8.count == 9 {
      let digitCount = value.utf8.count == 5 ? 1 : 2
      guard let alpha = UInt8(digits: value.suffix(digitCount), radix: 16),
        let opaque = TextColor(markup: String(value.dropLast(digitCount)))
      else { return nil }
      self = opaque
      self.alpha = digitCount == 1 ? alpha * 0x11 : alpha  // One digit is 15 at most.
    } else {
      guard let color = TextColor(markup: value) else { return nil }
      self = color
    }
  }

  /// `rgb(255, 0, 0)`, `rgba(255 0 0 / 50%)`: numbers or percentages, with commas or without.
  private init?(cssFunction value: String) {
    guard let open = value.firstIndex(of: "("), value.last == ")", ["rgb", "rgba"].contains(value[..<open]) else {
      return nil
    }
    let parts = value[value.index(after: open)...].dropLast().split { $0 == "," || $0 == "/" || $0.isWhitespace }
    guard parts.count == 3 || parts.count == 4 else { return nil }
    var components: [UInt8] = []
    for (index, part) in parts.enumerated() {
      let isPercentage = part.hasSuffix("%")
      guard let number = Double(isPercentage ? part.dropLast() : part), number.isFinite else { return nil }
      let scale = isPercentage || index == 3 ? 255.0 : 1.0
      components.append(UInt8(min(255, max(0, (number * scale / (isPercentage ? 100 : 1)).rounded()))))
    }
    self.init(
      red: components[0], green: components[1], blue: components[2], alpha: parts.count == 4 ? components[3] : 255)
  }
}

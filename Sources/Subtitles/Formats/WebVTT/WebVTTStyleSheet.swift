/// The style sheets of a WebVTT file. Only rules that apply to subtitles of movies are included.
///
/// The supported selectors are `::cue` and `::cue(…)` with a tag name, classes and a voice. The supported properties
/// are `color`, `background-color`, `font-style`, `font-weight`, `font-size` in percent and `text-decoration`. Notices
/// report all other selectors and properties.
struct WebVTTStyleSheet {
  struct Change: Hashable {
    var isBold: Bool?
    var isItalic: Bool?
    var isUnderlined: Bool?
    var color: StyledText.Color?
    var backgroundColor: StyledText.Color?
    var sizeInPercent: Int?

    func apply(to style: inout StyledText.Style) {
      if let isBold { style.isBold = isBold }
      if let isItalic { style.isItalic = isItalic }
      if let isUnderlined { style.isUnderlined = isUnderlined }
      if let color { style.color = color }
      if let backgroundColor { style.backgroundColor = backgroundColor }
      if let sizeInPercent { style.sizeInPercent = sizeInPercent == 100 ? nil : sizeInPercent }
    }

    mutating func merge(_ later: Change) {
      isBold = later.isBold ?? isBold
      isItalic = later.isItalic ?? isItalic
      isUnderlined = later.isUnderlined ?? isUnderlined
      color = later.color ?? color
      backgroundColor = later.backgroundColor ?? backgroundColor
      sizeInPercent = later.sizeInPercent ?? sizeInPercent
    }
  }

  struct Selector: Hashable {
    /// Whether the selector is `::cue`. It matches the whole cue, and the tags of the cue inherit the style.
    var isWholeCue = false
    var tag: String?
    var classes: Set<String> = []
    var voice: String?

    /// The specificity. A selector with more conditions has a higher specificity (Selectors, clause "Calculating
    /// specificity").
    fileprivate var specificity: Int { (classes.count + (voice == nil ? 0 : 1)) * 2 + (tag == nil ? 0 : 1) }

    fileprivate func matches(_ element: Tag) -> Bool {
      (tag ?? element.name) == element.name && (voice ?? element.voice ?? "") == (element.voice ?? "")
        && classes.isSubset(of: element.classes)
    }
  }

  struct Tag {
    let name: String
    let classes: [String]
    let voice: String?
  }

  /// The style of cues outside their tags.
  private(set) var wholeCue = Change()
  private var rules: [(selector: Selector, change: Change)] = []
  private var ruleIndexBySelector: [Selector: Int] = [:]
  /// The classes in the selectors of all rules.
  private var styledClasses: Set<String> = []

  /// Adds a rule. Its declarations override the declarations of an earlier rule with the same selector.
  ///
  /// Returns `false` if the number of rules would exceed `limit`. The number is limited, because each rule is compared
  /// with each tag of the file.
  mutating func add(_ change: Change, to selector: Selector, limit: Int) -> Bool {
    if selector.isWholeCue {
      wholeCue.merge(change)
    } else if let position = ruleIndexBySelector[selector] {
      // Move the rule to the end, because the last rule with the highest specificity applies.
      var (_, merged) = rules.remove(at: position)
      merged.merge(change)
      rules.append((selector, merged))
      for (index, rule) in rules.enumerated().dropFirst(position) { ruleIndexBySelector[rule.selector] = index }
    } else {
      guard rules.count < limit else { return false }
      ruleIndexBySelector[selector] = rules.count
      rules.append((selector, change))
      styledClasses.formUnion(selector.classes)
    }
    return true
  }

  /// Whether a class affects the style of tags, either by a rule or by its name.
  func hasStyle(ofClass name: String) -> Bool {
    var style = StyledText.Style.plain
    style.apply(webVTTClass: name)
    return style != .plain || styledClasses.contains(name)
  }

  /// Returns the style inside a tag. `outer` is the style outside the tag.
  func style(of tag: Tag, in outer: StyledText.Style) -> StyledText.Style {
    var style = outer
    switch tag.name {
    case "b": style.isBold = true
    case "i": style.isItalic = true
    case "u": style.isUnderlined = true
    case "v": style.voice = tag.voice
    default: break
    }
    for name in tag.classes { style.apply(webVTTClass: name) }
    let matching = rules.enumerated().filter { $0.element.selector.matches(tag) }
    let ordered = matching.sorted {
      ($0.element.selector.specificity, $0.offset) < ($1.element.selector.specificity, $1.offset)
    }
    for rule in ordered { rule.element.change.apply(to: &style) }
    return style
  }
}

extension StyledText.Style {
  /// Applies the default style of a class. WebVTT defines classes for eight colors (WebVTT, clause 5.1). For any other
  /// color, ``WebVTTWriter`` writes a class whose name contains the color's value.
  mutating func apply(webVTTClass name: String) {
    if let color = StyledText.Color(webVTTClass: name) {
      self.color = color
    } else if name.hasPrefix("bg_"), let color = StyledText.Color(webVTTClass: String(name.dropFirst(3))) {
      backgroundColor = color
    }
  }
}

extension StyledText.Color {
  /// The eight colors with predefined classes.
  private static let webVTTClasses: [(name: String, color: StyledText.Color)] = [
    ("white", .white), ("lime", StyledText.Color(red: 0, green: 255, blue: 0)),
    ("cyan", StyledText.Color(red: 0, green: 255, blue: 255)), ("red", StyledText.Color(red: 255, green: 0, blue: 0)),
    ("yellow", StyledText.Color(red: 255, green: 255, blue: 0)),
    ("magenta", StyledText.Color(red: 255, green: 0, blue: 255)),
    ("blue", StyledText.Color(red: 0, green: 0, blue: 255)), ("black", StyledText.Color(red: 0, green: 0, blue: 0)),
  ]

  init?(webVTTClass name: String) {
    if let namedColor = Self.webVTTClasses.first(where: { $0.name == name }) {
      self = namedColor.color
      return
    }
    let digits = name.dropFirst()
    guard name.first == "x", digits.utf8.count == 8, let word = UInt32(digits: digits, radix: 16) else { return nil }
    self.init(
      red: UInt8(truncatingIfNeeded: word >> 24), green: UInt8(truncatingIfNeeded: word >> 16),
      blue: UInt8(truncatingIfNeeded: word >> 8), alpha: UInt8(truncatingIfNeeded: word))
  }

  /// The class of a color. It is a predefined class, or `x` followed by eight hexadecimal digits.
  var webVTTClass: String {
    Self.webVTTClasses.first { $0.color == self }?.name ?? "x" + hexadecimal(withAlpha: true)
  }

  /// Parses a CSS color in lowercase: a name, `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa`, `rgb()`, `rgba()` or
  /// `transparent`. Returns `nil` for other texts.
  init?(css value: String) {
    if value == "transparent" {
      self = .transparent
    } else if value.hasPrefix("rgb") {
      guard let color = StyledText.Color(cssFunction: value) else { return nil }
      self = color
    } else if value.hasPrefix("#"), value.utf8.count == 5 || value.utf8.count == 9 {
      let digitCount = value.utf8.count == 5 ? 1 : 2
      guard let alpha = UInt8(digits: value.suffix(digitCount), radix: 16),
        let opaque = StyledText.Color(markup: String(value.dropLast(digitCount)))
      else { return nil }
      self = opaque
      self.alpha = digitCount == 1 ? alpha * 0x11 : alpha  // A digit is at most 15.
    } else {
      guard let color = StyledText.Color(markup: value) else { return nil }
      self = color
    }
  }

  /// Parses `rgb(255, 0, 0)` or `rgba(255 0 0 / 50%)`. The components are numbers or percentages, with or without
  /// commas.
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

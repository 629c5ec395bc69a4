/// A compact style sheet or script of pages, with the hash that the page's policy lists.
///
/// Each style sheet and script is generated once, on first use. Generating it takes longer than generating the rest of
/// a page.
struct PageCode: Sendable {
  let bytes: [UInt8]
  /// The source expression for `Content-Security-Policy`.
  let hash: String

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    hash = "'sha256-" + Markup.base64(SHA256.hash(bytes)) + "'"
  }

  /// Returns the style sheet of a page with or without a report.
  static func style(hasReport: Bool) -> PageCode { hasReport ? styleWithReport : plainStyle }

  /// Returns the script of a page with or without a stream and a route.
  static func script(hasStream: Bool, hasRoute: Bool) -> PageCode {
    switch (hasStream, hasRoute) {
    case (false, false): plainScript
    case (false, true): scriptWithRoute
    case (true, false): scriptWithStream
    case (true, true): scriptWithStreamAndRoute
    }
  }

  private static let plainStyle = PageCode(CompactCode.style(PackageResources.page_css))
  private static let styleWithReport = PageCode(
    CompactCode.style(PackageResources.page_css + PackageResources.report_css))

  private static let plainScript = script([])
  private static let scriptWithRoute = script(PackageResources.route_js)
  private static let scriptWithStream = script(PackageResources.stream_js)
  private static let scriptWithStreamAndRoute = script(PackageResources.stream_js + PackageResources.route_js)

  private static func script(_ parts: [UInt8]) -> PageCode {
    PageCode(
      CompactCode.scriptWithShortNames(
        parts + PackageResources.memory_js + PackageResources.peek_js + PackageResources.page_js))
  }
}

/// Removes comments and whitespace from the page's scripts and styles.
///
/// A page must be loaded completely before it is shown, so its size matters. This type is not a general minifier and
/// relies on the style of the package's sources. Every statement ends in a semicolon. No string in a style sheet
/// contains punctuation that this type interprets. `node --check` and browser tests verify the result.
struct CompactCode {
  private let code: [UInt8]
  private var index = 0
  private var result: [UInt8] = []
  /// The number of open braces in each `${…}` of the enclosing template literals.
  private var templates: [Int] = []
  /// The words of a script outside strings and regular expressions.
  private var words: [Word] = []
  /// The open brackets at this position of a script, innermost last.
  private var brackets: [UInt8] = []

  /// A word of a compact script.
  struct Word {
    let range: Range<Int>
    /// Whether the innermost enclosing brackets are braces.
    let isInBraces: Bool
  }

  /// Returns a script without comments and whitespace.
  static func script(_ code: [UInt8]) -> [UInt8] { compactScript(code).result }

  /// Returns a compact script in which the script's own names are shortened.
  static func scriptWithShortNames(_ code: [UInt8]) -> [UInt8] {
    let compact = compactScript(code)
    return ShortNames.shortened(compact.result, words: compact.words)
  }

  private static func compactScript(_ code: [UInt8]) -> CompactCode {
    var compact = CompactCode(code: code)
    compact.result.reserveCapacity(code.count)
    while compact.index < code.count { compact.compactScriptCode() }
    return compact
  }

  /// Returns a style sheet without comments and whitespace.
  static func style(_ code: [UInt8]) -> [UInt8] {
    var compact = CompactCode(code: code)
    compact.result.reserveCapacity(code.count)
    while compact.index < code.count { compact.compactStyleCode() }
    return compact.result
  }

  private init(code: [UInt8]) { self.code = code }

  private func byte(_ offset: Int) -> UInt8? {
    code.indices.contains(index + offset) ? code[index + offset] : nil
  }

  private func isNext(_ text: StaticString) -> Bool {
    let bytes = Array("\(text)".utf8)
    return code[index...].starts(with: bytes)
  }

  private mutating func copy(_ count: Int = 1) {
    let end = min(code.count, index + count)
    result += code[index..<end]
    index = end
  }

  private mutating func skip(past end: StaticString) {
    let bytes = Array("\(end)".utf8)
    while index < code.count, !code[index...].starts(with: bytes) { index += 1 }
    index = min(code.count, index + bytes.count)
  }

  // MARK: - Scripts

  private static func isWord(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  private mutating func compactScriptCode() {
    guard let next = byte(0) else { return }
    switch next {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): copyString(next)
    case UInt8(ascii: "`"):
      copy()
      copyTemplate()
    case UInt8(ascii: "/"): copyOrSkipSlash()
    case UInt8(ascii: " "), UInt8(ascii: "\n"): compactBlanks()
    case UInt8(ascii: "{"):
      if let open = templates.last { templates[templates.count - 1] = open + 1 }
      copyOpening()
    case UInt8(ascii: "("), UInt8(ascii: "["): copyOpening()
    case UInt8(ascii: ")"), UInt8(ascii: "]"): copyClosing()
    case UInt8(ascii: "="):
      if isNext("=>") { dropParentheses() }
      copy()
    case UInt8(ascii: "}"):
      // The last semicolon of a block and the last comma of an object are redundant.
      if let last = result.last, ";,".utf8.contains(last) { result.removeLast() }
      copyClosing()
      guard let open = templates.last else { return }
      if open > 0 {
        templates[templates.count - 1] = open - 1
      } else {
        templates.removeLast()
        copyTemplate()
      }
    default: Self.isWord(next) ? copyWord() : copy()
    }
  }

  private mutating func copyWord() {
    let start = result.count
    copy(code[index...].prefix { Self.isWord($0) }.count)
    words.append(Word(range: start..<result.count, isInBraces: brackets.last == UInt8(ascii: "{")))
  }

  /// Drops the parentheses around the only parameter of an arrow function.
  private mutating func dropParentheses() {
    guard let word = words.last?.range, word.upperBound == result.count - 1, result.last == UInt8(ascii: ")"),
      word.lowerBound > 0, result[word.lowerBound - 1] == UInt8(ascii: "("),
      !Self.isWord(result.dropLast(word.count + 2).last)
    else { return }
    result.removeLast()
    result.remove(at: word.lowerBound - 1)
    words[words.count - 1] = Word(range: word.lowerBound - 1..<word.upperBound - 1, isInBraces: false)
  }

  private mutating func copyOpening() {
    brackets += code[index...].prefix(1)
    copy()
  }

  private mutating func copyClosing() {
    brackets.removeLast(brackets.isEmpty ? 0 : 1)
    copy()
  }

  private mutating func copyString(_ quote: UInt8) {
    copy()
    while let next = byte(0), next != quote { copy(next == UInt8(ascii: "\\") ? 2 : 1) }
    copy()
  }

  /// Copies text up to the end of a template literal or the next expression in it.
  private mutating func copyTemplate() {
    while let next = byte(0) {
      if next == UInt8(ascii: "`") { return copy() }
      if isNext("${") {
        templates.append(0)
        brackets.append(UInt8(ascii: "$"))
        return copy(2)
      }
      copy(next == UInt8(ascii: "\\") ? 2 : 1)
    }
  }

  /// Handles a slash, which starts a comment or a regular expression, or divides a value.
  private mutating func copyOrSkipSlash() {
    if isNext("/*") { return skip(past: "*/") }
    if isNext("//") {
      while let next = byte(0), next != UInt8(ascii: "\n") { index += 1 }
      return
    }
    let before = result.last { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
    if Self.isWord(before) || before.map({ ")]\"'`".utf8.contains($0) }) ?? false { return copy() }
    var isInClass = false
    copy()
    while let next = byte(0), next != UInt8(ascii: "/") || isInClass {
      if next == UInt8(ascii: "[") { isInClass = true }
      if next == UInt8(ascii: "]") { isInClass = false }
      copy(next == UInt8(ascii: "\\") ? 2 : 1)
    }
    copy()
  }

  /// Keeps one space between two words, and between signs that would otherwise form another operator.
  private mutating func compactBlanks() {
    let blanks = code[index...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }.count
    let (last, next) = (result.last, byte(blanks))
    let isSign = last == next && (last == UInt8(ascii: "+") || last == UInt8(ascii: "-"))
    if Self.isWord(last) && Self.isWord(next) || isSign { result.append(UInt8(ascii: " ")) }
    index += blanks
  }

  // MARK: - Styles

  private mutating func compactStyleCode() {
    guard let next = byte(0) else { return }
    if isNext("/*") { return skip(past: "*/") }
    let isBlank = next == UInt8(ascii: " ") || next == UInt8(ascii: "\n")
    guard isBlank else {
      // The last semicolon of a rule is redundant.
      if next == UInt8(ascii: "}"), result.last == UInt8(ascii: ";") { result.removeLast() }
      return copy()
    }
    while let after = byte(1), after == UInt8(ascii: " ") || after == UInt8(ascii: "\n") { index += 1 }
    let isAfterSign = result.last.map { "{};,:".utf8.contains($0) } ?? true
    let isBeforeSign = byte(1).map { "{};,".utf8.contains($0) } ?? true
    if !isAfterSign && !isBeforeSign { result.append(UInt8(ascii: " ")) }
    index += 1
  }
}

/// Shortens the names that the page's scripts declare, and words such as `const` and `true`. This saves a tenth of a
/// page.
///
/// A name is renamed everywhere or nowhere, so scopes can be ignored. It qualifies if the script declares it and never
/// uses it as a property name (after a dot, as a key, or alone between braces and commas).
struct ShortNames {
  /// The compact script.
  private let code: [UInt8]
  private let words: [CompactCode.Word]

  static func shortened(_ code: [UInt8], words: [CompactCode.Word]) -> [UInt8] {
    ShortNames(code: code, words: words).shortened()
  }

  private func shortened() -> [UInt8] {
    let names = replacements()
    var result: [UInt8] = []
    result.reserveCapacity(code.count)
    var end = 0
    for word in words.lazy.map(\.range) {
      guard let name = names[code[word]] else { continue }
      result += code[end..<word.lowerBound]
      result += name
      end = word.upperBound
    }
    return result + code[end...]
  }

  /// Returns the new name for each renamed word. The names whose replacement saves most get the shortest new names.
  private func replacements() -> [ArraySlice<UInt8>: [UInt8]] {
    let uses = Dictionary(words.map { (code[$0.range], 1) }, uniquingKeysWith: +)
    let sortedNames = qualifyingNames().sorted { one, other in
      let (costs, others) = (uses[one, default: 0] * one.count, uses[other, default: 0] * other.count)
      return costs != others ? costs > others : one.lexicographicallyPrecedes(other)
    }
    var candidates = Self.candidates.lazy.filter { uses[$0[...]] == nil }.makeIterator()
    // `let` can replace `const`, because the code never reassigns a constant.
    var newNames: [ArraySlice<UInt8>: [UInt8]] = [:]
    for (word, short) in [("const", "let"), ("true", "!0"), ("false", "!1"), ("undefined", "void 0")] {
      newNames[Array(word.utf8)[...]] = Array(short.utf8)
    }
    for name in sortedNames where name.count > 2 { newNames[name] = candidates.next() }
    return newNames
  }

  private func qualifyingNames() -> Set<ArraySlice<UInt8>> {
    var declaredNames: Set<ArraySlice<UInt8>> = []
    var excluded: Set<ArraySlice<UInt8>> = []
    for (number, word) in words.enumerated() {
      let range = word.range
      let name = code[range]
      let before = code[..<range.lowerBound].last
      let after = code.dropFirst(range.upperBound).first
      if isDeclared(number) || isParameter(number) { declaredNames.insert(name) }
      let isSeparated = before == UInt8(ascii: "{") || before == UInt8(ascii: ",")
      let isKey = isSeparated && after == UInt8(ascii: ":")
      let isShorthand = isSeparated && word.isInBraces && after.map { ",}=".utf8.contains($0) } ?? false
      // A spread `...name` is not a property.
      let isMember = before == UInt8(ascii: ".") && !code[..<range.lowerBound].suffix(3).elementsEqual("...".utf8)
      if isMember || isKey || isShorthand { excluded.insert(name) }
    }
    return declaredNames.subtracting(excluded).subtracting(Self.keywords)
  }

  /// Returns the code between a word and the previous word, or `nil` for the first word.
  private func codeBeforeWord(_ number: Int) -> ArraySlice<UInt8>? {
    guard number > 0, number < words.count else { return nil }
    return code[words[number - 1].range.upperBound..<words[number].range.lowerBound]
  }

  /// Returns the indices of the words in the list of names around a word. Only commas separate the names of a list.
  private func listOfNames(around number: Int) -> ClosedRange<Int> {
    var (first, last) = (number, number)
    while let separator = codeBeforeWord(first), separator.elementsEqual(",".utf8) { first -= 1 }
    while let separator = codeBeforeWord(last + 1), separator.elementsEqual(",".utf8) { last += 1 }
    return first...last
  }

  /// Whether the word follows the start of a declaration, as in `const name` and `const [other, name]`.
  private func isDeclared(_ number: Int) -> Bool {
    let first = listOfNames(around: number).lowerBound
    guard let separator = codeBeforeWord(first), Self.declarations.contains(code[words[first - 1].range]) else {
      return false
    }
    return ["[", "[,"].contains { separator.elementsEqual($0.utf8) }
      || first == number && separator.elementsEqual(" ".utf8)
  }

  /// Whether the word is a parameter, as in `name => …`, `(name, other) => …` and `function f(name) { … }`.
  private func isParameter(_ number: Int) -> Bool {
    let list = listOfNames(around: number)
    let after = code[words[list.upperBound].range.upperBound...]
    if list.count == 1, after.starts(with: "=>".utf8) { return true }
    guard code[..<words[list.lowerBound].range.lowerBound].last == UInt8(ascii: "(") else { return false }
    let isStatement = list.lowerBound > 0 && Self.statements.contains(code[words[list.lowerBound - 1].range])
    return after.starts(with: ")=>".utf8) || after.starts(with: "){".utf8) && !isStatement
  }

  private static let declarations = Set(["class", "const", "function", "let"].map { Array($0.utf8)[...] })
  private static let statements = Set(["for", "if", "switch", "while"].map { Array($0.utf8)[...] })
  /// Words that follow a declaration keyword but are not names, or are contextual keywords.
  private static let keywords = Set(["async", "get", "of", "set", "static"].map { Array($0.utf8)[...] })

  /// The short names, shortest first: `a` to `Z`, then all pairs of letters except keywords.
  private static let candidates: [[UInt8]] = {
    let letters = [UInt8](UInt8(ascii: "a")...UInt8(ascii: "z")) + [UInt8](UInt8(ascii: "A")...UInt8(ascii: "Z"))
    let pairs = letters.flatMap { first in letters.map { [first, $0] } }
    let keywords = ["as", "do", "if", "in", "of"].map { Array($0.utf8) }
    return letters.map { [$0] } + pairs.filter { !keywords.contains($0) }
  }()
}

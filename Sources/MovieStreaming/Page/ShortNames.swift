/// Shorter names for what the page's scripts declare for themselves, which is a tenth of a page's bytes, and `let` for
/// `const`.
///
/// A name is renamed everywhere in the script or nowhere, so scopes need no attention. It qualifies if the script declares
/// it, and if no place takes it for the name of a property: after a dot, as a key, or alone between braces and commas.
struct ShortNames {
  /// A compact script.
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

  /// The new name of each that gets one, the most frequent ones first.
  private func replacements() -> [ArraySlice<UInt8>: [UInt8]] {
    let uses = Dictionary(words.map { (code[$0.range], 1) }, uniquingKeysWith: +)
    let chosen = qualifyingNames().sorted { one, other in
      let (costs, others) = (uses[one, default: 0] * one.count, uses[other, default: 0] * other.count)
      return costs != others ? costs > others : one.lexicographicallyPrecedes(other)
    }
    var candidates = Self.candidates.lazy.filter { uses[$0[...]] == nil }.makeIterator()
    // `let` is shorter, and a name that is never assigned again works the same with it.
    var names: [ArraySlice<UInt8>: [UInt8]] = [Array("const".utf8)[...]: Array("let".utf8)]
    for name in chosen where name.count > 2 { names[name] = candidates.next() }
    return names
  }

  private func qualifyingNames() -> Set<ArraySlice<UInt8>> {
    var declared: Set<ArraySlice<UInt8>> = []
    var excluded: Set<ArraySlice<UInt8>> = []
    for (number, word) in words.enumerated() {
      let range = word.range
      let name = code[range]
      let before = code[..<range.lowerBound].last
      let after = code.dropFirst(range.upperBound).first
      let isParameter = [")=>", "=>"].contains { code[range.upperBound...].starts(with: $0.utf8) }
      if isDeclared(number) || isParameter { declared.insert(name) }
      let isSeparated = before == UInt8(ascii: "{") || before == UInt8(ascii: ",")
      let isKey = isSeparated && after == UInt8(ascii: ":")
      let isShorthand = isSeparated && word.isInBraces && after.map { ",}=".utf8.contains($0) } ?? false
      // A spread `...name` is no property.
      let isMember = before == UInt8(ascii: ".") && !code[..<range.lowerBound].suffix(3).elementsEqual("...".utf8)
      if isMember || isKey || isShorthand { excluded.insert(name) }
    }
    return declared.subtracting(excluded).subtracting(Self.keywords)
  }

  /// Whether the word before is that of a declaration.
  private func isDeclared(_ number: Int) -> Bool {
    guard number > 0 else { return false }
    let (before, word) = (words[number - 1].range, words[number].range)
    return before.upperBound + 1 == word.lowerBound && code[before.upperBound] == UInt8(ascii: " ")
      && Self.declarations.contains(code[before])
  }

  private static let declarations = Set(["class", "const", "function", "let"].map { Array($0.utf8)[...] })
  /// Words that follow a declaration's but are no names, or that this language reads in its own way.
  private static let keywords = Set(["async", "get", "of", "set", "static"].map { Array($0.utf8)[...] })

  /// `a` to `Z`, then two letters each; keywords of two letters are left out.
  private static let candidates: [[UInt8]] = {
    let letters = [UInt8](UInt8(ascii: "a")...UInt8(ascii: "z")) + [UInt8](UInt8(ascii: "A")...UInt8(ascii: "Z"))
    let pairs = letters.flatMap { first in letters.map { [first, $0] } }
    let keywords = ["as", "do", "if", "in", "of"].map { Array($0.utf8) }
    return letters.map { [$0] } + pairs.filter { !keywords.contains($0) }
  }()
}

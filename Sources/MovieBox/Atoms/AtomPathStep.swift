import Subtitles

/// A step of a path such as `moov/trak[2]`: an atom type and its number among its siblings of the same type.
package struct AtomPathStep: Hashable, Sendable {
  package let type: FourCC
  /// The atom's number among its siblings of the same type, counted from 1. It is 1 if the path contains no number.
  package let number: Int
  /// The type as written in the path.
  package let name: String

  /// Parses `trak` or `trak[2]`. A type of fewer than four characters is padded with spaces, as in `gps `.
  ///
  /// Throws `.invalidEdit` if `text` is not a step.
  package init(_ text: Substring) throws(MovieError) {
    if let type = FourCC(text) {  // A type may contain brackets.
      self.init(type, number: 1, name: text)
      return
    }
    let bracket = text.lastIndex(of: "[") ?? text.endIndex
    let name = text[..<bracket]
    guard !name.isEmpty, let type = FourCC(String(name) + String(repeating: " ", count: max(0, 4 - name.count))) else {
      throw MovieError(.invalidEdit, "\"\(text)\" is not an atom type")
    }
    let brackets = text[bracket...]
    if brackets.isEmpty {
      self.init(type, number: 1, name: name)
      return
    }
    guard brackets.last == "]", let number = Int(digits: brackets.dropFirst().dropLast()), number > 0 else {
      throw MovieError(.invalidEdit, "\"\(text)\" has an invalid atom number; write a number from 1, as in \(name)[2]")
    }
    self.init(type, number: number, name: name)
  }

  private init(_ type: FourCC, number: Int, name: Substring) {
    self.type = type
    self.number = number
    self.name = String(name)
  }

  /// Parses a path and returns its steps.
  package static func steps(of path: some StringProtocol) throws(MovieError) -> [AtomPathStep] {
    var steps: [AtomPathStep] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      steps.append(try AtomPathStep(Substring(part)))
    }
    return steps
  }
}

extension AtomTree {
  /// Returns the child of the atom at `index` that matches `step`, or `nil` if there is no such child.
  package func child(of index: Int, at step: AtomPathStep) -> Int? {
    var remainingCount = step.number
    return children(of: index).first { child in
      guard self[child].type == step.type else { return false }
      remainingCount -= 1
      return remainingCount == 0
    }
  }

  /// Returns the index of the atom at `path`, or `nil` if there is no such atom. A type without a number matches the
  /// first atom of the type.
  ///
  /// The path may begin with ``enclosingPath``.
  package func index(at path: String) -> Int? {
    let includesEnclosingPath = !enclosingPath.isEmpty && path.hasPrefix(enclosingPath + "/")
    let steps: [AtomPathStep]
    do throws(MovieError) {
      steps = try AtomPathStep.steps(of: includesEnclosingPath ? path.dropFirst(enclosingPath.count + 1) : path[...])
    } catch {
      return nil
    }
    guard let first = steps.first, first.type == self[root].type, first.number == 1 else { return nil }
    var current = root
    for step in steps.dropFirst() {
      guard let next = child(of: current, at: step) else { return nil }
      current = next
    }
    return current
  }
}

import Subtitles

/// A step of a path such as `moov/trak[2]`: a type, and which of its kind, from 1.
package struct AtomPathStep: Hashable, Sendable {
  /// The type.
  package let type: FourCC
  /// The position among atoms of the type, from 1; 1 if none is written.
  package let number: Int
  /// The type as it was written.
  package let name: String

  /// Reads `trak` or `trak[2]`; a type of fewer than four characters is filled up with blanks, as in `gps `.
  ///
  /// Throws `.invalidEdit` for anything else.
  package init(_ part: Substring) throws(MovieError) {
    if let type = FourCC(part) {  // A bracket may stand in a type, too.
      self.init(type, number: 1, name: part)
      return
    }
    let bracket = part.lastIndex(of: "[") ?? part.endIndex
    let name = part[..<bracket]
    guard !name.isEmpty, let type = FourCC(String(name) + String(repeating: " ", count: max(0, 4 - name.count))) else {
      throw MovieError(.invalidEdit, "\"\(part)\" is not an atom type")
    }
    let brackets = part[bracket...]
    if brackets.isEmpty {
      self.init(type, number: 1, name: name)
      return
    }
    guard brackets.last == "]", let number = Int(digits: brackets.dropFirst().dropLast()), number > 0 else {
      throw MovieError(.invalidEdit, "after \(name) stands a number from 1, as in trak[2]")
    }
    self.init(type, number: number, name: name)
  }

  private init(_ type: FourCC, number: Int, name: Substring) {
    self.type = type
    self.number = number
    self.name = String(name)
  }

  /// The steps of a whole path.
  package static func steps(of path: some StringProtocol) throws(MovieError) -> [AtomPathStep] {
    var steps: [AtomPathStep] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      steps.append(try AtomPathStep(Substring(part)))
    }
    return steps
  }
}

extension AtomTree {
  /// The atom that a step leads to from the atom at `index`.
  package func child(of index: Int, at step: AtomPathStep) -> Int? {
    var left = step.number
    return children(of: index).first { child in
      guard self[child].type == step.type else { return false }
      left -= 1
      return left == 0
    }
  }

  /// The atom that a path names; a type without a number is the first of its kind.
  ///
  /// ``enclosingPath`` may stand before it.
  package func index(at path: String) -> Int? {
    let isWhole = !enclosingPath.isEmpty && path.hasPrefix(enclosingPath + "/")
    let steps: [AtomPathStep]
    do throws(MovieError) {
      steps = try AtomPathStep.steps(of: isWhole ? path.dropFirst(enclosingPath.count + 1) : path[...])
    } catch {
      return nil  // What is not a path leads nowhere.
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

/// Names of which no two are the same: a number follows one that another has.
package struct UniqueNames: Sendable {
  /// What stands before the number.
  private let mark: String
  private var names: Set<String>
  /// The number to try next, by the name: a movie may have thousands of tracks of one language.
  private var numbers: [String: Int] = [:]

  /// Names unlike those that are taken.
  package init(before mark: String, taken: some Sequence<String> = EmptyCollection<String>()) {
    self.mark = mark
    names = Set(taken)
  }

  /// The name, or the name and a number.
  package mutating func name(_ name: String) -> String {
    if names.insert(name).inserted { return name }
    var number = numbers[name] ?? 2
    while !names.insert("\(name)\(mark)\(number)").inserted { number += 1 }
    numbers[name] = number + 1
    return "\(name)\(mark)\(number)"
  }
}

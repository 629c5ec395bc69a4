/// A pass over a list that a small file can make long: the children of an atom, tracks, metadata items.
///
/// A pass for each element of the list costs the square of the list's length, so that 800 kB of movie atom occupy a
/// service for a minute. Tests therefore count the elements that passes visit, with lists of two lengths.
package enum ListPass {
  /// Called at the end of each pass with the number of elements that the pass visited.
  @TaskLocal package static var didVisit: (@Sendable (_ count: Int) -> Void)?

  /// Reports a pass that visited so many elements.
  @inline(never)
  package static func end(after count: Int) { didVisit?(count) }
}

import Dispatch

/// A queue that runs work items on several threads and limits their number. Each item occupies a place until the place
/// is freed.
///
/// The thread that adds items waits for a free place before each item. If work is slow, new items therefore wait
/// instead of filling the memory.
package final class WorkQueue: Sendable {
  private let threads: DispatchQueue
  private let items = DispatchGroup()
  private let places: DispatchSemaphore

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - name: the name that debuggers show.
  ///   - placeCount: the maximum number of items that occupy a place.
  package init(_ name: String, placeCount: Int) {
    threads = DispatchQueue(label: name, attributes: .concurrent)
    places = DispatchSemaphore(value: placeCount)
  }

  /// Begins an item. Waits until a place is free.
  package func beginItem() {
    places.wait()
    items.enter()
  }

  /// Ends an item. Its place remains occupied until `freePlaces(_:)` frees it.
  package func endItem() { items.leave() }

  /// Frees the places of `count` items.
  package func freePlaces(_ count: Int) {
    for _ in 0..<max(0, count) { places.signal() }
  }

  /// Runs `work` on another thread.
  package func run(_ work: @escaping @Sendable () -> Void) { threads.async { work() } }

  /// Waits until every item has ended.
  package func waitForItems() { items.wait() }
}

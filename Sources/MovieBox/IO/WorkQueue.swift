import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
/// A queue that runs work items on several threads and limits their number. Each item occupies a place until the place
/// is freed.
///
/// The thread that adds items waits for a free place before each item. If work is slow, new items therefore wait
/// instead of filling the memory.
package final class WorkQueue: Sendable {
  /// The size of a thread's stack. The main thread has the same size on most systems.
  private static let stackByteCount = 8 << 20

  private let items = DispatchGroup()
  private let places: DispatchSemaphore

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - name: the name that debuggers show.
  ///   - placeCount: the maximum number of items that occupy a place.
  package init(placeCount: Int) {
    // A semaphore that ends below its initial value ends the process, so the initial value is 0.
    places = DispatchSemaphore(value: 0)
    for _ in 0..<max(0, placeCount) { places.signal() }
  }

  /// Begins an item. Waits until a place is free, but no longer than a time. Returns `false` if no place became free.
  package func beginItem(waitingMilliseconds: Int) -> Bool {
    guard places.wait(timeout: .now() + .milliseconds(waitingMilliseconds)) == .success else { return false }
    items.enter()
    return true
  }

  /// Ends an item. Its place remains occupied until `freePlaces(_:)` frees it.
  package func endItem() { items.leave() }

  /// Frees the places of `count` items.
  package func freePlaces(_ count: Int) {
    for _ in 0..<max(0, count) { places.signal() }
  }

  /// Waits until every item has ended, but no longer than a time. Returns `false` if an item has not ended.
  package func waitForItems(milliseconds: Int) -> Bool {
    items.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  /// Waits until every item has ended.
  package func waitForItems() { items.wait() }

  /// Runs `body` on a new thread, or on this thread if the system has no further thread.
  package func run(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    // SAFETY: the calls initialize and read the structure, which is destroyed when the thread exists.
    guard unsafe pthread_attr_init(&attributes) == 0 else { return body() }
    defer { _ = unsafe pthread_attr_destroy(&attributes) }
    _ = unsafe pthread_attr_setstacksize(&attributes, Self.stackByteCount)
    _ = unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let work = unsafe Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    // SAFETY: the new thread releases the work that was retained above.
    let code = unsafe pthread_create(
      &thread, &attributes,
      { argument in
        let pointer: UnsafeMutableRawPointer? = unsafe argument
        if let pointer = unsafe pointer { unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    // SAFETY: without a thread, nothing else releases the work.
    if code != 0 { unsafe work.takeRetainedValue().body() }
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}

import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
/// A queue that runs work items on several threads, and limits the number of items. Each item occupies a slot until
/// the slot is released.
///
/// A thread that adds an item first waits for a free slot. Waiting items can therefore not fill the memory.
package final class WorkQueue: Sendable {
  /// The stack size of each thread. It is the stack size of the main thread on most systems.
  private static let stackByteCount = 8 << 20

  private let items = DispatchGroup()
  private let slots: DispatchSemaphore

  /// Creates a queue of at most `slotCount` items at a time.
  package init(slotCount: Int) {
    // Create the semaphore with the value 0 and then signal it. The process ends if a semaphore is destroyed while its
    // value is below its initial value.
    slots = DispatchSemaphore(value: 0)
    for _ in 0..<max(0, slotCount) { slots.signal() }
  }

  /// Begins an item. Waits at most `waitingMilliseconds` for a free slot. Returns `false` if no slot became free.
  package func beginItem(waitingMilliseconds: Int) -> Bool {
    guard slots.wait(timeout: .now() + .milliseconds(waitingMilliseconds)) == .success else { return false }
    items.enter()
    return true
  }

  /// Ends an item. Its slot remains occupied until `releaseSlots(_:)` releases it.
  package func endItem() { items.leave() }

  /// Releases the slots of `count` items.
  package func releaseSlots(_ count: Int) {
    for _ in 0..<max(0, count) { slots.signal() }
  }

  /// Waits at most `milliseconds` until every item has ended. Returns `false` if an item has not ended.
  package func waitForItems(milliseconds: Int) -> Bool {
    items.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  /// Waits until every item has ended.
  package func waitForItems() { items.wait() }

  /// Runs `body` on a new thread, or on this thread if the system cannot create a thread.
  package func run(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    // SAFETY: the calls initialize and read the structure. It is destroyed after the thread was created.
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
    // SAFETY: no thread was created, so nothing else releases the work.
    if code != 0 { unsafe work.takeRetainedValue().body() }
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}

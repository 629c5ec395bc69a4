import CMovtool
import FuzzSupport
public import MovieBox
import MovtoolC

/// Reads and edits a movie through callbacks that go wrong. The movie is the input as a whole, and its last bytes determine
/// the result of each read.
///
/// After a failed read, no call may succeed that needed the bytes.
public func readThroughCallbacks(_ bytes: Bytes) {
  let control = [UInt8](bytes.array.suffix(16))
  let line = lines[Int(control.first ?? 0) % lines.count]
  let reader = CallbackReader(bytes, control: control)
  let movie = CallbackInput("film.mov", reader)
  let subtitles = CallbackInput(
    "film.en.srt", CallbackReader(Bytes(Array("1\n00:00:00,100 --> 00:00:00,400\nHello\n".utf8))))
  withoutFiles {
    let outcome = withWords(line) { start, count in
      withHost([movie, subtitles]) { host in check(reader) { movtool_run(start, count, host, $0) } }
    }
    if outcome.exitCode == 0, reader.hasFailed, line[0] != "validate" {
      fault("\(line[0]) succeeded although a read failed")
    }
    plan(movie, reader, subtitles)
  }
  movtool_source_free(subtitles.handle)
  movtool_source_free(movie.handle)
}

private let lines = [
  ["inspect", "film.mov"], ["validate", "film.mov"], ["extract", "film.mov", "--format", "json", "-o", "-"],
  ["chapters", "film.mov"], ["metadata", "film.mov"], ["diff", "film.mov", "film.mov"],
  ["add-subtitle", "film.mov", "film.en.srt", "-o", "-"], ["remux", "film.mov", "-o", "-", "--fast-start"],
]

/// Plans an edit, and reads, divides and sends the planned movie. The plan outlives the edit.
private func plan(_ movie: CallbackInput, _ reader: CallbackReader, _ subtitles: CallbackInput) {
  var edit: OpaquePointer?
  guard check(reader, { movtool_edit_create("film.mov", movie.handle, &edit, $0) }).exitCode == 0 else { return }
  var plan: OpaquePointer?
  let outcome = withWords(["add-subtitle", "film.mov", "film.en.srt"]) { start, count in
    withHost([subtitles]) { host in check(reader) { movtool_edit_apply(edit, start, count, host, &plan, $0) } }
  }
  movtool_edit_free(edit)
  guard let plan else { return }
  guard outcome.exitCode == 0 else { fault("a plan and the exit code \(outcome.exitCode)") }
  defer { movtool_plan_free(plan) }
  let size = movtool_plan_size(plan)
  _ = check(reader) { movtool_plan_parts(plan, 1000, 3000, 100, $0) }
  var buffer = [UInt8](repeating: 0xa5, count: 1000)
  var readCount = 0
  for offset in stride(from: 0, to: size + 1000, by: 1000) {
    let read = check(reader) { movtool_plan_read(plan, offset, &buffer, 1000, &readCount, $0) }
    let expected = read.exitCode == 0 ? min(1000, size - min(size, offset)) : 0
    guard readCount == expected else { fault("\(readCount) bytes read at \(offset) of \(size)") }
  }
  withHost([]) { host in _ = check(reader) { movtool_plan_send(plan, host, $0) } }
}

import Testing

@testable import MovtoolCommands

struct ProgressTests {
  private let console = Console()

  private func progress(_ mode: Progress.Mode, width: Int?) -> Progress {
    console.errors.terminalWidth = width
    return Progress(mode, in: console.context)
  }

  @Test func barAppearsAfterHalfASecond() {
    let progress = progress(.auto, width: 80)
    console.nanoseconds = 499_999_999
    progress.update(1, of: 10)
    #expect(console.errors.text.isEmpty)
    console.nanoseconds = 500_000_000
    progress.update(5_000_000, of: 10_000_000)
    #expect(
      console.errors.text
        == "\r 50 % [###############...............] 5.0 MB of 10 MB, 1 s left\u{1B}[K")
  }

  @Test func redrawsTheBarTenTimesASecondAndErasesItAtTheEnd() {
    let progress = progress(.auto, width: 80)
    for step in 0...100 {
      console.nanoseconds = UInt64(step) * 10_000_000
      progress.update(UInt64(step), of: 100)
    }
    #expect(console.errors.writes.count == 6)
    progress.finish()
    progress.finish()
    #expect(console.errors.writes.count == 7)
    #expect(console.errors.writes.last == "\r\u{1B}[K")
    #expect(console.output.text.isEmpty)
  }

  @Test func shortTasksShowNoProgress() {
    let progress = progress(.auto, width: 80)
    progress.update(10, of: 10)
    progress.finish()
    #expect(console.errors.text.isEmpty)
  }

  @Test(arguments: [1, 5, 10, 20, 30, 40, 60, 200])
  func barFitsTheTerminal(width: Int) throws {
    let progress = progress(.auto, width: width)
    console.nanoseconds = 10_000_000_000
    progress.update(1 << 40, of: .max)
    let line = try #require(console.errors.writes.first).dropFirst().dropLast(3)
    #expect(TerminalText.width(of: String(line)) < width)
  }

  @Test func pipeAndDumbTerminalShowNothing() {
    let piped = progress(.auto, width: nil)
    console.nanoseconds = 1_000_000_000
    piped.update(1, of: 2)
    console.environment["TERM"] = "dumb"
    let dumb = progress(.auto, width: 80)
    console.nanoseconds = 2_000_000_000
    dumb.update(1, of: 2)
    let none = progress(.none, width: 80)
    console.nanoseconds = 3_000_000_000
    none.update(1, of: 2)
    #expect(console.errors.text.isEmpty)
  }

  @Test func printsOneJSONObjectPerLine() {
    let progress = progress(.json, width: nil)
    progress.update(0, of: 100)
    console.nanoseconds = 50_000_000
    progress.update(10, of: 100)
    console.nanoseconds = 100_000_000
    progress.update(25, of: 100)
    progress.update(100, of: 100)
    progress.update(100, of: 100)
    progress.finish()
    #expect(
      console.errors.lines == [
        #"{"done":0,"total":100,"secondsLeft":null}"#,
        #"{"done":25,"total":100,"secondsLeft":1}"#,
        #"{"done":100,"total":100,"secondsLeft":0}"#,
      ])
  }

  @Test func numbersAtTheirLimitsDoNotTrap() {
    let progress = progress(.json, width: nil)
    let steps: [(UInt64, UInt64)] = [(0, 0), (1, 0), (1, .max), (.max, .max), (.max - 1, .max), (.max, 1)]
    for (done, total) in steps {
      console.nanoseconds += .max / 7
      progress.update(done, of: total)
    }
    let bar = self.progress(.auto, width: 80)
    for (done, total) in steps {
      console.nanoseconds &+= 1 << 61
      bar.update(done, of: total)
    }
  }

  @Test func continuesTheWorkAfterTheStreamIsClosed() {
    console.errors.failsAtWrite = 1
    let progress = progress(.json, width: nil)
    progress.update(0, of: 2)
    progress.update(2, of: 2)
    #expect(console.errors.text.isEmpty)
  }
}

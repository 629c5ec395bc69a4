import MovieBox
import MovtoolCommands

/// The process of the command-line tool: its signals, its streams and its exit code.
///
/// The commands are in `MovtoolCommands`, which never touches the process, so that other programs can run them too.
@main
enum Main {
  nonisolated static func main() {
    SystemCalls.catchStopSignals()
    SystemMemory.permitAllocatorChanges()
    SystemCalls.exit(Movtool.run(Array(CommandLine.arguments.dropFirst()), in: .process()).rawValue)
  }
}

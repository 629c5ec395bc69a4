@main
struct Movtool {
  nonisolated static func main() {}
}

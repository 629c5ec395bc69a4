import Foundation
import Hummingbird
import Logging

/// Serves the movies of a folder over HTTP, each with the subtitle files next to it.
///
/// Usage: `subtitle-service FOLDER [PORT [NAME…]]`. Each `NAME` is a host name by which clients reach the service
/// through a proxy.
@main
struct SubtitleService {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let folder = arguments.first, let port = arguments.dropFirst().first.map({ Int($0) }) ?? 8080 else {
      print("subtitle-service FOLDER [PORT [NAME…]]")
      return
    }
    let shelf = MovieShelf(folder: folder)
    let address = "127.0.0.1"
    let hosts = TrustedHosts([address, "localhost"] + arguments.dropFirst(2))
    let application = Application(
      responder: CallbackResponder { (request: Request, context: BasicRequestContext) in
        await MovieResponder(shelf: shelf, hosts: hosts, logger: context.logger).respond(to: request)
      },
      configuration: ApplicationConfiguration(address: .hostname(address, port: port)),
      onServerRunning: { channel in
        guard let port = channel.localAddress?.port else { return }
        print("http://\(address):\(port)/ serves the movies of \(folder)")
        fflush(nil)  // Without this, readers of a pipe would not see the line.
      })
    try await application.runService()
  }
}

import Foundation
import TestSupport
import Testing

extension Witness {
  /// Returns the JSON object that a program prints, or the first of several.
  static func json(_ name: String, _ arguments: [String]) throws -> [String: Any] {
    let result = try Witness.require(name).run(arguments)
    #expect(result.code == 0, "\(result.errorText)")
    let json = try JSONSerialization.jsonObject(with: Data(result.output))
    return try #require((json as? [[String: Any]])?.first ?? json as? [String: Any])
  }
}

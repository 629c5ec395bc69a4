import MovieBox
import Testing

struct JSONWriterTests {
  private func text(_ style: JSONWriter.Style, _ body: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter(style)
    body(&json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test func writesMembersInCallOrder() {
    let text = text(.pretty) { json in
      json.object {
        $0.member("z", 1)
        $0.member("a", "b")
        $0.array("list") {
          $0.value(true)
          $0.null()
          $0.object { $0.member("x", nil as String?) }
        }
        $0.object("empty") { _ in }
        $0.member("none", [String]())
      }
    }
    #expect(
      text == """
        {
          "z": 1,
          "a": "b",
          "list": [
            true,
            null,
            {
              "x": null
            }
          ],
          "empty": {},
          "none": []
        }
        """)
  }

  @Test func writesNoBlanksInCompactStyle() {
    let text = text(.compact) { json in
      json.object {
        $0.member("a", [String]())
        $0.member("b", ["x", "y"])
        $0.member("c", false)
      }
    }
    #expect(text == #"{"a":[],"b":["x","y"],"c":false}"#)
  }

  @Test func escapesStrings() {
    #expect(text(.compact) { $0.value("\"\\/\n\r\t") } == #""\"\\/\n\r\t""#)
    #expect(
      text(.compact) { $0.value("\u{0}\u{1B}\u{1F}\u{7F}\u{9F}\u{2028}\u{202E}\u{2069}\u{61C}") }
        == #""\u0000\u001b\u001f\u007f\u009f\u2028\u202e\u2069\u061c""#)
    #expect(text(.compact) { $0.value("é日🎬 e\u{301}") } == "\"é日🎬 e\u{301}\"")
    #expect(text(.compact) { json in json.object { $0.member("\"k\"", 1) } } == #"{"\"k\"":1}"#)
    #expect(text(.compact) { $0.value("\r\n") } == #""\r\n""#)
  }

  @Test func writesIntegersExactly() {
    #expect(text(.compact) { $0.value(UInt64.max) } == "18446744073709551615")
    #expect(text(.compact) { $0.value(Int64.min) } == "-9223372036854775808")
    #expect(text(.compact) { $0.value(0) } == "0")
  }

  @Test func writesTheShortestDecimals() {
    #expect(text(.compact) { $0.value(0.1) } == "0.1")
    #expect(text(.compact) { $0.value(23.976) } == "23.976")
    #expect(text(.compact) { $0.value(Double.infinity) } == "null")
    #expect(text(.compact) { $0.value(Double.nan) } == "null")
  }

  @Test func writesAbsentMembersAsNull() {
    let text = text(.compact) { json in
      json.object {
        $0.member("a", nil as Int?)
        $0.member("b", nil as Bool?)
        $0.member("c", nil as Double?)
        $0.member("d", UInt32(7) as UInt32?)
      }
    }
    #expect(text == #"{"a":null,"b":null,"c":null,"d":7}"#)
  }

  @Test func writesValidJSONForCallsOutOfOrder() {
    #expect(text(.compact) { json in json.array { $0.member("a", 1) } } == "[1]")
    #expect(text(.compact) { json in json.object { $0.value(1) } } == #"{"":1}"#)
    #expect(
      text(.compact) { json in json.object { json in json.object { $0.memberNull("a") } } } == #"{"":{"a":null}}"#)
    #expect(
      text(.compact) {
        $0.value(1)
        $0.member("a", 2)
      } == "1\n2")
  }
}

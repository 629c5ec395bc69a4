import Subtitles
import Testing

@testable import MovieBox

/// The events of XML documents.
struct XMLReaderTests {
  private static func string(_ utf8: ArraySlice<UInt8>) -> String { String(decoding: utf8, as: UTF8.self) }

  /// Returns the events as text, such as `<a`, `text` and `>`.
  private static func events(_ document: String) throws(SubtitleError) -> [String] {
    var reader = XMLReader(Array(document.utf8), code: .gpx)
    var events: [String] = []
    while let event = try reader.next() {
      switch event {
      case .start: events.append("<" + string(reader.name) + " \(reader.depth)")
      case .text(let text): events.append(string(text))
      case .end: events.append("> \(reader.depth)")
      }
    }
    return events
  }

  @Test func returnsStartsTextsAndEnds() throws {
    #expect(
      try Self.events("\u{FEFF}<?xml version='1.0'?>\n<a>x<!-- > --><b c='>'/>y<![CDATA[<&>]]></a >\n<ignored")
        == ["<a 1", "x", "<b 2", "> 1", "y", "<&>", "> 0"])
    #expect(try Self.events("<a/>") == ["<a 1", "> 0"])
    #expect(try Self.events("<a>1 &lt; &#x32;&amp;</a>") == ["<a 1", "1 < 2&", "> 0"])
  }

  /// Every document that is cut off is refused, and no prefix is read as a document.
  @Test func rejectsEveryTruncation() {
    let document = Array("<a><!-- c --><b d=\"e\">f&gt;<![CDATA[g]]></b><c/></a>".utf8)
    for count in 0..<document.count {
      #expect(throws: SubtitleError.self, "\(count) bytes") {
        try Self.events(Self.string(document[..<count]))
      }
    }
  }

  @Test func skipsDeeperElements() throws {
    var reader = XMLReader(Array("<a>\n<b><c/><b/></b>\n<d x='1' x='2'>y<e>n</e>z</d></a>".utf8), code: .gpx)
    #expect(try reader.nextElement(atDepth: 1) && reader.hasName(Array("a".utf8)))
    #expect(try reader.nextElement(atDepth: 2) && reader.hasName(Array("b".utf8)) && reader.elementLine == 2)
    #expect(try reader.nextElement(atDepth: 2) && reader.hasName(Array("d".utf8)) && reader.elementLine == 3)
    // The last of equal attributes counts, and the text of child elements does not.
    #expect(try reader.attribute(Array("x".utf8)).map(Self.string) == "2")
    #expect(try reader.attribute(Array("y".utf8)) == nil)
    #expect(try Self.string(reader.elementText()) == "yz" && reader.depth == 1)
    #expect(try !reader.nextElement(atDepth: 2) && reader.depth == 0)
    if let event = try reader.next() { Issue.record("\(event) after the root element") }
  }

  @Test(arguments: [
    ("<a></b>", "</b> closes no element", 1), ("<a>\n&b;</a>", "the entity &b; is unknown", 2),
    ("<a>&#xFFFF;</a>", "&#xFFFF;", 1), ("x<a/>", "text outside the root element", 1),
    ("<a>\n\n< b/></a>", "a name", 3),
    ("<!DOCTYPE a [\n]><a/>", "document type", 2),
  ])
  func namesTheLineOfAnError(document: String, words: String, line: Int) {
    do throws(SubtitleError) {
      _ = try Self.events(document)
      Issue.record("accepted")
    } catch {
      #expect(error.line == line && error.code == .gpx && error.reason.contains(words), "\(error)")
    }
  }

  /// Comments divide a text into pieces. Copying the text for each piece would take minutes.
  @Test func joinsManyPiecesOfAText() throws {
    let count = 500_000
    var reader = XMLReader(Array("<a>\(String(repeating: "x<??>", count: count))</a>".utf8), code: .gpx)
    #expect(try reader.nextElement(atDepth: 1))
    #expect(try reader.elementText().count == count)
  }

  @Test(arguments: [(3, true), (2, false)])
  func limitsTheElementsThatTheCallerAccepts(limit: Int, isAccepted: Bool) {
    var reader = XMLReader(Array("<a><b/><b/></a>".utf8), code: .gpx, elementCountLimit: limit)
    do throws(SubtitleError) {
      while try reader.next() != nil {}
      #expect(isAccepted)
    } catch {
      #expect(!isAccepted && error.code == .limit && error.reason.contains("more than \(limit) elements"), "\(error)")
    }
  }

  @Test func limitsDepthAndCount() throws {
    func nested(_ count: Int) -> String {
      String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
    }
    #expect(try Self.events(nested(XMLReader.maximumDepth)).count == 2 * XMLReader.maximumDepth)
    let many = "<a>" + String(repeating: "<b/>", count: XMLReader.maximumCount) + "</a>"
    for document in [nested(XMLReader.maximumDepth + 1), many] {
      do throws(SubtitleError) {
        _ = try Self.events(document)
        Issue.record("accepted")
      } catch {
        #expect(error.code == .limit)
      }
    }
  }
}

import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// The library accepts and rejects the same values and spellings as the command line.
struct MalformedValueTests {
  @Test(arguments: [
    ("common/location", "Munich"), ("mdta/com.apple.quicktime.location.ISO6709", "Munich"), ("udta/©xyz", "48.1"),
    ("uiso/loci", "91,0"), ("common/creationDate", "soon"), ("mdta/com.apple.quicktime.creationdate", "2024-02-30"),
    ("uiso/date", "Spring 1999"),
  ])
  func rejectsInvalidValuesOfAnIdentifier(_ identifier: String, _ text: String) throws {
    var edit = try MovieEdit(of: Movie(of: TestMovie.simple.source))
    let input = try #require(MetadataInput(identifier, text))
    for body in [{ try $0.setMetadata(input) }, { try $0.addMetadata(input) }]
      as [(inout MovieEdit) throws -> [MetadataIdentifier]]
    {
      #expect {
        _ = try body(&edit)
      } throws: { error in
        (error as? MovieError)?.code == .invalidEdit && (error as? MovieError)?.reason.contains("it must be a") == true
      }
    }
    #expect(edit.isEmpty)
  }

  @Test(arguments: [
    ("common/location", "48.137, 11.575", "+48.13700+011.57500/"),
    ("common/location", "+37.3938+126.9636+043.639/", "+37.3938+126.9636+043.639/"),
    ("mdta/com.apple.quicktime.location.ISO6709", "geo:48.1,11.5", "+48.10000+011.50000/"),
    ("common/creationDate", "2024:01:20 10:26:09+01:00", "2024-01-20T10:26:09+0100"),
    ("common/creationDate", "2024-01-20T10:26:09+01:00", "2024-01-20T10:26:09+01:00"),
    ("udta/©day", "Spring 1999", "Spring 1999"), ("udta/©inf", "Munich", "Munich"),
  ])
  func normalizesSpellingsOfOtherPrograms(
    _ identifier: String, _ text: String, _ written: String
  ) throws {
    let source = TestMovie.simple.source
    var edit = try MovieEdit(of: Movie(of: source))
    try edit.setMetadata(#require(MetadataInput(identifier, text)))
    let edited = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
    #expect(edited.metadata.map(\.stringValue) == [written])
  }

  @Test func writesBytesOfARequestedType() throws {
    var edit = try MovieEdit(of: Movie(of: TestMovie.simple.source))
    let location = try #require(MetadataIdentifier("mdta/com.apple.quicktime.location.ISO6709"))
    let bytes = MetadataValue.data(Bytes([1, 2]))
    #expect(throws: MovieError.self) { try edit.setMetadata(MetadataInput(location, bytes)) }
    #expect(throws: Never.self) { try edit.setMetadata(MetadataInput(location, bytes, typeCode: 0)) }
  }
}

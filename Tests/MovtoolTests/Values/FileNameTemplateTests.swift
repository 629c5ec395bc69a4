import Testing

@testable import MovtoolCommands

struct FileNameTemplateTests {
  private func name(_ template: String, role: String = "") throws -> String {
    try FileNameTemplate(template).filled { field in
      switch field {
      case .stem: "film"
      case .language: "en"
      case .role: role
      case .format: "srt"
      case .id: "4"
      case .number: "07"
      case .name, .folder, .extension: ""
      }
    }
  }

  @Test func replacesFieldsAndOmitsOptionalParts() throws {
    #expect(try name(FileNameTemplate.standard) == "film.en.srt")
    #expect(try name(FileNameTemplate.standard, role: "sdh") == "film.en.sdh.srt")
    #expect(try name("out/{id}[-{role}-{language}].x") == "out/4.x")
    #expect(try name("[1080p] {stem}.srt") == "[1080p] film.srt")
    #expect(try name("a]b") == "a]b")
  }

  @Test func omitsOptionalPartsWithUnknownValues() throws {
    let template = try FileNameTemplate("{stem}[.{language}].{language}")
    let value: (FileNameTemplate.Field) -> String = { $0 == .language ? "und" : "film" }
    #expect(template.filled(value) == "film.und.und")
    #expect(template.filled(value, isUnknown: { $0 == .language }) == "film.und")
  }

  @Test func acceptsOnlyTheFieldsOfTheOption() throws {
    let template = try FileNameTemplate("{number}.{format}", option: "--images", fields: [.number, .format])
    #expect(template.filled { $0 == .number ? "07" : "jpg" } == "07.jpg" && template.contains(.number))
    let error = #expect(throws: UsageError.self) {
      try FileNameTemplate("{language}", option: "--images", fields: [.number, .format])
    }
    #expect(error?.message == "--images {language}: {language} is none of {number} {format}")
  }

  @Test(arguments: ["{", "{stem", "{Stem}", "[{role}", "{}", "{number}"])
  func rejectsInvalidTemplates(_ template: String) {
    #expect(throws: UsageError.self) { try FileNameTemplate(template) }
  }
}

import MovieBox
import MovieWriter
import Subtitles

/// The names of the pictures of chapters: `art/{number}.{format}`.
struct ChapterImageTemplate: Equatable, Sendable {
  private let text: String

  /// A template; throws for one that names all pictures alike.
  init(_ text: String) throws(UsageError) {
    self.text = text
    guard text.contains("{number}") else {
      throw UsageError(.invalidValue, "--images \(text): {number} must stand in it, such as art/{number}.{format}")
    }
  }

  /// The name of a picture.
  func name(stem: String, number: String, format: String) -> String {
    var name = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      name += rest[..<open]
      let value = [("{stem}", stem), ("{number}", number), ("{format}", format)].first { rest[open...].hasPrefix($0.0) }
      name += value?.1 ?? "{"
      rest = rest[open...].dropFirst(value?.0.count ?? 1)
    }
    return name + rest
  }

  /// A chapter's number with zeros before it, so that names sort: `07` of 12, `007` of 120.
  static func number(_ number: Int, of count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, max(2, String(count).count) - digits.count)) + digits
  }

  /// How the name of a picture ends.
  static func suffix(of picture: Bytes) -> String { PictureFormat(picture) == .png ? "png" : "jpg" }

  /// The bytes of a picture; throws for what is no JPEG or PNG.
  static func picture(_ path: String, in context: Context) throws -> Bytes {
    let picture: Bytes
    do {
      picture = try context.contents(of: path, atMost: 64 << 20, "a picture")
    } catch {
      throw ToolError(error, about: path)
    }
    guard [.jpeg, .png].contains(PictureFormat(picture)), PictureFormat.size(of: picture) != nil else {
      throw ToolError(.badData, code: "not-a-picture", file: path, "no JPEG or PNG picture")
    }
    return picture
  }

  /// The name of a file that is there; `nil` where there is none for this chapter.
  func existingName(stem: String, number: Int, of count: Int, in context: Context) throws -> String? {
    for format in text.contains("{format}") ? ["jpg", "jpeg", "png"] : [""] {
      for number in [Self.number(number, of: count), String(number), Self.number(number, of: 100)] {
        let name = name(stem: stem, number: number, format: format)
        do {
          _ = try context.open(name).identity()
          return name
        } catch let error as FileError where error.code == .noInput {
          continue
        }
      }
    }
    return nil
  }
}

extension ChapterList {
  /// Gives chapters the pictures that a template names; those without one keep what they have.
  mutating func takeImages(
    _ template: ChapterImageTemplate, besides movie: String, in context: Context, _ warnings: inout [Warning]
  ) throws {
    var missing = 0
    for index in chapters.indices {
      let name = try template.existingName(
        stem: ChaptersCommand.stem(of: movie), number: index + 1, of: chapters.count, in: context)
      guard let name else {
        missing += 1
        continue
      }
      chapters[index].image = .data(try ChapterImageTemplate.picture(name, in: context))
    }
    guard missing < chapters.count else {
      let name = template.name(
        stem: ChaptersCommand.stem(of: movie), number: ChapterImageTemplate.number(1, of: chapters.count), format: "jpg"
      )
      throw ToolError(.noInput, code: "no-input", file: name, "no picture for any chapter, such as this")
    }
    if missing > 0 {
      warnings.append(
        Warning(
          code: "picture-missing", file: movie,
          message: "\(counted(missing, "chapter")) without a picture: the one before is shown"))
    }
  }
}

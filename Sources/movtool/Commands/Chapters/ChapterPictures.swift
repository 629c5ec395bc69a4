import MovieBox
import MovieWriter
import Subtitles

// The names of the pictures of chapters: `art/{number}.{format}`.
extension FileNameTemplate {
  /// A template for pictures of chapters; throws for one that names all alike.
  static func ofPictures(_ text: String) throws(UsageError) -> FileNameTemplate {
    let template = try FileNameTemplate(text, option: "--images", fields: [.stem, .number, .format])
    guard template.contains(.number) else {
      throw UsageError(.invalidValue, "--images \(text): {number} must stand in it, such as art/{number}.{format}")
    }
    return template
  }

  /// The name of a chapter's picture.
  func pictureName(stem: Substring, number: String, format: String) -> String {
    filled { field in
      switch field {
      case .stem: String(stem)
      case .number: number
      case .format: format
      case .language, .role, .id: ""
      }
    }
  }

  /// The name of a picture that is there; `nil` where there is none for this chapter.
  func existingPicture(stem: Substring, number: Int, of count: Int, in context: Context) throws -> String? {
    for format in contains(.format) ? ["jpg", "jpeg", "png"] : [""] {
      for number in [
        ChapterPictures.number(number, of: count), String(number), ChapterPictures.number(number, of: 100),
      ] {
        let name = pictureName(stem: stem, number: number, format: format)
        do {
          _ = try context.resolve(name)
          return name
        } catch is SystemError {
          continue  // There is none; whoever reads one that is there says what is wrong with it.
        }
      }
    }
    return nil
  }
}

/// The pictures of chapters, as files.
enum ChapterPictures {
  /// The most that is taken of a file; pictures of chapters have some hundred KB.
  static let largestByteCount = 64 << 20

  /// A chapter's number with zeros before it, so that names sort: `07` of 12, `007` of 120.
  static func number(_ number: Int, of count: Int) -> String {
    number.padded(to: max(2, String(count).count))
  }

  /// How the name of a picture ends.
  static func suffix(of picture: Bytes) -> String { PictureFormat(picture) == .png ? "png" : "jpg" }

  /// The kind of picture that a name says; `nil` for one that says none.
  static func format(ofName path: String) -> PictureFormat? {
    switch FilePath(path).fileExtension?.lowercased() {
    case "jpg", "jpeg": .jpeg
    case "png": .png
    case "gif": .gif
    case "bmp": .bmp
    default: nil
    }
  }

  /// That a picture is written under a name which says another kind; `nil` for one whose name says its own, or none.
  static func warning(ofName path: String, picture: Bytes) -> Warning? {
    guard let named = format(ofName: path), let kind = PictureFormat(picture), named != kind else { return nil }
    return Warning(
      code: "picture-name", file: path, message: "a \(kind.rawValue) picture under a name that says \(named.rawValue)"
    )
  }

  /// The bytes of a picture; throws for what is no JPEG or PNG, and for what is no ordinary file.
  static func read(_ path: String, in context: Context) throws -> Bytes {
    let picture: Bytes
    do {
      picture = try context.ordinaryContents(of: path, atMost: largestByteCount, "a picture")
    } catch {
      throw ToolError(error, about: path)
    }
    guard [.jpeg, .png].contains(PictureFormat(picture)), PictureFormat.size(of: picture) != nil else {
      throw ToolError(.badData, code: "not-a-picture", file: path, "no JPEG or PNG picture")
    }
    return picture
  }
}

extension ChapterList {
  /// Gives chapters the pictures that a template names; those without one keep what they have.
  mutating func takeImages(
    _ template: FileNameTemplate, besides movie: String, in context: Context, _ warnings: inout [Warning]
  ) throws {
    var missing = 0
    for index in chapters.indices {
      let name = try template.existingPicture(
        stem: FilePath(movie).stem, number: index + 1, of: chapters.count, in: context)
      guard let name else {
        missing += 1
        continue
      }
      chapters[index].image = .data(try ChapterPictures.read(name, in: context))
    }
    guard missing < chapters.count else {
      let name = template.pictureName(
        stem: FilePath(movie).stem, number: ChapterPictures.number(1, of: chapters.count), format: "jpg")
      throw ToolError(.noInput, code: "no-input", file: name, "no picture for any chapter, such as this")
    }
    guard missing > 0 else { return }
    let before = chapters.prefix { $0.image == nil }.count
    let after = chapters.count { $0.image == nil } - before
    let parts = [
      before > 0 ? "\(counted(before, "chapter")) before the first picture \(before == 1 ? "has" : "have") none" : nil,
      after > 0
        ? "\(counted(after, "chapter")) without a picture \(after == 1 ? "shows" : "show") the one before" : nil,
    ].compactMap { $0 }
    guard !parts.isEmpty else { return }
    warnings.append(Warning(code: "picture-missing", file: movie, message: parts.joined(separator: ", ")))
  }
}

import MovieBox
import MovieWriter
import Subtitles

// Names of chapter pictures: `art/{number}.{format}`.
extension FileNameTemplate {
  /// Parses a template for the names of chapter pictures. Throws if `{number}` is missing, because all pictures would
  /// have the same name.
  static func pictureTemplate(_ text: String) throws(UsageError) -> FileNameTemplate {
    let template = try FileNameTemplate(text, option: "--images", fields: [.stem, .number, .format])
    guard template.contains(.number) else {
      throw UsageError(.invalidValue, "--images \(text): must contain {number}, such as art/{number}.{format}")
    }
    return template
  }

  /// Returns the name of a chapter's picture.
  func pictureName(stem: Substring, number: String, format: String) -> String {
    filled { field in
      switch field {
      case .stem: String(stem)
      case .number: number
      case .format: format
      case .language, .role, .id, .name, .folder, .extension: ""
      }
    }
  }

  /// Returns the name of an existing picture for the chapter, or `nil` if there is none.
  func existingPictureName(stem: Substring, number: Int, of count: Int, in context: Context) throws -> String? {
    for format in contains(.format) ? ["jpg", "jpeg", "png"] : [""] {
      for number in [
        ChapterPictures.number(number, of: count), String(number), ChapterPictures.number(number, of: 100),
      ] {
        let name = pictureName(stem: stem, number: number, format: format)
        do {
          _ = try context.resolve(name)
          return name
        } catch is SystemError {
          continue  // The file is missing, or its error is reported when it is read.
        }
      }
    }
    return nil
  }
}

/// Chapter pictures in files.
enum ChapterPictures {
  /// The size limit of a file in bytes. Chapter pictures usually have a few hundred KB.
  static let largestByteCount = 64 << 20

  /// Returns a chapter's number, padded with zeros so that names sort by number: `07` of 12, `007` of 120.
  static func number(_ number: Int, of count: Int) -> String {
    number.padded(to: max(2, String(count).count))
  }

  /// Returns the suffix for a picture's file name.
  static func suffix(of picture: Bytes) -> String { PictureFormat(picture) == .png ? "png" : "jpg" }

  /// Returns the picture format for the extension of a file name, or `nil` if the extension is not a picture format.
  static func format(ofName path: String) -> PictureFormat? {
    switch FilePath(path).fileExtension?.lowercased() {
    case "jpg", "jpeg": .jpeg
    case "png": .png
    case "gif": .gif
    case "bmp": .bmp
    default: nil
    }
  }

  /// Returns a warning if the extension of the file name belongs to another picture format than the picture.
  static func warning(ofName path: String, picture: Bytes) -> Warning? {
    guard let namedFormat = format(ofName: path), let kind = PictureFormat(picture), namedFormat != kind else {
      return nil
    }
    return Warning(
      code: "picture-name", file: path,
      message: "the picture is in \(kind.rawValue), but the extension is for \(namedFormat.rawValue)"
    )
  }

  /// Reads a picture from a regular file. Throws unless it is a JPEG or PNG.
  static func read(_ path: String, in context: Context) throws -> Bytes {
    let picture: Bytes
    do {
      picture = try context.ordinaryContents(of: path, atMost: largestByteCount, "a picture")
    } catch {
      throw ToolError(error, about: path)
    }
    guard [.jpeg, .png].contains(PictureFormat(picture)), PictureFormat.size(of: picture) != nil else {
      throw ToolError(.badData, code: "not-a-picture", file: path, "not a JPEG or PNG picture")
    }
    return picture
  }
}

extension ChapterList {
  /// Reads the pictures whose names the template produces. A chapter whose file is missing keeps its picture.
  mutating func readPictures(
    _ template: FileNameTemplate, for movie: String, in context: Context, _ warnings: inout [Warning]
  ) throws {
    var missingCount = 0
    for index in chapters.indices {
      let name = try template.existingPictureName(
        stem: FilePath(movie).stem, number: index + 1, of: chapters.count, in: context)
      guard let name else {
        missingCount += 1
        continue
      }
      chapters[index].image = .data(try ChapterPictures.read(name, in: context))
    }
    guard missingCount < chapters.count else {
      let name = template.pictureName(
        stem: FilePath(movie).stem, number: ChapterPictures.number(1, of: chapters.count), format: "jpg")
      throw ToolError(
        .noInput, code: "no-input", file: name,
        "no chapter has a picture file; this is the expected name of the first picture")
    }
    guard missingCount > 0 else { return }
    let countBefore = chapters.prefix { $0.image == nil }.count
    let countAfter = chapters.count { $0.image == nil } - countBefore
    let parts = [
      countBefore > 0
        ? "\(counted(countBefore, "chapter")) before the first picture \(countBefore == 1 ? "has" : "have") no picture"
        : nil,
      countAfter > 0
        ? "\(counted(countAfter, "chapter")) without a picture "
          + "\(countAfter == 1 ? "shows" : "show") the previous picture"
        : nil,
    ].compactMap { $0 }
    guard !parts.isEmpty else { return }
    warnings.append(Warning(code: "picture-missing", file: movie, message: parts.joined(separator: ", ")))
  }
}

import MovieBox

/// A line of `movtool batch`: a command line in JSON, with an optional identifier and folder.
struct BatchLine {
  /// The maximum size of a line in bytes. A longer line is answered with an error.
  static let maximumByteCount = 1 << 20

  /// The number of the line, from 1.
  let number: Int
  /// The identifier that the answer repeats, a string or a number, or `nil` if the line has none.
  let id: JSONValue?
  /// The words of the command line, including `--json` if the command has this option.
  let words: [String]
  /// The files that the command line names.
  let files: [BatchFile]

  /// Parses a line: an array of words, or an object with `arguments` and optionally `id` and `folder`.
  init(_ text: Bytes, number: Int) throws(BatchLineError) {
    self.number = number
    let value: JSONValue
    do {
      value = try JSONValue(text)
    } catch {
      throw BatchLineError(id: nil, "not JSON: \(error.reason)")
    }
    let arguments: JSONValue
    var folder: String?
    if case .object = value {
      switch value["id"] {
      case nil: id = nil
      case .string, .number: id = value["id"]
      default: throw BatchLineError(id: nil, "id is neither a string nor a number")
      }
      guard let words = value["arguments"] else {
        throw BatchLineError(id: id, #"arguments is missing: {"id": 1, "arguments": ["inspect", "film.mov"]}"#)
      }
      arguments = words
      if let value = value["folder"] {
        guard let text = value.string, !text.isEmpty else { throw BatchLineError(id: id, "folder is not a path") }
        folder = text
      }
    } else {
      id = nil
      arguments = value
    }
    guard let values = arguments.array, !values.isEmpty else {
      throw BatchLineError(id: id, #"the command line is not an array of words: ["inspect", "film.mov"]"#)
    }
    var words: [String] = []
    for value in values {
      guard let word = value.string else { throw BatchLineError(id: id, "a word of the command line is not a string") }
      words.append(word)
    }
    if let name = words.first, [BatchCommand.name, ServeCommand.name].contains(name) {
      throw BatchLineError(id: id, "\(name) cannot be part of a batch; run it by itself")
    }
    var line = BatchWords(words)
    if let folder { line.moveFiles(to: folder) }
    line.addJSON()
    self.words = line.words
    files = line.files
  }
}

/// An error in a line that is not a valid command line.
struct BatchLineError: Error {
  /// The identifier of the line, or `nil` if it is unknown.
  let id: JSONValue?
  /// The message in one sentence.
  let message: String

  init(id: JSONValue?, _ message: String) {
    self.id = id
    self.message = message
  }
}

/// A file or folder that a command line names.
struct BatchFile: Hashable {
  /// The absolute path with resolved links, or the path as written if its folder does not exist.
  let path: String
  /// Whether the command may change the file.
  let isChanged: Bool

}

/// The files of command lines. A later line is searched for conflicts with them.
///
/// Two lines conflict if one of them may change a file that the other names. A line that names a folder also names all
/// files below the folder. The time of an insertion or a search does not depend on the number of files.
struct BatchFileSet {
  /// The named paths. The value is true if a line may change the path.
  private var paths: [String: Bool] = [:]
  /// The folders above the named paths. The value is true if a line may change a path in the folder.
  private var folders: [String: Bool] = [:]

  /// Adds the files of a line.
  mutating func insert(_ files: [BatchFile]) {
    for file in files {
      paths[file.path] = paths[file.path] == true || file.isChanged
      for folder in Self.folders(above: file.path) { folders[folder] = folders[folder] == true || file.isChanged }
    }
  }

  /// Whether a line that names these files must wait for the lines of the set.
  func conflicts(with files: [BatchFile]) -> Bool {
    files.contains { file in
      func isConflict(_ isChanged: Bool?) -> Bool { isChanged.map { $0 || file.isChanged } ?? false }
      return isConflict(paths[file.path]) || isConflict(folders[file.path])
        || Self.folders(above: file.path).contains { isConflict(paths[$0]) }
    }
  }

  /// Returns the folders above a path, except for the root.
  private static func folders(above path: String) -> [String] {
    path.indices.dropFirst().filter { path[$0] == "/" }.map { String(path[..<$0]) }
  }
}

/// The words of a command line, and the positions of the words that name files.
private struct BatchWords {
  private(set) var words: [String]
  /// The positions of file names: the index of the word, the option and `=` before the name, and the name of the option
  /// or `nil` for an operand.
  private var places: [(index: Int, prefix: String, option: String?)] = []
  private let command: (any Command.Type)?

  init(_ words: [String]) {
    self.words = words
    command = CommandTable.all.first { $0.name == words.first }
    guard let command, command != HelpCommand.self, command != CompletionsCommand.self else { return }
    let options = command.manual.options + OptionSpec.commonOptions
    var index = 1
    var hasEnded = false
    while index < words.count {
      defer { index += 1 }
      let word = words[index]
      if word == "--", !hasEnded {
        hasEnded = true
        continue
      }
      guard !hasEnded, word.hasPrefix("-"), word != "-" else {
        places.append((index, "", nil))
        continue
      }
      let spelling = String(word.prefix { $0 != "=" })
      guard let option = options.first(where: { $0.isSpelled(spelling) }), let value = option.value else { continue }
      if spelling.count < word.count {
        if value.kind == .file { places.append((index, spelling + "=", option.name)) }
      } else {
        index += 1
        if value.kind == .file, index < words.count { places.append((index, "", option.name)) }
      }
    }
  }

  /// Joins relative file names to `folder`.
  mutating func moveFiles(to folder: String) {
    for (index, prefix, _) in places {
      let name = words[index].dropFirst(prefix.count)
      // `{folder}` is the folder of the movie, and the movie's path has been joined already.
      guard !name.hasPrefix("/"), !name.isEmpty, name != "-", !name.hasPrefix("{folder}") else { continue }
      words[index] = prefix + (folder.hasSuffix("/") ? folder : folder + "/") + name
    }
  }

  /// Adds `--json` if the command has this option and the line lacks it.
  mutating func addJSON() {
    guard command?.manual.options.contains(where: { $0.name == "json" }) ?? true,
      !words.prefix(while: { $0 != "--" }).contains("--json")
    else { return }
    words.insert("--json", at: 1)
    for place in places.indices { places[place].index += 1 }
  }

  /// The files that the line names.
  var files: [BatchFile] {
    guard let command else { return [] }
    let options = words.prefix { $0 != "--" }
    let readsOnly =
      [InspectCommand.name, SelectCommand.name, DiffCommand.name].contains(command.name)
      || command == ValidateCommand.self && !options.contains("--fix")
    let hasOutput = places.contains { $0.option == "o" }
    // The first operand of these commands is the edited movie. All other commands edit all their operands.
    let editsFirst =
      command == AddTrackCommand.self || command == AddSubtitleCommand.self && !options.contains("--pair")
    var isFirstOperand = true
    return places.map { index, prefix, option in
      defer { if option == nil, editsFirst { isFirstOperand = false } }
      let path = String(words[index].dropFirst(prefix.count))
      let isChanged = option == "o" || option == nil && isFirstOperand && !hasOutput && !readsOnly
      return BatchFile(path: Self.resolved(path), isChanged: isChanged)
    }
  }

  /// Returns the absolute path with resolved links, or the path itself if its folder does not exist.
  private static func resolved(_ path: String) -> String {
    do {
      return try SystemCalls.resolve(path)
    } catch {
      let parts = FilePath(path)
      guard parts.isFile, let folder = try? SystemCalls.resolve(parts.folder) else { return path }
      return (folder == "/" ? "" : folder) + "/" + parts.name
    }
  }
}

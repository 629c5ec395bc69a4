import MovieBox

/// A line of `movtool batch`: a command line in JSON, with an optional identifier and folder.
struct BatchLine {
  /// The maximum size of a line in bytes. A longer line is answered with an error.
  static let maximumByteCount = 1 << 20

  /// The number of the line, from 1.
  let number: Int
  /// The identifier of the line, a string or a number, or `nil` if the line has none. The answer contains the same
  /// identifier.
  let id: JSONValue?
  /// The words of the command line. `--json` is added if the command can print its answer as JSON.
  let words: [String]
  /// The files that the command line names.
  let files: [BatchFile]

  /// Parses a line: an array of words, or an object with `arguments` and optionally `id` and `folder`.
  ///
  /// - Parameter limits: the value of `--limits` for a line without this option, or `nil`.
  init(_ text: Bytes, number: Int, limits: String? = nil) throws(BatchLineError) {
    self.number = number
    let value: JSONValue
    do {
      value = try JSONValue(text)
    } catch {
      throw BatchLineError(id: nil, "not JSON: \(error.reason)")
    }
    let arguments: JSONValue
    var folder: String?
    if case .object(let members) = value {
      switch value["id"] {
      case nil: id = nil
      case .string, .number: id = value["id"]
      default: throw BatchLineError(id: nil, "id is neither a string nor a number")
      }
      // If a misspelled `folder` were ignored, relative paths would refer to files in another folder.
      if let name = members.keys.sorted().first(where: { !["id", "arguments", "folder"].contains($0) }) {
        throw BatchLineError(id: id, "unknown member \(name); a line has id, folder and arguments")
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
      throw BatchLineError(id: id, #"the command line is not an array of words, such as ["inspect", "film.mov"]"#)
    }
    var words: [String] = []
    for value in values {
      guard let word = value.string else { throw BatchLineError(id: id, "a word of the command line is not a string") }
      words.append(word)
    }
    if let name = words.first, [BatchCommand.name, ServeCommand.name].contains(name) {
      throw BatchLineError(id: id, "\(name) cannot be part of a batch; run it by itself")
    }
    var line = CommandLineWords(words)
    if let folder { line.resolveFiles(in: folder) }
    if let limits { line.add(.limits, limits) }
    line.addJSON()
    self.words = line.words
    files = line.files
  }
}

/// The error for a line that is not a valid command line.
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
  /// The names of the file: its absolute path with resolved links, and its inode if it has several hard links.
  let names: [String]
  /// The folders that contain the file, up to the root.
  let folders: [String]
  /// Whether the command may change the file.
  let isChanged: Bool

  /// Looks up the file at a path.
  init(_ path: String, isChanged: Bool) {
    let path = FileKey.resolved(path)
    var names = [path]
    do {
      if let status = try SystemCalls.status(at: path, followingLinks: true), status.linkCount > 1,
        status.kind == .ordinary
      {
        names.append("inode:\(status.device):\(status.inode)")
      }
    } catch {
      // Ignore the error, because the command reports it when it runs.
    }
    self.names = names
    self.isChanged = isChanged
    // If the path is too long, no command can open the file, so no other line can conflict with this line.
    guard path.utf8.count <= 2 * FileKey.longestPath else {
      folders = []
      return
    }
    let bytes = path.utf8
    folders = bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") && $0 < bytes.index(before: bytes.endIndex) }.map {
      $0 == bytes.startIndex ? "/" : String(path[..<$0])
    }
  }
}

/// The files that earlier command lines name, to find out whether a later line conflicts with these lines.
///
/// Two lines conflict if one line may change a file that the other line names. A line that names a folder also names
/// all files below the folder. The time of an insertion or a search does not depend on the number of files.
struct BatchFileSet {
  /// The named paths. The value is `true` if a line may change the file.
  private var paths: [String: Bool] = [:]
  /// The folders that contain the named files. The value is `true` if a line may change a file in the folder.
  private var folders: [String: Bool] = [:]

  /// Adds the files of a line.
  mutating func insert(_ files: [BatchFile]) {
    for file in files {
      for name in file.names { paths[name] = paths[name] == true || file.isChanged }
      for folder in file.folders { folders[folder] = folders[folder] == true || file.isChanged }
    }
  }

  /// Whether a line that names these files must wait for the lines whose files are in the set.
  func conflicts(with files: [BatchFile]) -> Bool {
    files.contains { file in
      func isConflict(_ isChanged: Bool?) -> Bool { isChanged.map { $0 || file.isChanged } ?? false }
      return file.names.contains { isConflict(paths[$0]) || isConflict(folders[$0]) }
        || file.folders.contains { isConflict(paths[$0]) }
    }
  }
}

/// The words of a command line, and the positions of the words that name files.
struct CommandLineWords {
  private(set) var words: [String]
  /// The words that contain a file name. Each has the index of the word, the text before the name (an option and `=`),
  /// and the name of the option, or `nil` for an operand.
  private var filePositions: [(index: Int, prefix: String, option: String?)] = []
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
        filePositions.append((index, "", nil))
        continue
      }
      let spelling = String(word.prefix { $0 != "=" })
      guard let option = options.first(where: { $0.isSpelled(spelling) }), let value = option.value else { continue }
      if spelling.count < word.count {
        if value.kind == .file { filePositions.append((index, spelling + "=", option.name)) }
      } else {
        index += 1
        if value.kind == .file, index < words.count { filePositions.append((index, "", option.name)) }
      }
    }
  }

  /// Joins relative file names to `folder`.
  mutating func resolveFiles(in folder: String) {
    for (index, prefix, _) in filePositions {
      let name = words[index].dropFirst(prefix.count)
      // `{folder}` stands for the folder of the movie. The path of the movie is joined to `folder` as well.
      guard !name.hasPrefix("/"), !name.isEmpty, name != "-", !name.hasPrefix("{folder}") else { continue }
      // `./` prevents a folder whose name begins with a hyphen from being read as an option.
      let start = folder.hasPrefix("-") ? "./" + folder : folder
      words[index] = prefix + (start.hasSuffix("/") ? start : start + "/") + name
    }
  }

  /// Adds an option with a value if the command has the option and the line does not contain it.
  mutating func add(_ option: OptionSpec, _ value: String) {
    guard command != nil, !options.contains(where: { $0 == option.spelling || $0.hasPrefix(option.spelling + "=") })
    else { return }
    insert("\(option.spelling)=\(value)")
  }

  /// Adds `--json` if the line does not contain it and the command can print its answer as JSON.
  mutating func addJSON() {
    guard command?.manual.options.contains(where: { $0.name == "json" }) ?? !isHidden, !options.contains("--json")
    else {
      return
    }
    var withJSON = self
    withJSON.insert("--json")
    // Add `--json` unless it makes a valid command line invalid. Such a command prints output other than JSON, such as
    // a picture.
    if withJSON.parsed != nil || parsed == nil { self = withJSON }
  }

  private var isHidden: Bool { CommandTable.hiddenCommands.contains { $0.name == words.first } }

  /// The words before `--`. Only these words can be options.
  private var options: ArraySlice<String> { words.prefix { $0 != "--" } }

  private mutating func insert(_ word: String) {
    words.insert(word, at: 1)
    for place in filePositions.indices { filePositions[place].index += 1 }
  }

  /// The parsed command, or `nil` if the command line is invalid.
  private var parsed: (any Command)? {
    do {
      return try command?.command(of: Array(words.dropFirst()))
    } catch {
      return nil  // Running the command line reports the error.
    }
  }

  /// The files that the line names.
  var files: [BatchFile] {
    guard let command else { return [] }
    let readsOnly = parsed?.isReadOnly == true || options.contains("--dry-run")
    let hasOutput = filePositions.contains { $0.option == "o" }
    // `add-track`, `add-subtitle` and `add-captions` edit only their first operand. All other editing commands edit all
    // operands.
    let editsFirst =
      command == AddTrackCommand.self
      || (command == AddSubtitleCommand.self || command == AddCaptionsCommand.self) && !options.contains("--pair")
    let operands = filePositions.filter { $0.option == nil }
    var files: [BatchFile] = []
    for place in filePositions {
      let path = path(at: place)
      let isOutput =
        place.option == "o" || place.option == "parts-to" || place.option == "images" && !options.contains("--set")
      let isEdited =
        place.option == nil && !hasOutput && !readsOnly && (!editsFirst || place.index == operands.first?.index)
      // The names of files from a template are not known in advance. The line may therefore change any file in the
      // folder.
      if isOutput, path.hasPrefix("{folder}") {
        files += operands.map { BatchFile(FilePath(self.path(at: $0)).folder, isChanged: true) }
        files += operands.map { BatchFile(self.path(at: $0), isChanged: true) }
      } else if isOutput, let field = path.firstIndex(of: "{") {
        let folder = path[..<field].lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
        files.append(BatchFile(folder ?? ".", isChanged: true))
      } else {
        files.append(BatchFile(path, isChanged: isOutput || isEdited))
      }
    }
    return files
  }

  private func path(at place: (index: Int, prefix: String, option: String?)) -> String {
    String(words[place.index].dropFirst(place.prefix.count))
  }
}

extension Command {
  /// Parses a command line and returns the command.
  fileprivate static func command(of words: [String]) throws(UsageError) -> any Command { try parse(words).command }
}

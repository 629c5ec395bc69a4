import MovieBox

/// What `inspect` says of one file: what could be read, then the error, if there is one.
struct Inspection {
  /// The file as it was named.
  let file: String
  /// The lines of the text view.
  private(set) var lines: [String] = []
  /// Why not everything could be read.
  private(set) var error: ToolError?

  /// Reads the file as far as it can be read; never throws, since a broken file has an inspection too.
  init(of file: String, _ view: InspectCommand.View, in context: Context) {
    self.file = file
    do {
      try read(context.open(file), view)
    } catch {
      self.error = ToolError(error, about: file)
    }
  }

  /// The movie's part: reads the source and fills in the lines.
  private mutating func read(_ source: any RandomAccessSource, _ view: InspectCommand.View) throws {
    _ = try source.identity()
    throw ToolError(.ownFault, code: "not-built", file: file, "this build does not read movies yet")
  }

  /// Writes the members of the file's object in the answer of `--json`.
  func write(to json: inout JSONWriter) {
    json.member("file", file)
    if let error {
      json.object("error") { error.write(to: &$0) }
    } else {
      json.key("error")
      json.null()
    }
  }
}

/// A movie that a reference movie names, for some players: `rdrf` in `rmda` (QTFF "Reference Movie Data Reference
/// Atoms").
struct AlternateMovie {
  /// Where it lies.
  let location: MediaLocation

  /// Parses `rdrf`: flags, the type of the reference, its size, the reference. Throws when it ends early.
  init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let flags = try reader.read(UInt32.self)
    let type = try reader.readFourCC()
    let byteCount = try reader.read(UInt32.self)
    let data = try reader.readBytes(Int(clamping: byteCount))
    location = DataReference.Entry(type: type, flags: flags & 0x1, data: data).location
  }

  /// Why a movie atom without tracks, but with a list of alternate movies, is not a movie to work on, with their names;
  /// `nil` for a movie atom without such a list.
  static func refusal(of tree: AtomTree) -> MovieError? {
    guard let list = tree.child(of: tree.root, "rmra") else { return nil }
    return error(list, tree, "a reference movie, which has no media and names other movies", "; take one of those")
  }

  /// What is worth knowing of a movie that names alternates beside its own media.
  static func finding(in tree: AtomTree) -> MovieError? {
    guard let list = tree.child(of: tree.root, "rmra") else { return nil }
    return error(list, tree, "names other movies, of which players may take one instead", "")
  }

  private static func error(_ rmra: Int, _ tree: AtomTree, _ start: String, _ end: String) -> MovieError {
    var names: [String] = []
    for rmda in tree.children(of: rmra, "rmda") {
      for rdrf in tree.children(of: rmda, "rdrf") where names.count < 8 {
        do throws(MovieError) {
          names.append(try AlternateMovie(payload: tree.payload(of: rdrf)).location.description)
        } catch {
          names.append("one that cannot be read")
        }
      }
    }
    let list = names.isEmpty ? "" : ": " + names.joined(separator: ", ")
    return tree.error(.unsupported, at: rmra, start + list + end)
  }
}

extension Track {
  /// What the user data of a track says of its role and name.
  ///
  /// User data is a place where everybody writes: an item that does not parse is passed over, and stays in the file.
  struct UserData {
    var characteristics: [MediaCharacteristic] = []
    private var known: Set<MediaCharacteristic> = []
    var kinds: [TrackKind] = []
    var title: String?

    init(in trak: Int, of tree: AtomTree) throws(MovieError) {
      var titles: [FourCC: String] = [:]
      for udta in tree.children(of: trak, "udta") {
        for item in tree.children(of: udta) {
          do throws(MovieError) {
            try read(item, of: tree, titles: &titles)
          } catch {
            continue
          }
        }
      }
      title = (["tnam", "titl", "name", "©nam"] as [FourCC]).lazy.compactMap { titles[$0] }.first { !$0.isEmpty }
    }

    private mutating func read(_ item: Int, of tree: AtomTree, titles: inout [FourCC: String]) throws(MovieError) {
      let type = tree[item].type
      // The first of a kind counts; the others are not looked at, however many there are.
      func keep(_ title: () throws(MovieError) -> String) throws(MovieError) {
        if titles[type] == nil { titles[type] = try title() }
      }
      switch type {
      case "tagc":
        let tag = try tree.decode(TaggedCharacteristic.self, at: item)
        let characteristic = MediaCharacteristic(rawValue: tag.value)
        if known.insert(characteristic).inserted { characteristics.append(characteristic) }
      case "kind": kinds.append(try tree.decode(TrackKind.self, at: item))
      case "tnam": try keep { () throws(MovieError) in try tree.decode(LocalizedTrackName.self, at: item).text }
      case "titl": try keep { () throws(MovieError) in try tree.decode(TrackTitle.self, at: item).text }
      case "name": try keep { () throws(MovieError) in try tree.decode(TrackName.self, at: item).text }
      case "©nam": try keep { () throws(MovieError) in try tree.decode(UserDataText.self, at: item).text() ?? "" }
      default: break
      }
    }
  }
}

extension Track {
  /// A title in one language.
  package struct LocalizedTitle: Hashable, Sendable {
    /// The language; `und` where none is given.
    package let language: String
    /// The title.
    package let text: String
  }

  /// The titles that say their language (`tnam`, `titl`), in the order of the file, once each; empty ones are left out.
  ///
  /// - Parameter tree: that of the movie.
  package func localizedTitles(in tree: AtomTree) -> [LocalizedTitle] {
    var titles: [LocalizedTitle] = []
    var seen: Set<LocalizedTitle> = []
    for item in tree.children(of: atom, "udta").flatMap({ Array(tree.children(of: $0)) }) {
      guard let (code, text) = Self.title(at: item, of: tree), !text.isEmpty else { continue }
      let language = MediaLanguage.resolve(mediaHeaderCode: code, extendedTag: nil)
      let title = LocalizedTitle(language: language?.description ?? "und", text: text)
      if seen.insert(title).inserted { titles.append(title) }
    }
    return titles
  }

  /// The language code and text of an item; `nil` for another item, and for one that does not parse.
  private static func title(at item: Int, of tree: AtomTree) -> (code: UInt16, text: String)? {
    do throws(MovieError) {
      switch tree[item].type {
      case "tnam":
        let name = try tree.decode(LocalizedTrackName.self, at: item)
        return (name.languageCode, name.text)
      case "titl":
        let name = try tree.decode(TrackTitle.self, at: item)
        return (name.languageCode, name.text)
      default: return nil
      }
    } catch {
      return nil
    }
  }
}

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

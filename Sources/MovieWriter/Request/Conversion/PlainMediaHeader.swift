import MovieBox

/// The header of media that is neither pictures nor sound: `gmhd` in QuickTime movies, `nmhd` in ISO files.
enum PlainMediaHeader {
  /// The media that both types have, and of which a header says nothing.
  static let media: Set<FourCC> = ["text", "sbtl", "clcp", "meta"]

  /// That of QuickTime for media of a kind.
  static func quickTime(for media: FourCC) -> [UInt8] {
    var writer = ByteWriter()
    writer.atom("gmhd") { gmhd in
      gmhd.write(BaseMediaInfo().atom("gmin"))
      if media == "text" { gmhd.write(TextMediaInfo().atom("text")) }
      if media == "tmcd" { gmhd.atom("tmcd") { $0.write(timeCodeInfo) } }
    }
    return writer.bytes
  }

  /// Whether that of a track has a graphics mode, balance or matrix, which no header in ISO files has; or is damaged.
  static func hasPresentationSettings(_ gmhd: Int, in tree: AtomTree) -> Bool {
    do throws(MovieError) {
      if let gmin = tree.child(of: gmhd, "gmin") {
        let info = try tree.decode(BaseMediaInfo.self, at: gmin)
        // To copy, with dithering or without, is what text does.
        if ![0, 0x40].contains(info.graphicsMode) || info.balance != 0 { return true }
      }
      guard let text = tree.child(of: gmhd, "text"), tree.payload(of: text).contains(where: { $0 != 0 }) else {
        return false
      }
      return try tree.decode(TextMediaInfo.self, at: text).matrix != .identity
    } catch {
      return true
    }
  }

  /// How a time code is shown: the font of the system, 12 points, black on white (QTFF "Timecode Media Information").
  private static var timeCodeInfo: [UInt8] {
    var writer = ByteWriter()
    writer.atom("tcmi") { tcmi in
      tcmi.write(FullAtomHeader())
      for field in [0, 0, 12, 0, 0, 0, 0, 0xFFFF, 0xFFFF, 0xFFFF] as [UInt16] { tcmi.write(field) }
      tcmi.write(UInt8(0))
    }
    return writer.bytes
  }
}

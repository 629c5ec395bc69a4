import MovieBox

/// Compares tables of positions but for the positions, which are checked one by one.
enum PositionComparison {
  /// What changed of a table of positions though it may not: the number of entries, what stands beside them; `nil`
  /// where nothing did.
  static func changeBesidePositions(_ old: AtomTree, _ left: Int, _ new: AtomTree, _ right: Int) -> String? {
    let before = old.payload(of: left)
    let after = new.payload(of: right)
    guard old[left].type == new[right].type || old[left].type == "stco" && new[right].type == "co64" else {
      return "it became \(new[right].type)"
    }
    switch old[left].type {
    case "stco", "co64":
      guard before.slice(at: 0, count: 8) == after.slice(at: 0, count: 8) else { return "the number of chunks changed" }
      guard tail(before, old[left].type) == tail(after, new[right].type) else {
        return "the bytes after its positions changed"
      }
    case "saio":
      var reader = ByteReader(before)
      do throws(MovieError) {
        _ = try AuxiliaryInformationHead(&reader)
        _ = try reader.read(UInt32.self)  // The number of positions.
      } catch {
        return "it cannot be read"
      }
      guard before.count == after.count, before.prefix(reader.position).elementsEqual(after.prefix(reader.position))
      else { return "more than its positions changed" }
    default:
      guard before.count == after.count else { return "its size changed" }
    }
    return nil
  }

  /// What stands after the positions that a table of chunks claims.
  private static func tail(_ table: Bytes, _ type: FourCC) -> Bytes {
    let claimed = Int(clamping: table.load(at: 4, as: UInt32.self) ?? 0)
    return table.dropFirst(8 + claimed * (type == "co64" ? 8 : 4))
  }
}

// Files whose end is missing: a recorder lost power, a disk was full, a download broke off.
extension FileLayout {
  /// The first byte from which on media may be missing because the file was cut off, or `nil` if the file is whole as
  /// far as its atoms tell.
  ///
  /// The cut lies in the last atom, in an atom's header, or between a `moof` and the `mdat` that belongs to it. A cut
  /// between whole fragments leaves no trace.
  package var cutOffset: UInt64? {
    if let last = atoms.last, last.isTruncated || last.type == "mdat" && last.sizeField == .toEndOfFile {
      return last.range.offset
    }
    var afterMedia: UInt64?
    for atom in atoms.reversed() {
      if atom.type == "mdat" { break }
      if atom.type == "moof" { afterMedia = atom.range.end }
    }
    return afterMedia ?? trailing?.offset
  }
}

import TestSupport
import Testing

@testable import MovieBox

struct AtomListTests {
  private static let wide = u32(1) + code("wide") + u64(18) + u8(5, 6)
  private static let open = u32(0) + code("open") + u8(7)

  /// 64-bit sizes are read as in movie atoms. An atom that does not fit ends the list and becomes its tail.
  @Test func readsAtomsUpToOneThatDoesNotFit() {
    let start = atom("abcd") { u8(1) } + Self.wide
    for rest in [[], Self.open, u32(7) + code("less"), u32(9) + code("more"), zeros(4), u32(1) + code("torn")] {
      var list = AtomList(Bytes(zeros(2) + start + rest), from: 2)
      var atoms: [AtomList.Element] = []
      while let atom = list.next() { atoms.append(atom) }
      #expect(atoms.map(\.type) == ["abcd", "wide"] && atoms.map(\.range) == [2..<11, 11..<29])
      #expect(atoms.map(\.payload.array) == [[1], [5, 6]] && atoms.map(\.hasWideSize) == [false, true])
      #expect(atoms.map(\.payloadRange) == [10..<11, 27..<29] && list.rest.array == rest)
    }
    #expect(AtomList(Bytes(Self.open), allowsOpenEnd: true).map(\.payload.array) == [[7]])
    #expect(AtomList(Bytes(start), from: 99).map(\.type).isEmpty)
  }

  @Test func writesAtomsOfDescriptionsUnchanged() {
    let list = SampleEntryAtoms(Bytes(Self.wide + atom("abcd") { u8(1) } + zeros(4)))
    #expect(list["wide"]?.array == [5, 6] && list["abcd"]?.array == [1] && list.rest.isEmpty)
    var writer = ByteWriter()
    for atom in list.atoms { atom.write(to: &writer) }
    #expect(writer.bytes == Self.wide + atom("abcd") { u8(1) })
  }
}

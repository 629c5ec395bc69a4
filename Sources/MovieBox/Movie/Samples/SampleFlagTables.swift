/// What `sdtp`, `padb` and `stdp` of a sample table say of each sample: a table that is not there, or ends early, says 0.
package struct SampleFlagTables {
  private let dependencies: Bytes
  private let paddings: Bytes
  private let priorities: Bytes

  /// The tables of an `stbl`.
  package init(in stbl: Int, of tree: AtomTree) {
    func fields(_ type: FourCC, after header: Int) -> Bytes {
      tree.child(of: stbl, type).map { tree.payload(of: $0).dropFirst(header) } ?? Bytes()
    }
    dependencies = fields("sdtp", after: 4)
    paddings = fields("padb", after: 8)
    priorities = fields("stdp", after: 4)
  }

  /// So many samples have a field in one of the tables; for those after them all say 0.
  package var sampleCount: Int { Swift.max(dependencies.count, paddings.count * 2, priorities.count / 2) }

  /// The byte of a sample, counted from 0, in `sdtp`.
  package func dependencies(of sample: Int) -> UInt8 { dependencies.load(at: sample, as: UInt8.self) ?? 0 }

  /// How many bits at the end of a sample are padding: `padb` has two samples a byte.
  package func padding(of sample: Int) -> UInt8 {
    let bits = paddings.load(at: sample / 2, as: UInt8.self) ?? 0
    return (sample % 2 == 0 ? bits >> 4 : bits) & 7
  }

  /// The degradation priority of a sample, in `stdp`.
  package func priority(of sample: Int) -> UInt16 { priorities.load(at: 2 * sample, as: UInt16.self) ?? 0 }
}

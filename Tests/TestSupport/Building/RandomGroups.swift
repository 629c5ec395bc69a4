/// Random sample groups of one grouping type, in `stbl` and in fragments.
struct RandomGroups {
  /// The `sgpd` and `sbgp` of `stbl`.
  let atoms: [UInt8]
  private let type = "roll"
  /// The grouping type parameter, or `nil` if there is none.
  private let parameter: Int?
  private let isUsed: Bool
  /// The descriptions in `stbl`.
  private let shared: [[UInt8]]
  /// The number of the default description, 0 for none.
  private let standard: Int
  /// The description numbers of the samples in `sbgp` of `stbl`.
  private let table: [Int]

  init(tableSampleCount: Int, _ chance: inout Chance) {
    isUsed = chance.once(in: 2)
    let count = isUsed && chance.once(in: 2) ? chance.number(in: 1...3) : 0
    shared = (0..<count).map { u16(100 + $0) }
    standard = count > 0 && chance.once(in: 3) ? chance.number(in: 1...count) : 0
    let isAssigned = count > 0 && tableSampleCount > 0 && chance.once(in: 2)
    table = isAssigned ? (0..<chance.number(in: 1...tableSampleCount)).map { _ in chance.number(in: 0...count) } : []
    parameter = standard == 0 && chance.once(in: 3) ? 5 : nil
    var atoms: [UInt8] = []
    if count > 0 { atoms += Self.sgpd(shared, standard: standard > 0 ? standard : nil) }
    if isAssigned { atoms += Self.sbgp(parameter, table) }
    self.atoms = atoms
  }

  private var key: String { parameter.map { "\(type)/\($0)" } ?? type }

  private func group(_ description: [UInt8]?) -> [String: [UInt8]] {
    description.map { [key: $0] } ?? [:]
  }

  private func shared(_ number: Int) -> [UInt8]? { number > 0 && number <= shared.count ? shared[number - 1] : nil }

  /// Returns the group of a sample in `moov`.
  func ofTableSample(_ index: Int) -> [String: [UInt8]] {
    group(shared(index < table.count ? table[index] : standard))
  }

  /// Returns the atoms of a fragment and the groups of its samples.
  func part(of count: Int, _ chance: inout Chance) -> (atoms: [[UInt8]], groups: [[String: [UInt8]]]) {
    var groups = [[String: [UInt8]]](repeating: group(shared(standard)), count: count)
    guard isUsed, chance.once(in: 2) else { return ([], groups) }
    let own = chance.once(in: 2) ? (0..<chance.number(in: 1...3)).map { _ in u16(chance.number(in: 100...106)) } : []
    // The fragment's own default, which is numbered from 1 or in the same way as its samples.
    let ownStandard = own.isEmpty || parameter != nil || chance.once(in: 2) ? 0 : chance.number(in: 1...own.count)
    var atoms: [[UInt8]] = []
    if !own.isEmpty {
      atoms.append(
        Self.sgpd(own, standard: ownStandard == 0 ? nil : ownStandard + (chance.once(in: 2) ? 0x1_0000 : 0)))
    }
    if ownStandard > 0 { groups = groups.map { _ in group(own[ownStandard - 1]) } }
    guard own.isEmpty || chance.once(in: 2) else { return (atoms, groups) }
    let numbers = (0..<chance.number(in: 0...count)).map { _ in
      own.isEmpty || chance.once(in: 2)
        ? chance.number(in: 0...shared.count) : 0x1_0000 + chance.number(in: 1...own.count)
    }
    for (index, number) in numbers.enumerated() {
      groups[index] = group(number > 0x1_0000 ? own[number - 0x1_0001] : shared(number))
    }
    atoms.append(Self.sbgp(parameter, numbers))
    return (atoms, groups)
  }

  private static func sgpd(_ entries: [[UInt8]], standard: Int?) -> [UInt8] {
    fullAtom("sgpd", version: standard == nil ? 1 : 2) {
      code("roll") + u32(2) + (standard.map { u32($0) } ?? []) + u32(entries.count) + Array(entries.joined())
    }
  }

  private static func sbgp(_ parameter: Int?, _ numbers: [Int]) -> [UInt8] {
    fullAtom("sbgp", version: parameter == nil ? 0 : 1) {
      code("roll") + (parameter.map { u32($0) } ?? []) + u32(numbers.count) + numbers.flatMap { u32(1, $0) }
    }
  }
}

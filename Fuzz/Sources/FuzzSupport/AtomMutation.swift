/// Makes one to three random changes to the atoms and fields of a movie.
public func mutateAtoms(_ bytes: inout [UInt8], seed: UInt64) {
  var chance = Chance(seed)
  for _ in 0..<(1 + chance.number(below: 3)) {
    let atoms = ScannedAtom.scan(bytes)
    guard let atom = atoms.randomElement(using: &chance) else { return }
    Mutation.allCases.randomElement(using: &chance)?.apply(to: &bytes, atom, atoms, &chance)
  }
}

/// Replaces an atom with an atom of another movie, or inserts the other atom before it.
public func cross(_ bytes: inout [UInt8], with other: [UInt8], seed: UInt64) {
  var chance = Chance(seed)
  let atoms = ScannedAtom.scan(bytes)
  let others = ScannedAtom.scan(other)
  guard let target = atoms.randomElement(using: &chance) else { return }
  // Usually, the other atom has the same type.
  let same = others.filter { $0.type(in: other) == target.type(in: bytes) }
  let pool = same.isEmpty || chance.number(below: 4) == 0 ? others : same
  guard let part = pool.randomElement(using: &chance) else { return }
  let isInserted = chance.number(below: 2) == 0
  bytes.replace(
    isInserted ? target.start..<target.start : target.range, with: Array(other[part.range]), inside: target.parents)
}

/// A change to an atom.
private enum Mutation: CaseIterable {
  case setField, setSameField, setCount, copyField, setSize, setType, duplicate, delete, swap, truncate, extend
  case nest, move, cutFile, setVersion, zeroPayload

  func apply(to bytes: inout [UInt8], _ atom: ScannedAtom, _ atoms: [ScannedAtom], _ chance: inout Chance) {
    let payload = atom.payload
    switch self {
    case .setField, .setSameField:
      let width = [1, 2, 4, 4, 4, 8].randomElement(using: &chance) ?? 4
      guard payload.count >= width else { return }
      let steps = (payload.count - width) / (width == 8 ? 4 : width)
      let place = payload.lowerBound + chance.number(below: steps + 1) * (width == 8 ? 4 : width)
      bytes.setNumber(chance.interesting(bytes.number(at: place, width), bytes.count), at: place, width)
    case .setCount:
      // The count usually follows version and flags. In `stsz` and `sgpd`, it follows one more number.
      let place = payload.lowerBound + 4 * (1 + chance.number(below: 2))
      guard place + 4 <= payload.upperBound else { return }
      bytes.setNumber(chance.interesting(bytes.number(at: place, 4), bytes.count), at: place, 4)
    case .copyField:
      guard let other = atoms.randomElement(using: &chance), other.payload.count >= 4, payload.count >= 4 else {
        return
      }
      let from = other.payload.lowerBound + chance.number(below: other.payload.count / 4) * 4
      let to = payload.lowerBound + chance.number(below: payload.count / 4) * 4
      bytes.setNumber(bytes.number(at: from, 4), at: to, 4)
    case .setSize: bytes.setNumber(chance.interesting(UInt64(atom.range.count), bytes.count), at: atom.start, 4)
    case .setType:
      guard let other = atoms.randomElement(using: &chance) else { return }
      bytes.setNumber(bytes.number(at: other.start + 4, 4), at: atom.start + 4, 4)
    case .setVersion:
      guard !payload.isEmpty else { return }
      bytes[payload.lowerBound] = UInt8(chance.number(below: 4))
    case .duplicate: bytes.replace(atom.end..<atom.end, with: Array(bytes[atom.range]), inside: atom.parents)
    case .delete: bytes.replace(atom.range, with: [], inside: atom.parents)
    case .swap:
      guard let next = atoms.first(where: { $0.start == atom.end && $0.parents == atom.parents }) else { return }
      bytes.replace(atom.start..<next.end, with: Array(bytes[next.range] + bytes[atom.range]), inside: atom.parents)
    case .truncate:
      guard !payload.isEmpty else { return }
      let cut = 1 + chance.number(below: chance.number(below: 2) == 0 ? min(8, payload.count) : payload.count)
      bytes.replace(atom.end - cut..<atom.end, with: [], inside: atom.parents + [atom.start])
    case .extend:
      let added = (0..<(1 + chance.number(below: 16))).map { _ in UInt8(chance.number(below: 256)) }
      let place = payload.lowerBound + chance.number(below: payload.count + 1)
      bytes.replace(place..<place, with: added, inside: atom.parents + [atom.start])
    case .nest:
      bytes.replace(payload, with: Array(bytes[atom.range]), inside: atom.parents + [atom.start])
    case .move:
      guard let other = atoms.randomElement(using: &chance) else { return }
      bytes.replace(
        other.start..<other.start, with: Array(bytes[atom.range]), inside: other.parents)
    case .cutFile:
      guard chance.number(below: 4) == 0 else { return }
      bytes.removeLast(1 + chance.number(below: bytes.count))
    case .zeroPayload:
      for index in payload { bytes[index] = 0 }
    }
  }
}

/// A generator of random numbers. A seed always results in the same numbers.
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  /// Returns the next number of the generator xorshift64*.
  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func number(below bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }

  /// Returns a replacement for a number that is likely to reveal a defect.
  mutating func interesting(_ old: UInt64, _ byteCount: Int) -> UInt64 {
    let near = UInt64(number(below: 9)) &- 4
    switch number(below: 9) {
    case 0: return UInt64(number(below: 5))
    case 1: return .max &- UInt64(number(below: 3))
    case 2: return old &+ near
    case 3: return old ^ (1 << UInt64(number(below: 64)))
    case 4: return UInt64(byteCount) &+ near
    case 5: return (1 << UInt64(number(below: 64))) &+ near
    case 6: return old << UInt64(number(below: 8))
    case 7: return UInt64(number(below: byteCount + 1))
    default: return next()
    }
  }
}

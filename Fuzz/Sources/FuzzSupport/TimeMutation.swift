/// Changes one to four times or durations in a movie, and sometimes truncates the movie.
///
/// ``mutateAtoms(_:seed:)`` changes any bytes. It is unlikely to change the times of two fragments of a track so that
/// their sum overflows.
public func mutateTimes(_ bytes: inout [UInt8], seed: UInt64) {
  var chance = Chance(seed)
  for _ in 0..<(1 + chance.number(below: 4)) {
    let timed = ScannedAtom.scan(bytes).filter { timeFields[$0.type(in: bytes)] != nil }
    guard let atom = timed.randomElement(using: &chance),
      let fields = timeFields[atom.type(in: bytes)], let field = fields.randomElement(using: &chance)
    else { return }
    if field.isOfVersion1 { bytes.setNumber(1, at: atom.payload.lowerBound, 1) }
    let entries = field.stride == 0 ? 1 : Swift.max(1, (atom.payload.count - field.offset) / field.stride)
    let place = atom.payload.lowerBound + field.offset + chance.number(below: entries) * field.stride
    guard place + field.width <= atom.payload.upperBound else { continue }
    bytes.setNumber(chance.time(bytes.number(at: place, field.width)), at: place, field.width)
  }
  if chance.number(below: 4) == 0, bytes.count > 64 { bytes.removeLast(1 + chance.number(below: bytes.count / 2)) }
}

/// A number in an atom's payload.
private struct TimeField {
  let offset: Int
  let width: Int
  /// The distance between the numbers of a table in bytes, or 0 for a single number.
  var stride = 0
  /// Whether the number has this width only in version 1 of the atom.
  var isOfVersion1 = false
}

/// The fields that contain times, by type of atom.
private let timeFields: [UInt64: [TimeField]] = {
  func type(_ code: String) -> UInt64 { code.utf8.reduce(0) { $0 << 8 | UInt64($1) } }
  return [
    type("tfdt"): [TimeField(offset: 4, width: 8, isOfVersion1: true), TimeField(offset: 4, width: 4)],
    type("trun"): [TimeField(offset: 4, width: 4, stride: 4)],
    type("tfhd"): [TimeField(offset: 8, width: 4, stride: 4)],
    type("trex"): [TimeField(offset: 12, width: 4)],
    type("elst"): [TimeField(offset: 8, width: 4, stride: 4), TimeField(offset: 8, width: 8, stride: 4)],
    type("stts"): [TimeField(offset: 12, width: 4, stride: 8)],
    type("ctts"): [TimeField(offset: 12, width: 4, stride: 8)],
    type("mdhd"): [TimeField(offset: 12, width: 4), TimeField(offset: 16, width: 4)],
    type("mvhd"): [TimeField(offset: 12, width: 4), TimeField(offset: 16, width: 4)],
    type("mehd"): [TimeField(offset: 4, width: 4)],
  ]
}()

extension Chance {
  /// Returns a time that is likely to reveal a defect: a time slightly before the start, at a limit of 31, 32, 63 or 64
  /// bits, or near the old time.
  fileprivate mutating func time(_ old: UInt64) -> UInt64 {
    let near = UInt64(number(below: 4_096))
    switch number(below: 8) {
    case 0: return 0 &- near
    case 1: return near
    case 2: return (1 << 63) &+ near
    case 3: return (1 << 63) &- 1 &- near
    case 4: return (1 << UInt64([31, 32, 40, 52, 62][number(below: 5)])) &- near
    case 5: return old &+ near &- 2_048
    case 6: return old << UInt64(number(below: 32))
    default: return next()
    }
  }
}

import DiskTestSupport
import MovieBox
import Testing

@testable import MovieWriter

/// After any crash, the name refers to nothing, to the old movie or to the new one.
struct NewFileSinkCrashTests {
  static let old = SampleEdit.pattern(700, from: 3)
  static let source = MemorySource(Bytes(SampleEdit.pattern(1500, from: 5)))
  static var plan: OutputPlan {
    get throws {
      try OutputPlan(
        of: source.identity(),
        [.generated(Bytes(SampleEdit.pattern(300, from: 50))), .source(ByteRange(100..<1300)), .zeros(40)])
    }
  }
  static let new =
    SampleEdit.pattern(300, from: 50) + source.bytes.array[100..<1300] + [UInt8](repeating: 0, count: 40)

  @Test(arguments: [SimulatedDisk.Growth.afterData, .beforeData], [true, false])
  func leavesTheOldOrNewFileAfterEveryCrash(_ growth: SimulatedDisk.Growth, hasUnnamedFiles: Bool) throws {
    let disk = SimulatedDisk(["film.mov": Self.old], growth: growth, hasUnnamedFiles: hasUnnamedFiles)
    let sink = NewFileSink(path: "film.mov", existing: .replace, synchronizes: false, disk: disk)
    try sink.carryOut(Self.plan, from: Self.source)
    #expect(disk.current == ["film.mov": Self.new])
    #expect(Set(disk.images.map { $0["film.mov"] }) == [Self.old, Self.new])
    #expect(disk.images.count > (hasUnnamedFiles ? 2 : 5))
  }

  @Test(arguments: [SimulatedDisk.Growth.afterData, .beforeData])
  func leavesNoPartialSyncedFileAfterEveryCrash(_ growth: SimulatedDisk.Growth) throws {
    let disk = SimulatedDisk(growth: growth)
    let sink = NewFileSink(path: "film.mov", existing: .keep, synchronizes: true, disk: disk)
    try sink.carryOut(Self.plan, from: Self.source)
    #expect(disk.current == ["film.mov": Self.new])
    #expect(Set(disk.images.map { $0["film.mov"] }) == [nil, Self.new])
  }

  @Test func leavesNoPartialFileWhenTheProcessDies() throws {
    let disk = SimulatedDisk()
    let sink = NewFileSink(path: "film.mov", existing: .keep, synchronizes: false, disk: disk)
    try sink.carryOut(Self.plan, from: Self.source)
    #expect(Set(disk.steps.map { $0["film.mov"] }) == [nil, Self.new])
  }

  @Test func detectsAMissingSync() throws {
    let disk = SimulatedDisk(["film.mov": Self.old], hasUnnamedFiles: false)
    let careless = FaultyFileSystem(disk, ignoresSyncs: true)
    let sink = NewFileSink(path: "film.mov", existing: .replace, synchronizes: false, disk: careless)
    try sink.carryOut(Self.plan, from: Self.source)
    #expect(Set(disk.images.map { $0["film.mov"] }).count > 2)
  }

  @Test(arguments: [true, false])
  func leavesTheOldOrNewMovieAfterARefusalAndACrash(_ isReplacing: Bool) throws {
    for call in 1... {
      let disk = SimulatedDisk(isReplacing ? ["film.mov": Self.old] : [:])
      let faulty = FaultyFileSystem(disk, refusing: call)
      let sink = NewFileSink(
        path: "film.mov", existing: isReplacing ? .replace : .keep, synchronizes: true, disk: faulty)
      do {
        try sink.carryOut(Self.plan, from: Self.source)
      } catch {
        #expect(error is FileError)
      }
      let before = isReplacing ? Self.old : nil
      #expect(Set(disk.images.map { $0["film.mov"] }).isSubset(of: [before, Self.new]), "\(faulty.refusedCall)")
      if !faulty.hasRefused { break }
    }
  }
}

import Foundation
import MovieBox
import MovieWriter
import Subtitles

/// Edits many small movies in one process, as in a service.
struct Soak {
  let movie: String
  let subtitles: String
  let folder: String

  /// Adds a track to `count` copies of the movie in place, and checks every hundredth copy.
  ///
  /// Prints a line of five numbers: the time of the edits in nanoseconds without the time of copying, the resident
  /// memory in bytes after a tenth of the edits and after all edits, and the number of open descriptors before and
  /// after the edits.
  func run(_ count: Int) throws {
    let files = FileManager.default
    let copy = folder + "/soak.mov"
    defer { try? files.removeItem(atPath: copy) }
    let text = Bytes([UInt8](try Data(contentsOf: URL(filePath: subtitles))))
    let clock = ContinuousClock()
    var spent = Duration.zero
    var earlyMemory = 0
    let descriptorCount = try openDescriptorCount()
    for index in 1...count {
      if files.fileExists(atPath: copy) { try files.removeItem(atPath: copy) }
      try files.copyItem(atPath: movie, toPath: copy)
      spent += try clock.measure { try addTrack(text, to: copy) }
      if index % 100 == 0 { try require(oneTrackMoreIn: copy) }
      if index == max(1, count / 10) { earlyMemory = try residentByteCount() }
    }
    print(
      FromInside.nanoseconds(spent), earlyMemory, try residentByteCount(), descriptorCount, try openDescriptorCount())
  }

  private func addTrack(_ text: Bytes, to path: String) throws {
    let source = try FileSource(path: path)
    let cues = try SubtitleFile.read(Array(text), named: subtitles).cues
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    _ = try edit.addSubtitles(SubtitleInput(cues: cues, language: LanguageTag("en")))
    try MovieFileWriter(edit, to: .sourceFile(path)).write()
  }

  private func require(oneTrackMoreIn path: String) throws {
    let before = try Movie(of: FileSource(path: movie)).tracks.count
    let source = try FileSource(path: path)
    let edited = try Movie(of: source)
    guard edited.tracks.count == before + 1, let track = edited.tracks.last,
      try !TextTrackReader(track, of: edited).read(from: source).cues.isEmpty
    else { throw BadArguments(description: "\(path) has no new track") }
  }

  private func residentByteCount() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }

  private func openDescriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }
}

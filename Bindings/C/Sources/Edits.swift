// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// movtool.h documents the functions. They are public, because the library hides all other functions.

public import CMovtool
import MovieBox
import MovieStreaming
import MovieWriter
import MovtoolCommands

// Edits of several commands, and plans.

/// The object behind a `movtool_plan`.
private final class PlanHandle: Sendable {
  let planned: PlannedSource

  init(_ planned: PlannedSource) {
    self.planned = planned
  }

  static func planned(_ handle: OpaquePointer?) throws -> PlannedSource {
    try object(handle, "plan", as: PlanHandle.self).planned
  }
}

@c @implementation public func movtool_edit_create(
  _ name: UnsafePointer<CChar>?, _ source: OpaquePointer?, _ edit: UnsafeMutablePointer<OpaquePointer?>?,
  _ result: ResultPointer?
) -> Int32 {
  call(result) {
    let name = try text(name, "name")
    guard !name.isEmpty else { throw InvalidCall(message: "name is empty") }
    return try deliver(edit, "edit") { CommandEdit(of: name, try SourceHandle.source(source)) }
  }
}

@c @implementation public func movtool_edit_apply(
  _ edit: OpaquePointer?, _ words: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ host: UnsafePointer<movtool_host>?, _ plan: UnsafeMutablePointer<OpaquePointer?>?, _ result: ResultPointer?
) -> Int32 {
  call(result) {
    plan?.pointee = nil
    let edit = try object(edit, "edit", as: CommandEdit.self)
    let words = try MovtoolC.words(words, count)
    guard words.contains("--help") || CommandEdit.isPossible(words.first) else {
      throw InvalidCall(message: "\(words[0]) is not a command that edits a movie")
    }
    let host = try CommandHost(host)
    let (outcome, planned) = try edit.apply(CommandHost.wordsWithJSON(words), in: host)
    if let planned {
      _ = try plan.map { plan in try deliver(plan, "plan") { PlanHandle(planned) } }
    } else if outcome.exitCode == .done {
      throw InvalidCall(message: "the command line does not edit the movie: \(words.joined(separator: " "))")
    }
    return Answer(outcome)
  }
}

@c @implementation public func movtool_edit_free(_ edit: OpaquePointer?) {
  release(edit, as: CommandEdit.self)
}

@c @implementation public func movtool_plan_size(_ plan: OpaquePointer?) -> UInt64 {
  guard let plan else { return 0 }
  return Unmanaged<PlanHandle>.fromOpaque(UnsafeRawPointer(plan)).takeUnretainedValue().planned.plan.byteCount
}

@c @implementation public func movtool_plan_parts(
  _ plan: OpaquePointer?, _ smallest: UInt64, _ largest: UInt64, _ count: Int, _ result: ResultPointer?
) -> Int32 {
  call(result) {
    let plan = try PlanHandle.planned(plan).plan
    guard count <= 1_000_000, let sizes = OutputPlan.PartSizes(smallest: smallest, largest: largest, count: count)
    else {
      throw InvalidCall(
        message: "smallest must be above 0, largest at least twice smallest, and count between 1 and a million")
    }
    let parts = try plan.parts(sizes)
    var json = JSONWriter(.compact)
    json.object { json in
      json.member("byteCount", plan.byteCount)
      json.member("tag", plan.entityTag)
      let sources = plan.source.parts.isEmpty ? [plan.source] : plan.source.parts
      json.objects("sources", of: sources) { source, json in
        json.member("byteCount", source.byteCount)
        json.member("tag", source.tag)
      }
      json.objects("parts", of: parts) { part, json in
        json.member("offset", part.range.offset)
        json.member("byteCount", part.range.count)
        guard case .copied(let range) = part.origin,
          let place = sources.indices.lazy.compactMap({ index in
            plan.source.range(ofPart: index)?.intersection(range).map { (index, $0.offset, $0.count) }
          }).first, let start = plan.source.range(ofPart: place.0)?.offset, place.2 == range.count
        else {
          json.memberNull("source")
          json.memberNull("sourceOffset")
          return
        }
        json.member("source", place.0)
        json.member("sourceOffset", place.1 - start)
      }
    }
    return Answer(json.bytes)
  }
}

@c @implementation public func movtool_plan_read(
  _ plan: OpaquePointer?, _ offset: UInt64, _ buffer: UnsafeMutableRawPointer?, _ count: Int,
  _ readCount: UnsafeMutablePointer<Int>?, _ result: ResultPointer?
) -> Int32 {
  call(result) {
    guard let readCount else { throw InvalidCall(message: "read_count is NULL") }
    readCount.pointee = 0
    let planned = try PlanHandle.planned(plan)
    guard count >= 0, buffer != nil || count == 0 else { throw InvalidCall(message: "buffer is NULL") }
    guard try planned.base.identity() == planned.plan.source else {
      throw MovieError(.sourceChanged, "the movie has changed since it was planned")
    }
    let start = min(planned.plan.byteCount, offset)
    let end = start + min(planned.plan.byteCount - start, UInt64(count))
    let bytes = try planned.readExactly(ByteRange(start..<end))
    UnsafeMutableRawBufferPointer(start: buffer, count: count).copyBytes(from: bytes)
    readCount.pointee = bytes.count
    return Answer()
  }
}

@c @implementation public func movtool_plan_write(
  _ plan: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ overwrites: Int32, _ host: UnsafePointer<movtool_host>?,
  _ result: ResultPointer?
) -> Int32 {
  let name = path.flatMap { String(validatingCString: $0) }
  return call(result, about: name) {
    let planned = try PlanHandle.planned(plan)
    let path = try text(path, "path")
    let host = try CommandHost(host)
    try host.write(planned, to: path, overwrites: overwrites != 0)
    return Answer()
  }
}

@c @implementation public func movtool_plan_send(
  _ plan: OpaquePointer?, _ host: UnsafePointer<movtool_host>?, _ result: ResultPointer?
) -> Int32 {
  call(result) {
    let planned = try PlanHandle.planned(plan)
    guard host != nil else { throw InvalidCall(message: "host is NULL") }
    try CommandHost(host).send(planned)
    return Answer()
  }
}

@c @implementation public func movtool_plan_free(_ plan: OpaquePointer?) {
  release(plan, as: PlanHandle.self)
}

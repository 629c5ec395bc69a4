/// The positions of a movie's media; zeros while the layout is unknown.
struct MediaPlaces {
  var positions: [MediaBlock: UInt64] = [:]
  subscript(block: MediaBlock) -> UInt64 { positions[block] ?? 0 }
}

/// A block of bytes that is written contiguously into an `mdat`.
enum MediaBlock: Hashable {
  case chunk(track: UInt32, index: Int)
  case auxiliary(track: UInt32)
  case trackItem(track: UInt32)
  case movieItem
  case fileItem
}

extension TestTrack {
  func trak(in movie: TestMovie, places: MediaPlaces) -> [UInt8] {
    atom("trak") {
      tkhd(movieTimeScale: movie.timeScale)
      atomsAfterHeader
      if !edits.isEmpty { atom("edts") { elst() } }
      if !references.isEmpty {
        atom("tref") {
          for reference in references { atom(reference.type) { reference.tracks.flatMap { u32(Int($0)) } } }
        }
      }
      mdia(in: movie, places: places)
      if let userData { atom("udta") { userData } }
      if let item {
        itemMeta(movie.dialect, position: places[.trackItem(track: id)], byteCount: item.count, usesBase: false)
      }
      trackAtoms
    }
  }

  func durationInMovieTicks(_ movieTimeScale: Int) -> Int {
    edits.isEmpty ? mediaDuration * movieTimeScale / timeScale : edits.reduce(0) { $0 + $1.duration }
  }

  private func tkhd(movieTimeScale: Int) -> [UInt8] {
    let duration = durationInMovieTicks(movieTimeScale)
    return fullAtom("tkhd", version: usesLongTimes ? 1 : 0, flags: otherFlags | (isEnabled ? 1 : 0)) {
      times()
      u32(Int(id), 0)
      usesLongTimes ? u64(UInt64(duration)) : u32(duration)
      zeros(8)
      u16(layer, group, handler == "soun" ? 0x100 : 0, 0)
      matrix.flatMap { u32($0) }
      u32(width << 16, height << 16)
    }
  }

  private func times() -> [UInt8] {
    let created: UInt64 = 0xD900_0000
    return usesLongTimes ? u64(created, created + 60) : u32(Int(created), Int(created) + 60)
  }

  private func elst() -> [UInt8] {
    fullAtom("elst", version: usesLongTimes ? 1 : 0) {
      u32(edits.count)
      for edit in edits {
        usesLongTimes ? u64(UInt64(edit.duration)) : u32(edit.duration)
        usesLongTimes ? u64(UInt64(bitPattern: Int64(edit.mediaTime))) : u32(edit.mediaTime)
        u32(edit.rate)
      }
    }
  }

  private func mdia(in movie: TestMovie, places: MediaPlaces) -> [UInt8] {
    atom("mdia") {
      fullAtom("mdhd", version: usesLongTimes ? 1 : 0) {
        times()
        u32(timeScale)
        usesLongTimes ? u64(UInt64(mediaDuration)) : u32(mediaDuration)
        u16(language.field, 0)
      }
      if let extendedLanguage { fullAtom("elng") { cString(extendedLanguage) } }
      switch movie.dialect {
      case .quickTime: hdlr("mhlr", handler, handlerName ?? pascalString("Test Media Handler"))
      case .iso: hdlr(nil, handler, handlerName ?? cString("Test Media Handler"))
      }
      atom("minf") {
        mediaHeader(movie.dialect)
        if movie.dialect == .quickTime { hdlr("dhlr", "url ", pascalString("Test Data Handler")) }
        atom("dinf") {
          fullAtom("dref") {
            let own = externalOffsets == nil ? fullAtom("url ", flags: 1) : urlReference("file:///media/elsewhere.mov")
            let entries = dataReferences ?? [own]
            u32(entries.count)
            Array(entries.joined())
          }
        }
        stbl(places)
        mediaInformationAtoms
      }
      mediaAtoms
    }
  }

  private func hdlr(_ component: String?, _ handler: String, _ name: [UInt8]) -> [UInt8] {
    fullAtom("hdlr") {
      component.map { code($0) } ?? u32(0)
      code(handler)
      zeros(12)
      name
    }
  }

  private func mediaHeader(_ dialect: TestMovie.Dialect) -> [UInt8] {
    switch kind {
    case .video: fullAtom("vmhd", flags: 1) { zeros(8) }
    case .sound: fullAtom("smhd") { zeros(4) }
    case .subtitle: fullAtom("nmhd")
    case .text, .timecode, .other: dialect == .iso ? fullAtom("nmhd") : gmhd()
    }
  }

  private func gmhd() -> [UInt8] {
    atom("gmhd") {
      fullAtom("gmin") { u16(0x40, 0x8000, 0x8000, 0x8000, 0, 0) }
      switch kind {
      case .text: atom("text") { [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000].flatMap { u32($0) } }
      case .timecode:
        atom("tmcd") {
          fullAtom("tcmi") {
            u16(0, 0, 12, 0, 0, 0, 0, -1, -1, -1)
            pascalString("Lucida Grande")
          }
        }
      default: []
      }
    }
  }
}

/// Returns a data reference by URL.
package func urlReference(_ url: String) -> [UInt8] {
  fullAtom("url ") { cString(url) }
}

/// Returns a data reference by a Macintosh alias, as classic systems wrote it.
///
/// `levels` are the numbers of folders from the alias up to the common folder and down from there. `path` is the path in
/// the volume with colons, `posixPath` the newer one.
package func aliasReference(
  _ name: String, levels: (up: Int, down: Int) = (-1, -1), path: String? = nil, posixPath: String? = nil,
  unicodeName: String? = nil
) -> [UInt8] {
  func field(_ tag: Int, _ bytes: [UInt8]) -> [UInt8] {
    u16(tag, bytes.count) + bytes + zeros(bytes.count % 2)
  }
  func string(_ text: String, room: Int) -> [UInt8] {
    let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }.prefix(room)
    return [UInt8(bytes.count)] + bytes + zeros(room - bytes.count)
  }
  let fields = movie {
    if let path { field(2, text(path)) }
    if let unicodeName { field(14, u16(unicodeName.utf16.count) + unicodeName.utf16.flatMap { u16(Int($0)) }) }
    if let posixPath { field(18, text(posixPath)) }
    u16(-1, 0)
  }
  return fullAtom("alis") {
    zeros(4)
    u16(150 + fields.count, 2, 0)  // size, version, a file
    string("Macintosh HD", room: 27)
    zeros(4)
    text("H+")
    u16(0)
    zeros(4)
    string(name, room: 63)
    zeros(16)
    u16(levels.up, levels.down)
    zeros(16)
    fields
  }
}

import SubtitleTestSupport
import MovieBox
import TestSupport

@testable import MovieWriter

/// The small initial inputs of fuzzers, by folder of `Fuzz/Seeds` and by name.
enum FuzzSeeds {
  /// The size limit of a seed. Larger inputs make a fuzzer slow.
  static let largestByteCount = 8_000

  static let all: [String: [String: [UInt8]]] = [
    "movies": movies.filter { $0.value.count <= largestByteCount },
    "fragments": fragments.filter { $0.value.count <= largestByteCount },
    "chapters": chapterFiles, "subrip": subRip, "webvtt": webVTT, "text": textSamples,
    "streams": streams, "requests": requests, "metadata-forms": formPayloads,
    "tracks": tracks, "pairs": captionPairs, "scc": scenarist, "mcc": macCaption, "cdp": captionPackets,
    "sei": captionedPictures,
    "mebx": boxedMetadata, "gpmf": goProTelemetry, "camm": cameraMotionRecords,
  ]

  // MARK: - Timed metadata

  private static var boxedMetadata: [String: [UInt8]] {
    func seed(_ keys: [TestMetadataKey], _ sample: [UInt8]) -> [UInt8] {
      let description = atom("keys") { keys.flatMap(\.bytes) }
      return u16(description.count) + description + sample
    }
    let face = TestMetadataKey(1, "com.apple.quicktime.detected-face", type: 69, named: "face")
    return [
      "place": seed(
        [TestMetadataKey(1, "com.apple.quicktime.location.ISO6709", type: 1)],
        atom(numbered: 1) { text("+48.1370+011.5750+520.000/") }),
      "face": seed(
        [face, TestMetadataKey(2, "face.id", space: "fiel", type: 77)],
        atom(numbered: 1) { atom("crec") { atom("cits") { atom(numbered: 2) { u32(5) } } } }),
      "gap": seed([TestMetadataKey(1, "com.example.a", type: 66, language: "de")], atom(numbered: 0)),
    ]
  }

  private static var goProTelemetry: [String: [UInt8]] {
    [
      "points": telemetryPayload(points: [(481_370_000, 115_750_000, 520_000), (1, 2, 3)], total: 2),
      "own-times": telemetry("DEVC") {
        telemetry("STRM") {
          telemetry("TYPE", "c", text("l[7]SS"))
          telemetry("GPS9", "?", row: 32, u32Signed([1, 2, 3, 4, 5, 6, 7]) + u16(150, 3))
        }
      },
    ]
  }

  private static var cameraMotionRecords: [String: [UInt8]] {
    [
      "place": cameraMotion(5, littleDoubles(48.137, 11.575, 520)) + cameraMotion(2, littleFloats(1, 2, 3)),
      "accurate": cameraMotion(
        6, littleDoubles(1_241_200_525) + [3, 0, 0, 0] + littleDoubles(33, -117) + littleFloats(1, 2, 3, 4, 5, 6, 7)),
    ]
  }

  // MARK: - Movies

  /// Movies that HLS supports.
  private static var streams: [String: [UInt8]] {
    [
      "short": StreamableMovie.short.bytes(),
      "quicktime": StreamableMovie.short.with { $0.dialect = .quickTime }.bytes(),
      "late": StreamableMovie.short.with { movie in
        movie.tracks[0].edits.insert(TestEdit(duration: 300, mediaTime: -1), at: 0)
      }.bytes(),
      "dependencies": StreamableMovie.short.with { movie in
        movie.tracks[0].sampleTableAtoms = fullAtom("sdtp") { (0..<12).flatMap { u8($0 % 6 == 0 ? 0x20 : 0x10) } }
      }.bytes(),
    ]
  }

  private static var movies: [String: [UInt8]] {
    var seeds = [
      "small": small.bytes(), "small-iso": small.with { $0.dialect = .iso }.bytes(),
      "fast-start": small.with { $0.layout = .movieFirst }.bytes(),
      "between": small.with { $0.layout = .movieBetween }.bytes(),
      "compressed": small.with { $0.hasCompressedMovieAtom = true }.bytes(),
      "items": small.with { ($0.fileItem, $0.movieItem) = (text("one"), text("two")) }
        .with { $0.layout = .movieLast + [.itemTable] }.bytes(),
      "talk": TestMovie.talk.bytes(), "right": TestMovie.right.bytes(), "right-iso": TestMovie.rightISO.bytes(),
      "subtitles": small.with { $0.tracks.append(TestTrack.rightSubtitles(3, "spa").placedFreely()) }.bytes(),
      "metadata": small.with { movie in
        movie.userData = atom("©nam") { internationalText("A name") } + atom("name") { text("A name") }
        movie.movieAtoms = mdtaMetadata([("com.apple.quicktime.make", "ACME")])
        movie.tracks[1].userData = atom("tagc") { text("public.main-program-content") }
      }.bytes(),
      "facts": TestMovie.stating.bytes(), "facts-in-packets": TestMovie.statingInPackets.bytes(),
      "facts-iso": TestMovie.statingAsISO.bytes(), "facts-with-space": TestMovie.withSpace(zeros(200)).bytes(),
      "facts-with-space-beside-keys": TestMovie.withSpace(zeros(300), besideKeys: true).bytes(),
      "route": small.with { $0.tracks.append(.route(id: 3, ["+48.1370+011.5750+520.000/", "", "+48.1+011.5/"])) }
        .bytes(),
      "podcast": TestMovie.podcast().bytes(),
      "podcast-list": TestMovie.podcast(.quickTime, linksAreTimedText: true).with {
        $0.userData = fullAtom("chpl", version: 1) { u32(0) + u8(1) + u64(0) + pascalString("One") }
      }.bytes(),
      "external": small.with { $0.tracks[0].externalChunks = [1: 100] }.bytes(),
      "samples-in-free": renamed(small, "free"), "samples-in-unknown": renamed(small, "XXXX"),
      "torn": small.bytes() + u32(400) + code("free") + zeros(20),
    ]
    for (form, movie) in metadataForms { seeds["facts-form-\(form)"] = movie.bytes() }
    for feature in ClassicFeature.allCases { seeds["classic-\(feature)"] = feature.movie.bytes() }
    for seed in 0..<12 as Range<UInt64> {
      var chance = Chance(seed: seed)
      seeds["random-\(seed)"] = TestMovie.random(&chance).bytes()
    }
    return seeds
  }

  /// A movie for each form of metadata, with contents that only this form can have.
  private static var metadataForms: [String: TestMovie] {
    func data(_ type: Int, _ bytes: [UInt8]) -> [UInt8] { TestMovie.data(type, bytes) }
    func frame(_ type: String, _ payload: [UInt8]) -> [UInt8] { code(type) + u32(payload.count) + u16(0) + payload }
    let list = atom("ilst") { atom("©nam") { data(1, text("A")) } }
    let items: [UInt8] = TestSupport.movie {
      for type in [21, 22, 65, 75] { atom("tmpo") { data(type, [7]) } }
      for type in [23, 67, 77] { atom("tves") { data(type, u32(7)) } }
      atom("trkn") { data(0, u16(0, 1, 2, 0)) } + atom("gnre") { data(0, u16(3)) }
      atom("covr") { data(13, [0xFF, 0xD8, 0xFF]) + data(14, [0x89, 0x50]) + fullAtom("name") { text("c") } }
      atom("----") { fullAtom("mean") { text("m.n") } + fullAtom("name") { text("k") } + data(1, text("v")) }
    }
    let frames =
      frame("COMM", [3] + text("deu") + [0x64, 0] + text("x"))
      + frame("TXXX", [1, 0xFF, 0xFE, 65, 0, 0, 0, 0xFF, 0xFE, 66, 0])
      + frame("APIC", [0] + text("image/png") + [0, 3, 0, 0x89]) + frame("TDRC", [0] + text("2020"))
    func windows(_ type: Int, _ value: [UInt8]) -> [UInt8] {
      u32(22 + value.count) + u32(4) + text("WM/A") + u32(1) + u32(value.count + 6) + u16(type) + value
    }
    return [
      "meta": small.with {
        $0.userData = atom("meta") { TestMovie.handler("mdir") + list }
        $0.movieAtoms = fullAtom("meta") { list }
      },
      "keys": small.with {
        $0.movieAtoms = atom("meta") {
          TestMovie.handler("mdta")
          fullAtom("keys") { u32(2) + atom("mdta") { text("a.b") } + atom("udta") { code("©nam") } }
          atom("ilst") { for number in [1, 1, 2, 9] { atom(numbered: number) { data(1, text("v")) } } }
        }
      },
      "ilst": small.with { $0.userData = TestMovie.iTunes(items) },
      "id3": small.with {
        $0.movieAtoms = fullAtom("meta") {
          TestMovie.handler("ID32")
          fullAtom("ID32") { u16(0x10B5) + text("ID3") + [4, 0, 0] + u32(frames.count) + frames }
        }
      },
      "xmp": small.with {
        $0.userData = atom("XMP_") { text("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>   ") }
        $0.layout += [.bytes(atom("uuid") { xmpType + text("<x/>") })]
      },
      "xtra": small.with {
        $0.userData = atom("Xtra") {
          windows(8, [65, 0, 0, 0]) + windows(0x13, zeros(8)) + windows(0x15, zeros(8)) + windows(0x48, zeros(16))
        }
      },
    ]
  }

  /// The payload of each form of metadata, after the number of the form.
  private static var formPayloads: [String: [UInt8]] {
    func form(_ number: Int, @MovieBuilder _ content: () -> [UInt8]) -> [UInt8] { u8(number) + content() }
    let frames: [UInt8] = TestSupport.movie {
      code("TIT2") + u32(2) + u16(0) + [3, 65]
      code("COMM") + u32(6) + u16(0) + [0]
      text("deu") + [0, 66]
    }
    return [
      "meta": form(0) {
        TestMovie.handler("mdir")
        atom("ilst") { atom("©nam") { TestMovie.data(1, text("A")) } }
      },
      "keys": form(1) {
        u32(0, 2)
        atom("mdta") { text("com.apple.quicktime.title") }
        atom("udta") { code("©nam") }
      },
      "ilst": form(2) {
        atom("trkn") { TestMovie.data(0, u16(0, 1, 2, 0)) }
        atom("----") {
          fullAtom("mean") { text("m.n") } + fullAtom("name") { text("k") } + TestMovie.data(1, text("v"))
        }
      },
      "id3": form(3) {
        u32(0) + u16(0x10B5)
        text("ID3") + [4, 0, 0]
        u32(frames.count)
        frames
      },
      "xmp": form(4) { text("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>   ") },
      "xtra": form(5) {
        u32(26, 4)
        text("WM/A")
        u32(1, 10)
        u16(8) + [65, 0, 0, 0]
      },
      "user-data": form(6) {
        atom("titl") { zeros(4) + u16(0x15C7) + text("A") + [0] }
        atom("©cmt") { u16(1, 0x15C7) + text("B") }
      },
    ]
  }

  /// The type of `uuid` atoms that contain XMP.
  private static let xmpType: [UInt8] = [
    0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
  ]

  /// Returns a fast-start movie with its media data under another type.
  private static func renamed(_ movie: TestMovie, _ type: String) -> [UInt8] {
    let bytes = movie.with { $0.layout = .movieFirst }.bytes()
    let start = bytes.firstRange(of: code("mdat"))?.lowerBound ?? 0
    return Array(bytes[..<start]) + code(type) + bytes[(start + 4)...]
  }

  /// Video and audio with three samples each.
  static var small: TestMovie {
    TestMovie.simple.with { movie in
      for index in movie.tracks.indices {
        movie.tracks[index].samples = .pictures(3, around: 12, duration: movie.tracks[index].timeScale / 2)
        movie.tracks[index].chunking = [2, 1]
      }
    }
  }

  private static var fragments: [String: [UInt8]] {
    let pictures: [TestSample] = .pictures(3, around: 12, duration: 50)
    let bases: [TestFragment.Base] = [.absolute, .movieFragment, .implied]
    var seeds: [String: [UInt8]] = [:]
    for base in bases {
      let parts = [1, 2].map { id in
        TestFragment.Track(id: id, decodeTime: 0, runs: [.init(pictures)]).with { $0.base = base }
      }
      seeds["small-\(base)"] = small.initial.with { $0.dialect = .iso }.bytes(fragments: [TestFragment(parts)])
    }
    for seed in 0..<24 as Range<UInt64> {
      var chance = Chance(seed: seed)
      seeds["random-\(seed)"] = RandomFragmentedMovie(&chance).bytes()
    }
    return seeds
  }

  /// Inputs of the fuzzers' `editTracks`: kind, language and flags, group and reference of each track.
  private static var tracks: [String: [UInt8]] {
    func tracks(_ count: Int, _ track: (Int) -> (kind: Int, language: Int, group: Int, reference: Int)) -> [UInt8] {
      (0..<count).flatMap { index in
        let (kind, language, group, reference) = track(index)
        return u8(kind, language & 0xFF, group & 0xFF, reference & 0xFF)
      }
    }
    return [
      "pictures-and-sound": tracks(400) { ($0 < 200 ? 0 : 1, 1, 0, 0) },
      "groups": tracks(400) { ($0 % 2, $0 % 3, $0, 0) },
      "subtitles": tracks(400) { ($0 % 2 + 1, $0, 2 - $0 % 2, $0 % 2 == 0 ? 129 : 0) },
      "chapters": tracks(200) { ($0 == 0 ? 24 : 3, 1, 0, $0 == 0 ? 129 : 0) },
      "chain": tracks(400) { _ in (17, 1, 1, 129) },
      "all": tracks(300) { ($0 % 48, $0 * 7, $0 * 5, $0 * 11) },
    ]
  }

  // MARK: - Text

  /// Inputs whose first byte is the size of the blocks in which the remaining bytes arrive.
  private static var requests: [String: [UInt8]] {
    func request(_ lines: String...) -> [UInt8] { text(lines.map { $0 + "\r\n" }.joined() + "\r\n") }
    let host = "Host: localhost:8080"
    return [
      "get": [255] + request("GET /1/4.vtt HTTP/1.1", host, "Accept-Encoding: gzip;q=0.5, br, *;q=0"),
      "range": [9] + request("GET /1/movie.mp4 HTTP/1.1", host, "Range: bytes=100-199", "If-Range: \"x\""),
      "conditions": [99] + request("HEAD /1/4.vtt HTTP/1.1", host, "If-None-Match: W/\"a\", *", "If-Match: \"b\""),
      "several": [255] + request("GET /1/4.vtt HTTP/1.1", host) + request("GET / HTTP/1.0", "Connection: keep-alive")
        + request("GET http://localhost/1/%34.vtt?x HTTP/1.1", host, "Range: bytes=-5"),
      "body": [0] + request("POST / HTTP/1.1", host, "Content-Length: 3") + text("abc"),
    ]
  }

  private static var chapterFiles: [String: [UInt8]] {
    [
      "webvtt": text("WEBVTT\n\n00:00.000 --> 00:01.000\nOne\n\n00:01.000 --> 00:02.000\nTwo &amp; three\n"),
      "ogm": text("CHAPTER01=00:00:00.000\nCHAPTER01NAME=One\nCHAPTER02=00:00:01.5\nCHAPTER02NAME=Two\n"),
      "mp4chaps": text("# x\n00:00:00.000 One\n1:05 - Two\n"),
      "ffmetadata": text(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=9\ntitle=a\\=b\\\nc\n"),
      "hls": text(
        "[{\"chapter\":1,\"start-time\":0.5,\"duration\":1e1,\"titles\":[{\"language\":\"en\",\"title\":\"One\"}],"
          + "\"images\":[{\"url\":\"a.jpg\"}]}]"),
      "podcast": text(
        "{\"version\":\"1.2.0\",\"chapters\":[{\"startTime\":0,\"title\":\"\\u00fc\",\"img\":\"a\",\"url\":\"b\",\"toc\":true}]}"
      ),
      "answer": text(
        "{\"schema\":2,\"chapters\":[{\"startMilliseconds\":0,\"titles\":[{\"language\":\"de\",\"title\":\"x\"}]}]}"),
      "matroska": text(
        "<?xml version='1.0'?><!-- x --><!DOCTYPE Chapters SYSTEM 'a'><Chapters><EditionEntry><EditionFlagDefault>1"
          + "</EditionFlagDefault><ChapterAtom><ChapterTimeStart>00:00:00.000000000</ChapterTimeStart><ChapterDisplay>"
          + "<ChapterString>A &amp; <![CDATA[B]]> &#x43;</ChapterString><ChapLanguageIETF>en</ChapLanguageIETF>"
          + "</ChapterDisplay><ChapterAtom/></ChapterAtom></EditionEntry></Chapters>"),
    ]
  }

  private static var subRip: [String: [UInt8]] {
    [
      "plain": text("1\n00:00:01,000 --> 00:00:02,500\nHello\n\n2\n00:00:03,000 --> 00:00:04,000\nWho is\nthere?\n"),
      "styles": text(
        "1\n00:00:01,000 --> 00:00:02,500\n<b><i>a</i></b> <font color=\"#ff0000\">b</font> {\\an8}{\\i1}c\n"),
      "times": text("0:0:1.5-->00:00:02:500 X1:10 X2:20 Y1:5 Y2:30\n!!!\nx\n100:00:00,000 --> 99:59:59,999 !!!\ny\n"),
      "overlap": text("00:00:01,000 --> 00:00:05,000\na\n00:00:02,000 --> 00:00:03,000\nb &amp; &#x1F600; &lt;\n"),
      "crlf": [0xEF, 0xBB, 0xBF] + text("1\r\n00:00:01,000 --> 00:00:02,000\r\n- a\r\n- b\r\n\r\n"),
      "utf16": [0xFF, 0xFE] + text("1\n00:00:01,000 --> 00:00:02,000\nh\n").flatMap { [$0, 0] },
      "windows-1252": text("1\n00:00:01,000 --> 00:00:02,000\nqu") + [0xE9, 0x20, 0x97, 0xF1] + text("\n"),
      "shift-jis": text("1\n00:00:01,000 --> 00:00:02,000\n") + [0x82, 0xB1, 0x82, 0xF1, 0x82, 0xC9] + text("\n"),
      "substation": text("00:00:01,000 --> 00:00:02,000\n{\\pos(10,20)\\c&H00FF00&\\fs20}{y:b}/x/\\Nz\\h\n"),
      "empty-cue": text("1\n00:00:01,000 --> 00:00:01,000\n\n\n2\n00:00:02,000 --> 00:00:01,000\nz\n"),
    ]
  }

  private static var webVTT: [String: [UInt8]] {
    [
      "plain": text("WEBVTT\n\n00:01.000 --> 00:02.500\nHello\n\nid\n00:03.000 --> 00:04.000\nWho is\nthere?\n"),
      "settings": text(
        "WEBVTT\n\n00:01.000 --> 00:02.000 line:10%,start position:20%,line-left size:50% align:left\nx\n"),
      "region": text(
        "WEBVTT - x\n\nREGION\nid:a\nwidth:40%\nlines:3\nregionanchor:0%,100%\nviewportanchor:10%,90%\nscroll:up\n\n"
          + "00:01.000 --> 00:02.000 region:a vertical:rl\nx\n"),
      "style": text(
        "WEBVTT\n\nSTYLE\n::cue(b) { color: rgba(1,2,3,.5) } ::cue(.x.y), ::cue(v[voice=\"A\"]) { font: bold 1em x }\n\n"
          + "00:01.000 --> 00:02.000\n<v.loud A>x <c.yellow.bg_blue>y</c> <b>z\n"),
      "tags": text(
        "WEBVTT\n\n1\n00:01.000 --> 00:02.000\n<i>a</i> <u>b</u> <ruby>c<rt>d</rt></ruby> <lang en>e</lang> "
          + "<00:01.500>f &amp;&lrm;&#65;\n"),
      "timestamp-map": text("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000\n\n00:01.000 --> 00:02.000\nx\n"),
      "segments": text(
        "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n\n00:01.000 --> 00:02.000\nx\n\n"
          + "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:90000\n\n00:00.000 --> 00:01.000\nx\n"),
      "notes": text("WEBVTT\n\nNOTE a\nb --> c\n\n1:00:00.000 --> 1:00:01.000 align:end\n- x\n- y\n"),
    ]
  }

  /// Inputs of the fuzzers' `readTextSamples`: the kind, then samples after their lengths.
  private static var textSamples: [String: [UInt8]] {
    func part(_ bytes: [UInt8]) -> [UInt8] { u8(bytes.count) + bytes }
    func timed(_ string: String, _ boxes: [UInt8] = []) -> [UInt8] {
      part(u16(string.utf8.count) + text(string) + boxes)
    }
    let styles = atom("styl") { u16(1) + u16(0, 3, 1) + u8(2, 24) + u32(0xFF00_00FF) }
    let placed = atom("tbox") { u16(0, 0, 108, 1280) } + atom("frcd")
    let cue = atom("vttc") {
      atom("iden") { text("1") } + atom("sttg") { text("line:0 align:left") } + atom("payl") { text("<i>Hi</i>") }
    }
    let entry = Array(TestSupport.SampleEntry.timedText(width: 64, height: 36).dropFirst(16))
    return [
      "timed": u8(0) + timed("Hello") + timed("") + timed("you 🙂"),
      "timed-styles": u8(0) + timed("Hello", styles) + timed("up", placed),
      "timed-utf16": u8(0) + part(u16(4, 0xFEFF, 0x48)),
      "timed-boxes": u8(0)
        + timed("ab", atom("hlit") { u16(0, 1) } + atom("krok") { u32(0) } + atom("blnk") { u16(0, 1) }),
      "timed-entry": u8(0x80) + part(entry) + timed("Hello", styles),
      "quicktime": u8(1) + timed("Hello") + timed("caf", atom("encd") { u32(0x100) }),
      "quicktime-styles": u8(1)
        + timed("Hello", atom("styl") { u16(1) + u32(0) + u16(12, 9, 3) + u8(1, 0) + u16(12, 0xFFFF, 0, 0) }),
      "webvtt": u8(2) + part(cue) + part(atom("vtte")) + part(cue + atom("vtta") { text("NOTE x") }),
      "webvtt-entry": u8(0x82) + part(atom("vttC") { text("WEBVTT\n\nSTYLE\n::cue{color:red}") }) + part(cue + cue),
      "webvtt-source": u8(2)
        + part(
          atom("vttc") { atom("vsid") { u32(7) } + atom("ctim") { text("00:00:01.000") } + atom("payl") { text("x") } }),
      "captions": u8(3)
        + [TestCaptions.load("Hello") + TestCaptions.endOfCaption, TestCaptions.erasure].flatMap { pairs in
          part(TestCaptions.sample(pairs, second: TestCaptions.null, duration: 1).content ?? [])
        },
      "caption-packets": u8(4)
        + part(
          TestCaptions.sample(
            packet: TestCaptions.packet([0] + TestCaptions.codes(0x14, 0x2C), [3, 2, 34]), duration: 1
          )
          .content ?? []),
    ]
  }
}

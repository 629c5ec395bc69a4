import TestSupport
import Testing

@testable import MovieBox

struct FileSignatureTests {
  private func signature(_ bytes: [UInt8]) -> FileSignature? { FileSignature(Bytes(bytes)) }

  @Test func recognizesFormatsByTheirFirstBytes() {
    let known: [(FileSignature, [UInt8])] = [
      (.matroska, [0x1A, 0x45, 0xDF, 0xA3, 1]), (.avi, text("RIFF") + [1, 2, 3, 4] + text("AVI LIST")),
      (.wave, text("RIFF") + [1, 2, 3, 4] + text("WAVEfmt ")), (.programStream, [0, 0, 1, 0xBA, 0x44]),
      (.flashVideo, text("FLV") + [1, 5]), (.ogg, text("OggS") + [0]), (.movie, TestMovie.simple.bytes()),
      (.webVTT, text("WEBVTT\n")), (.webVTT, [0xEF, 0xBB, 0xBF] + text("WEBVTT\n")),
      (.mp3, text("ID3") + [3, 0]), (.mp3, [0xFF, 0xFB, 0x90, 0x44]), (.adts, [0xFF, 0xF1, 0x50, 0x80]),
      (.adts, [0xFF, 0xF9, 0x50, 0x80]), (.flac, text("fLaC") + [0]), (.coreAudio, text("caff") + [0, 1, 0, 0]),
      (.aiff, text("FORM") + [1, 2, 3, 4] + text("AIFFCOMM")),
      (.presentationGraphics, text("PG") + [0, 1, 2, 3, 0, 0, 0, 0, 0x16, 0]),
      (.richText, text("{\\rtf1\\ansi\n1\\par\n")), (.subStation, text("[Script Info]\n; x")),
      (.subStation, [0xEF, 0xBB, 0xBF] + text("[Script Info]\r\n")),
      (.timedTextMarkup, text("<?xml version=\"1.0\"?>\n<tt\n xmlns=\"http://www.w3.org/ns/ttml\">")),
      (.timedTextMarkup, text("<tt:tt xmlns:tt=\"x\">")), (.sami, text("<SAMI>\n<HEAD>")),
      (.microDVD, text("{25}{50}Hello|you\n")), (.subViewer, text("0:00:01.000,0:00:02.000\nHello\n")),
      (.subViewer, text("[INFORMATION]\n[TITLE]\n")), (.subViewer, text("00:00:01.00,00:00:02.00\nHello\n")),
      (.vobSub, text("# VobSub index file, v7\n")), (.scenarist, text("Scenarist_SCC V1.0\n")),
      (.ebuSTL, text("850STL25.01100")), (.lyrics, text("[ti:Song]\n")), (.lyrics, text("[00:12.00]Line\n")),
      (.mpl2, text("[10][50]Hello|world\n")), (.mpl2, text("[0][]/Hello\n")), (.tmPlayer, text("00:00:01:Hello\n")),
      (.tmPlayer, text("0:00:01=Hello\n")), (.tmPlayer, text("00:00:01,1=Hello\n")),
      (.phoenix, text("10,20,\"Hello\"\n")), (.phoenix, text("   10,   20, \"Hello\"\n")),
      (.spruceSTL, text("$FontName = Arial\n\n00:00:01:00 , 00:00:02:00 , Hello\n")),
      (.spruceSTL, text("//English subtitles\n00:00:01:00,00:00:02:00,Hello\n")),
      (.realText, text("<window type=\"generic\">\n<time begin=\"1\"/>Hello\n")),
      (.jacoSub, text("#TIMERES 100\n0:00:01.00 0:00:02.00 D Hello\n")), (.jacoSub, text("@10 @20 D Hello\n")),
      (.jacoSub, text("0:00:01.00 0:00:02.00 D Hello\n")),
      (.macCaption, text("File Format=MacCaption_MCC V1.0\n\n// --> a comment: 00:00\n")),
      (.whisperTable, text("start\tend\ttext\n0\t2000\tHello\n")),
      (.whisperJSON, text("{\"text\": \" Hello\", \"segments\": [{\"id\": 0}]}")),
      (.whisperJSON, text("{\n  \"systeminfo\": \"x\",\n  \"transcription\": [\n")),
      (.youTubeXML, text("<?xml version=\"1.0\"?><timedtext format=\"3\">\n<body>")),
      (.youTubeXML, text("<transcript><text start=\"0\" dur=\"1\">a</text>")),
      (.youTubeJSON, text("{\n  \"wireMagic\": \"pb3\",\n")),
      (.youTubeJSON, text("{\"events\": [{\"tStartMs\": 0, \"dDurationMs\": 1}]}")),
      (.text, text("{\"name\": \"x\"}\n")), (.text, text("00:00:01 Intro\n")), (.text, text("[1][a]\n")),
      (.text, text("1,2,3\n")), (.text, text("0:00:01: 25 apples\n".replacing(": 25", with: ":25"))),
      (.text, text("PG-13, said Ann\n")), (.text, text("ID3 tags\n")), (.text, text("caffeine\n")),
      (.text, text("[laughs]\n")), (.text, text("[12] a note\n")), (.text, text("{\\an8}Hello\n")),
      (.text, text("<i>no</i>\n")),
      (.text, text("10,20\n")), (.text, text("ID, 3\n")),
      (.advancedSystems, [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9]),
      (.dolbyDigital, [0x0B, 0x77, 0x12, 0x34, 0x08, 0x40, 0x2F]),
      (.dolbyDigital, [0x0B, 0x77, 0x01, 0x7F, 0x36, 0x80, 0x2F]), (.archive, text("PK") + [3, 4, 20, 0]),
      (.archive, text("Rar!") + [0x1A, 7]), (.archive, text("7z") + [0xBC, 0xAF, 0x27, 0x1C]),
      (.archive, [0x1F, 0x8B, 8, 0]), (.picture, [0x89] + text("PNG") + [13, 10, 26, 10]),
      (.picture, [0xFF, 0xD8, 0xFF, 0xE0, 0, 16]),
      (.subRip, text("1\n00:00:01,000 --> 00:00:02,000\nHello\n")), (.text, text("no movie at all --> text")),
    ]
    for (format, bytes) in known { #expect(signature(bytes) == format) }
    #expect(Set(known.map(\.0) + [.transportStream]) == Set(FileSignature.allCases))
    #expect(signature([]) == nil)
    #expect(signature(text("RIFF") + [1, 2, 3, 4] + text("XXXX")) == nil)
    #expect(signature([UInt8](repeating: 0, count: 2000)) == nil)
  }

  @Test func recognizesTransportStreamsBySyncBytes() {
    for (lead, step) in [(0, 188), (4, 192)] {
      var bytes = [UInt8](repeating: 0, count: lead + 3 * step)
      for packet in 0..<3 { bytes[lead + packet * step] = 0x47 }
      #expect(signature(bytes) == .transportStream)
      #expect(signature(Array(bytes.prefix(lead + 2 * step))) == nil)
      bytes[lead + step] = 0x46
      #expect(signature(bytes) == nil)
    }
  }
}

import TestSupport
import Testing

@testable import movtool

struct HTMLCommandTests {
  @Test func writesThePageBesideTheMovie() throws {
    let shop = try Workshop(.playable)
    let result = shop.run("html @in.mov")
    #expect(result.exitCode == .done)
    let page = String(decoding: try shop.folder.read("in.html"), as: UTF8.self)
    #expect(page.contains(#" src="in.mov""#))
    #expect(shop.run("html @in.mov").exitCode == .cannotCreate)
    #expect(shop.run("html @in.mov --force --language de").exitCode == .done)
    #expect(String(decoding: try shop.folder.read("in.html"), as: UTF8.self).contains(#"<html lang="de" dir="ltr">"#))
  }

  @Test func neverWritesOverTheMovie() throws {
    let shop = try Workshop(.playable)
    let before = try shop.folder.read("in.mov")
    #expect(shop.run("html @in.mov -o @in.mov --force").exitCode == .usage)
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test func aReportShowsTracksAndAtoms() throws {
    let shop = try Workshop(.playable)
    #expect(shop.run("html @in.mov --report -o @report.html").exitCode == .done)
    let page = String(decoding: try shop.folder.read("report.html"), as: UTF8.self)
    #expect(page.contains(#"<th scope="row">mdat</th>"#))
    #expect(page.contains("<h3>Bit rate of picture and sound</h3>"))
  }

  @Test func wordsThatMakeNoSenseAreRefused() throws {
    let shop = try Workshop(.playable)
    for line in [
      "html", "html @in.mov --language tlh", "html @in.mov @in.mov", "html @in.mov -o - --json", "serve",
      "serve @in.mov --port 70000", "serve @in.mov --port x",
    ] {
      #expect(shop.run(line).exitCode == .usage, "\(line)")
    }
    #expect(shop.run("html @none.mov").exitCode == .noInput)
    #expect(shop.run("serve @in.mov --bind nowhere").exitCode == .cannotCreate)
  }
}

import MovieBox
import Testing

@testable import movtool

struct FileNameHintsTests {
  @Test(
    arguments: [
      ("film.en.srt", "en"), ("film.eng.srt", "en"), ("film.EN.srt", "en"), ("film.pt-BR.srt", "pt-BR"),
      ("film.pt_BR.srt", "pt-BR"), ("film.zh-Hant.srt", "zh-Hant"), ("film.es-419.srt", "es-419"), ("en.srt", "en"),
      ("a.b/film.en.srt", "en"), ("dir.fr/film.srt", nil), ("film.2024.1080p.de.srt", "de"), ("film.en", nil),
      ("en", "en"), ("film.srt", nil), ("Film.srt", nil), ("film.english.srt", "en"), ("film.Portuguese.srt", "pt"),
      ("disc1_English.srt", "en"), ("Let.It.Be.srt", nil),
      ("Bad.Day.srt", nil), ("film.web.srt", nil), ("it.en.srt", "en"), ("film.en.fr.srt", "fr"), ("", nil),
      (".srt", nil),
      ("film (2020) [en].srt", "en"), ("film (2020) (pt-BR).srt", "pt-BR"), ("film [English].srt", "en"),
      ("film.2020.[eng].srt", "en"), ("[en].srt", "en"), ("film (2020).srt", nil), ("film [1080p].srt", nil),
      ("film [en] 2.srt", nil), ("film en].srt", nil), ("film (it) (2017).srt", nil), ("Office (UK).srt", nil),
      ("Office [uk].srt", "uk"), ("film (The English).srt", nil), ("film (2020).en.srt", "en"),
      ("film (2020) [DV].srt", nil), ("film [SD].srt", nil), ("film (2020) [EN].srt", nil), ("film [ENG].srt", "en"),
      ("film..en.srt", "en"), ("film.hi.srt", "hi"), ("hi.srt", "hi"), ("film.en.SRT", "en"),
    ] as [(String, String?)])
  func languageIsTheLastWordThatIsOne(name: String, language: String?) {
    let hints = FileNameHints(path: name)
    #expect(hints.language?.description == language)
    #expect(hints.roles.isEmpty)
  }

  @Test(
    arguments: [
      ("film.pt-BR.sdh.srt", "pt-BR", TrackRole.sdh), ("film.en.cc.srt", "en", .sdh),
      ("film.en.forced.srt", "en", .forced), ("film.forced.en.srt", "en", .forced), ("en.sdh.srt", "en", .sdh),
      ("film.sdh.srt", nil, .sdh), ("film.EN.SDH.srt", "en", .sdh), ("film.en.hi.srt", "en", .sdh),
      ("film.hi.eng.srt", "en", .sdh), ("film.hi.sdh.srt", "hi", .sdh), ("film.sdh.hi.srt", "hi", .sdh),
      ("film.hi.hi.srt", "hi", .sdh), ("film.en.sdh.hi.srt", "en", .sdh), ("en.hi.srt", "en", .sdh),
      ("film.hi.forced.srt", "hi", .forced), ("film.en-sdh.srt", "en", .sdh), ("film.pt-BR_SDH.srt", "pt-BR", .sdh),
      ("film.en_forced.srt", "en", .forced), ("film-sdh.srt", nil, .sdh), ("film.en.commentary.srt", "en", .commentary),
      ("film [en] [SDH].srt", "en", .sdh), ("film (2020) [en-sdh].srt", "en", .sdh),
      ("film (forced).srt", nil, .forced),
      ("film [hi] (en).srt", "en", .sdh), ("film (2020) [en].cc.srt", "en", .sdh),
      ("film.en.easy-to-read.srt", "en", .easyToRead), ("film.en-commentary.srt", "en", .commentary),
    ] as [(String, String?, TrackRole)])
  func rolesStandBesideTheLanguage(name: String, language: String?, role: TrackRole) {
    let hints = FileNameHints(path: name)
    #expect(hints.language?.description == language)
    #expect(hints.roles == [.track(role)])
  }

  @Test(
    arguments: [
      ("film_en.srt", "film.mp4", "en", false), ("a/Film-it.srt", "b/film.mov", "it", false),
      ("film_it.srt", "it.mov", nil, false),
      ("film_it.srt", nil, nil, false), ("the.film_pt-BR.srt", "the.film.mp4", "pt-BR", false),
      ("film_pt_BR_forced.srt", "film.mp4", "pt-BR", true), ("film_of.srt", "film.mp4", nil, false),
      ("film_day.srt", "film.mp4", nil, false), ("filmen.srt", "film.mp4", nil, false),
      ("film.srt", "film.mp4", nil, false), ("Johnny.English.srt", "Johnny.English.mp4", nil, false),
      ("Johnny.English.German.srt", "Johnny.English.mp4", "de", false), ("film.English.srt", "film.mp4", "en", false),
      ("film_English.forced.srt", "x.mp4", "en", true), ("film (2020) [en].srt", "film (2020).mp4", "en", false),
      ("film (2020)_en (forced).srt", "film (2020).mp4", "en", true),
      ("Johnny (English).srt", "Johnny (English).mp4", nil, false),
      ("Film (2020).1080p_en.srt", "Film (2020).1080p.mp4", "en", false),
    ] as [(String, String?, String?, Bool)])
  func languageMayHangOnToTheNameOfTheMovie(name: String, movie: String?, language: String?, isForced: Bool) {
    let hints = FileNameHints(path: name, movie: movie)
    #expect(hints.language?.description == language)
    #expect(hints.roles == (isForced ? [.track(.forced)] : []))
  }

  @Test func severalRolesAreKept() {
    #expect(FileNameHints(path: "film.en.default.srt").roles == [.default])
    #expect(FileNameHints(path: "film.en.sdh.forced.srt").roles == [.track(.sdh), .track(.forced)])
  }
}

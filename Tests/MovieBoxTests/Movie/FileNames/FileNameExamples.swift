/// Names of subtitle files next to movies, with the expected hints.
///
/// A line contains the movie, the subtitle file, the language or `-`, roles separated by `+` or `-`, and the reported
/// ambiguity or `-`: `word`, `country`, `several`, `guess`, `hi`.
enum FileNameExamples {
  struct Example: CustomStringConvertible, Sendable {
    let movie: String
    let name: String
    let language: String?
    let roles: Set<String>
    let ambiguity: String?
    var description: String { "\(name) beside \(movie)" }
  }

  static let all: [Example] = table.split(separator: "\n").map { line in
    let cells = line.split(separator: "|").map {
      String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
    return Example(
      movie: cells[0], name: cells[1], language: cells[2] == "-" ? nil : cells[2],
      roles: cells[3] == "-" ? [] : Set(cells[3].split(separator: "+").map(String.init)),
      ambiguity: cells[4] == "-" ? nil : cells[4])
  }

  private static let table = """
    film.mov | film.en.srt | en | - | -
    film.mov | film.EN.srt | en | - | -
    film.mov | film.En.srt | en | - | -
    film.mov | film.eng.srt | en | - | -
    film.mov | film.en.vtt | en | - | -
    film.mov | film.pt-BR.srt | pt-BR | - | -
    film.mov | film.pt_BR.srt | pt-BR | - | -
    film.mov | film.pt-br.srt | pt-BR | - | -
    film.mov | film.ptbr.srt | pt-BR | - | -
    film.mov | film.pob.srt | pt-BR | - | -
    film.mov | film.pt-brasil.srt | pt-BR | - | -
    film.mov | film.Portuguese (Brazil).srt | pt-BR | - | -
    film.mov | film.Brazilian.Portuguese.srt | pt-BR | - | -
    film.mov | film.brazilian.srt | pt-BR | - | -
    film.mov | film.Portuguese.srt | pt | - | -
    film.mov | film.por.srt | pt | - | -
    film.mov | film.zh-Hant.srt | zh-Hant | - | -
    film.mov | film.zh-TW.srt | zh-TW | - | -
    film.mov | film.zh-tw.srt | zh-TW | - | -
    film.mov | film.Chinese (Simplified).srt | zh-Hans | - | -
    film.mov | film.Traditional Chinese.srt | zh-Hant | - | -
    film.mov | film.chs.srt | zh-Hans | - | -
    film.mov | film.cht.srt | zh-Hant | - | -
    film.mov | film.chi_sim.srt | zh-Hans | - | -
    film.mov | film.简体.srt | zh-Hans | - | -
    film.mov | film.中文.srt | zh | - | -
    film.mov | film.es-419.srt | es-419 | - | -
    film.mov | film.es-MX.srt | es-MX | - | -
    film.mov | film.spa.latin.srt | es-419 | - | -
    film.mov | film.Spanish (Latin America).srt | es-419 | - | -
    film.mov | film.Latin American Spanish.srt | es-419 | - | -
    film.mov | film.Castellano.srt | es-ES | - | -
    film.mov | film.Latin.srt | - | - | word
    film.mov | film.latin.srt | - | - | word
    film.mov | latin.srt | - | - | word
    film.mov | other.Latin.srt | - | - | word
    film.mov | film.la.srt | la | - | -
    film.mov | film.en.latin.srt | en | - | -
    film.mov | film.latin-1.srt | - | - | word
    film.mov | film.Tonga.srt | - | - | word
    film.mov | film.tongan.srt | to | - | -
    film.mov | film.to.srt | to | - | -
    film.mov | ewe.srt | - | - | word
    film.mov | film.en.3.srt | en | - | -
    film.mov | film.no.3.srt | no | - | -
    film.mov | film.hi.sdh.12.srt | hi | sdh | -
    film.mov | film.und.3.srt | und | - | -
    film.mov | film.pt-BR.forced.4.srt | pt-BR | forced | -
    film.mov | film.zh-Hant.2.srt | zh-Hant | - | -
    film.mov | film.no-3.srt | - | - | word
    film.mov | film.3.srt | - | - | -
    film.mov | film.sr-Latn.srt | sr-Latn | - | -
    film.mov | film.sr.latin.srt | sr-Latn | - | -
    film.mov | film.srp.cyrillic.srt | sr-Cyrl | - | -
    film.mov | film.Español.srt | es | - | -
    film.mov | film.Espan\u{303}ol.srt | es | - | -
    film.mov | film.Deutsch.srt | de | - | -
    film.mov | film.Français.srt | fr | - | -
    film.mov | film.Русский.srt | ru | - | -
    film.mov | film.日本語.srt | ja | - | -
    film.mov | film.한국어.srt | ko | - | -
    film.mov | film.العربية.srt | ar | - | -
    film.mov | film.עברית.srt | he | - | -
    film.mov | film.ไทย.srt | th | - | -
    film.mov | film.Tiếng Việt.srt | vi | - | -
    film.mov | film.Norsk Bokmål.srt | nb | - | -
    film.mov | film.Bahasa Indonesia.srt | id | - | -
    film.mov | film.farsi.srt | fa | - | -
    film.mov | film.Cantonese.srt | yue | - | -
    film.mov | film.yue.srt | yue | - | -
    film.mov | film.fil.srt | fil | - | -
    film.mov | film.iw.srt | he | - | -
    film.mov | film.ger.srt | de | - | -
    film.mov | film.deu.srt | de | - | -
    film.mov | film.fre.srt | fr | - | -
    film.mov | film.cze.srt | cs | - | -
    film.mov | film.it.srt | it | - | -
    film.mov | film.no.srt | no | - | -
    film.mov | film.is.srt | is | - | -
    film.mov | film.IT.srt | it | - | -
    film.mov | film.my.srt | my | - | -
    film.mov | film.uk.srt | uk | - | -
    film.mov | film.it.forced.srt | it | forced | -
    film.mov | film.cat.srt | ca | - | -
    film.mov | film.mul.srt | mul | - | -
    film.mov | film.qaa.srt | qaa | - | -
    film.mov | other.qtz.sdh.srt | qtz | sdh | -
    film.mov | Proof.QED.srt | - | - | -
    film.mov | other.qua.srt | - | - | -
    film.mov | film.qb.srt | - | - | -
    film.mov | film.und.srt | und | - | -
    film.mov | film.de.2.srt | de | - | -
    film.mov | film.2.de.srt | de | - | -
    film.mov | film.de.full.srt | de | - | -
    film.mov | film.de.v2.srt | de | - | -
    film.mov | film.en-long.srt | en | - | -
    film.mov | film.en-full.srt | en | - | -
    film.mov | film.en-song.srt | en | forced | -
    film.mov | film.en.signs.srt | en | forced | -
    film.mov | film.en.sign.srt | en | forced | -
    film.mov | film.signs.en.srt | en | forced | -
    film.mov | film.en.songs.srt | en | forced | -
    film.mov | film.en.foreign.srt | en | forced | -
    film.mov | film.foreign.srt | - | forced | -
    film.mov | film.en.signs.songs.srt | en | forced | -
    film.mov | film.en.Signs & Songs.srt | en | forced | -
    film.mov | film [en] (signs).srt | en | forced | -
    film.mov | film.en.no.songs.srt | en | - | -
    film.mov | film.en.songs.sdh.srt | en | forced+sdh | -
    film.mov | Signs.en.srt | en | - | -
    film.mov | Song of the Sea.en.srt | en | - | -
    film.mov | Show.S01E01.en.signs.srt | en | forced | -
    film.mov | Signs & Songs [en].srt | en | forced | -
    Signs.mov | Signs.en.srt | en | - | -
    film.mov | film.cz.srt | cs | - | country
    film.mov | film.jp.srt | ja | - | country
    film.mov | film.JP.srt | ja | - | country
    film.mov | film.gr.forced.srt | el | forced | country
    film.mov | film.pt.br.srt | pt-BR | - | country
    film.mov | film.jp.en.srt | en | - | -
    film.mov | film [JP].srt | - | - | country
    film.mov | film.en-hard.srt | en | - | -
    film.mov | film.en.srt.srt | en | - | -
    film.mov | film.mov.en.srt | en | - | -
    film.mov | film - English (SDH).srt | en | sdh | -
    film.mov | film - English.srt | en | - | -
    film.mov | film – Deutsch.srt | de | - | -
    film.mov | film en.srt | en | - | -
    film.mov | film English.srt | en | - | -
    film.mov | film_en_sdh.srt | en | sdh | -
    film.mov | film_en.srt | en | - | -
    film.mov | film-en.srt | en | - | -
    film.mov | Film-it.srt | it | - | -
    film.mov | FILM.EN.SRT | en | - | -
    film.mov | film[en].srt | en | - | -
    film.mov | film [en].srt | en | - | -
    film.mov | film (de).srt | de | - | -
    film.mov | film {fr}.srt | fr | - | -
    film.mov | film (pt-BR) [SDH].srt | pt-BR | sdh | -
    film.mov | film [EN].srt | - | - | word
    film.mov | film (UK).srt | - | - | country
    film.mov | film (US).srt | - | - | -
    film.mov | film [DV].srt | - | - | -
    film.mov | film [SD].srt | - | - | -
    film.mov | filmen.srt | - | - | -
    film.mov | film.srt | - | - | -
    film.mov | film.1080p.srt | - | - | -
    film.mov | film.final.srt | - | - | -
    film.mov | film.sdh.srt | - | sdh | -
    film.mov | film.forced.srt | - | forced | -
    film.mov | film.cc.srt | - | sdh | -
    film.mov | film.en.cc.srt | en | sdh | -
    film.mov | film.en.sdh.srt | en | sdh | -
    film.mov | film.sdh.en.srt | en | sdh | -
    film.mov | film.EN.SDH.srt | en | sdh | -
    film.mov | film.en-sdh.srt | en | sdh | -
    film.mov | film.en_forced.srt | en | forced | -
    film.mov | film.en.forced.srt | en | forced | -
    film.mov | film.en.default.srt | en | default | -
    film.mov | film.en.sdh.forced.srt | en | sdh+forced | -
    film.mov | film.en.hi.srt | en | sdh | -
    film.mov | film.hi.en.srt | en | sdh | guess
    film.mov | film.hi.eng.srt | en | sdh | guess
    film.mov | film.en.GB.srt | en-GB | - | -
    film.mov | film.en.US.sdh.srt | en-US | sdh | -
    film.mov | film.de.AT.srt | de-AT | - | -
    film.mov | film.pt.BR.srt | pt-BR | - | -
    film.mov | film.fr.CA.srt | fr-CA | - | -
    film.mov | film.en.CC.srt | en | sdh | -
    film.mov | film.en.DE.srt | - | - | several
    film.mov | film.en.HI.srt | en | sdh | -
    film.mov | film.en-cc.srt | en | sdh | -
    film.mov | film_en_cc.srt | en | sdh | -
    film.mov | film.en_CC.srt | en | sdh | -
    film.mov | film (en-CC).srt | en | sdh | -
    film.mov | film.en-UK.srt | en-GB | - | -
    film.mov | film.es-LA.srt | es-419 | - | -
    film.mov | film.en-002.srt | en | - | -
    film.mov | film.en-GB.srt | en-GB | - | -
    x.mov | Rocky.VI.srt | - | - | word
    x.mov | Star.Wars.Episode.VI.1983.srt | - | - | word
    Rocky.mov | Rocky VI.srt | - | - | word
    x.mov | film.vi.srt | vi | - | -
    x.mov | Movie.2018.720p.BluRay.x264-YTS.LT.srt | - | - | -
    x.mov | My talk [dQw4w9W_de].srt | - | - | -
    x.mov | lecture-01.en.srt | en | - | -
    x.mov | IMG_0001.es.srt | es | - | -
    x.mov | lecture_01_es.srt | es | - | -
    film.mov | film.hi.srt | hi | - | hi
    film.mov | film.hin.srt | hi | - | -
    film.mov | film.hi.sdh.srt | hi | sdh | -
    film.mov | film.hi.hi.srt | hi | sdh | -
    film.mov | film.en.commentary.srt | en | commentary | -
    film.mov | film.en.easy-to-read.srt | en | easy-to-read | -
    film.mov | film.pt-BR.sdh.srt | pt-BR | sdh | -
    film.mov | film.zh-Hans.forced.srt | zh-Hans | forced | -
    film.mov | film.bak.srt | - | - | -
    film.mov | film.run.srt | - | - | -
    film.mov | film.scc.srt | - | - | -
    film.mov | film.mac.srt | - | - | -
    film.mov | film.ts.srt | - | - | -
    film.mov | film.sub.srt | - | - | -
    film.mov | film.new.srt | - | - | -
    film.mov | film.old.srt | - | - | -
    film.mov | film.tmp.srt | - | - | -
    film.mov | film.web.srt | - | - | -
    film.mov | film.xx.srt | - | - | -
    film.mov | film.br.srt | pt-BR | - | country
    film.mov | film.se.srt | sv | - | country
    film.mov | film.en-de.srt | - | - | several
    film.mov | film.en.fr.srt | - | - | several
    film.mov | film.English.German.srt | - | - | several
    film.mov | film.director.de.srt | de | - | -
    film.mov | film.de.proofread.srt | de | - | guess
    film.mov | film.no.music.srt | - | - | word
    film.mov | film.part.is.srt | - | - | word
    film.mov | film.extended.en.sdh.srt | en | sdh | -
    film.mov | my_new.srt | - | - | word
    film.mov | film.no subs.srt | - | - | word
    film.mov | film.no-subs.srt | - | - | word
    film.mov | film.no sdh.srt | - | - | word
    film.mov | film.no 2.srt | - | - | word
    film.mov | film.my version.srt | - | - | word
    film.mov | film.is.fixed.srt | - | - | word
    film.mov | film.en.non-sdh.srt | en | - | guess
    film.mov | film.en.no-sdh.srt | en | - | -
    film.mov | film.en.not.default.srt | en | - | guess
    film.mov | film.en.hi removed.srt | en | - | guess
    film.mov | film.en-XX.srt | en | - | guess
    film.mov | Brute.Forced.srt | - | - | -
    film.mov | Forced.srt | - | - | -
    film.mov | The.Default.srt | - | - | -
    film.mov | Running Commentary.srt | - | - | -
    film.mov | Nick.CC.srt | - | - | -
    film.mov | my-tv.srt | - | - | word
    film.mov | fa.la.la.la.srt | - | - | word
    film.mov | Avatar.Na vi.srt | - | - | -
    film.mov | wall-e-ar.srt | - | - | -
    film.mov | clip.ss.srt | - | - | word
    film.mov | dr.mr.srt | - | - | word
    film.mov | My.Spanish.srt | es | - | guess
    film.mov | film.Cestina.srt | cs | - | -
    film.mov | film.pb.srt | pt-BR | - | -
    film.mov | film.x-ray.srt | - | - | -
    film.mov | film.de.nicht.forced.srt | de | - | guess
    film.mov | film.en.sans sdh.srt | en | - | guess
    film.mov | film.no english.srt | - | - | word
    film.mov | film.No English.srt | - | - | word
    film.mov | www.bbc.co.uk.srt | - | - | word
    film.mov | this.is.srt | - | - | word
    film.mov | no.srt | - | - | word
    film.mov | it.srt | - | - | word
    film.mov | Let me in (or).srt | - | - | word
    film.mov | Let.It.Be.srt | - | - | -
    film.mov | Bad.Day.srt | - | - | -
    film.mov | Johnny.English.srt | en | - | guess
    film.mov | disc1_English.srt | en | - | guess
    film.mov | The English.srt | - | - | -
    film.mov | other (The English).srt | - | - | -
    film.mov | en.srt | en | - | -
    film.mov | EN.srt | en | - | -
    film.mov | eng.srt | en | - | -
    film.mov | English.srt | en | - | -
    film.mov | English SDH.srt | en | sdh | -
    film.mov | en.sdh.srt | en | sdh | -
    film.mov | en.hi.srt | en | sdh | -
    film.mov | hi.srt | hi | - | hi
    film.mov | en-long.srt | en | - | -
    film.mov | pt-BR.srt | pt-BR | - | -
    film.mov | pt-brasil.srt | pt-BR | - | -
    film.mov | zh-Hant.srt | zh-Hant | - | -
    film.mov | [en].srt | en | - | -
    film.mov | 2_English.srt | en | - | -
    film.mov | subs.de.srt | de | - | -
    film.mov | subtitles.srt | - | - | -
    film.mov | other.en.srt | en | - | -
    film.mov | other.2020.1080p.de.srt | de | - | -
    film.mov | Other (2020) - English.srt | en | - | -
    film.mov | Other (2020) [English].srt | en | - | -
    film.mov | Office [UK].srt | - | - | country
    film.mov | other (it) (2017).srt | - | - | word
    film.mov | other..en.srt | en | - | -
    film.mov | other.en.srt.bak | en | - | -
    film.mov | other.en | - | - | -
    film.mov | .en.srt | en | - | -
    film.mov | a.fr/other.srt | - | - | -
    it.mov | it.srt | - | - | -
    it.mov | it.en.srt | en | - | -
    it.mov | it.it.srt | it | - | -
    it.mov | IT.srt | - | - | -
    It (2017).mp4 | It (2017).en.srt | en | - | -
    It (2017).mp4 | It.srt | - | - | -
    en.mov | en.srt | - | - | -
    Johnny.English.mp4 | Johnny.English.srt | - | - | -
    Johnny.English.mp4 | Johnny.English.German.srt | de | - | -
    Johnny.English.mp4 | Johnny English.de.srt | de | - | -
    Johnny (English).mp4 | Johnny (English).srt | - | - | -
    this.is.mov | this.is.srt | - | - | -
    this.is.mov | this.is.is.srt | is | - | -
    Let me in.mov | Let me in (or).srt | - | - | word
    Let.It.Be.1080p.mp4 | Let.It.Be.srt | - | - | -
    Film (2020).mp4 | Film (2020) - English.srt | en | - | -
    Film (2020).mp4 | Film (2020) [en] [SDH].srt | en | sdh | -
    Film (2020).mp4 | Film (2020).en.cc.srt | en | sdh | -
    Film (2020).mp4 | Film (2020)_en (forced).srt | en | forced | -
    Film.2020.1080p.mp4 | Film.2020.de.srt | de | - | -
    Film.2020.1080p.mp4 | Film.2020.it.srt | - | - | word
    Film.2020.1080p.mp4 | Film.2020.1080p_en.srt | en | - | -
    my.movie.mov | my.movie.srt | - | - | -
    my.movie.mov | my.srt | - | - | -
    my.movie.mov | my.movie.my.srt | my | - | -
    the.film.mp4 | the.film_pt-BR.srt | pt-BR | - | -
    b/film.mov | a/film.it.srt | it | - | -
    """
}

import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Editing facts: each keeps its place and form, and nothing else changes.
struct MetadataEditTests {
  private static let title = "mdta/com.apple.quicktime.title"

  private func allowed(_ paths: String...) -> AllowedChanges {
    AllowedChanges().with {
      ($0.changedAtoms, $0.addedAtoms, $0.removedAtoms) = (Set(paths), Set(paths), Set(paths))
    }
  }

  /// Returns all items of a movie: identifier, value, language.
  private func facts(_ movie: Movie) -> [String] {
    movie.metadata.map { item in
      "\(item.identifier) \(item.stringValue ?? "\(item.bytes.array)") \(item.language?.description ?? "-")"
    }
  }

  /// Returns the items after a change, after checking that nothing else differs.
  private func facts(
    of movie: TestMovie, allowing paths: AllowedChanges, _ change: (inout MovieEdit) throws -> Void
  ) throws -> (gone: Set<String>, new: Set<String>) {
    let old = facts(try Movie(of: movie.source))
    var answers: [(gone: Set<String>, new: Set<String>)] = []
    for edited in try movie.edited(allowing: paths, change) {
      let new = facts(edited)
      answers.append((Set(old).subtracting(new), Set(new).subtracting(old)))
    }
    #expect(answers[0] == answers[1])
    return answers[0]
  }

  private func input(_ identifier: String, _ text: String, language: String? = nil) throws -> MetadataInput {
    try #require(MetadataInput(identifier, text, language: language.flatMap { LanguageTag($0) }))
  }

  // MARK: - Setting

  @Test func setsAFactInAllItsVocabularies() throws {
    let paths = allowed("moov/meta/ilst", "moov/udta/©nam", "moov/udta/meta/ilst")
    let title = try input("common/title", "Neu ü")
    let (gone, new) = try facts(of: TestMovie.stating, allowing: paths) { try $0.setMetadata(title) }
    #expect(gone == ["\(Self.title) Old -", "udta/%A9nam Old en", "itsk/%A9nam Old -"])
    #expect(new == ["\(Self.title) Neu ü -", "udta/%A9nam Neu ü -", "itsk/%A9nam Neu ü -"])
  }

  @Test func convertsISOItemsForAQuickTimeMovie() throws {
    let title = try input("uiso/titl", "Home")
    let (gone, new) = try facts(of: .simple, allowing: allowed("moov/udta", "moov/udta/titl")) {
      try $0.setMetadata(title, isExact: true)
    }
    #expect(gone.isEmpty && new.count == 1 && new.allSatisfy { $0.hasPrefix("uiso/titl Home") })
  }

  @Test func setsOneIdentifierOnly() throws {
    let title = try input("udta/©nam", "Neu")
    let (gone, new) = try facts(of: TestMovie.stating, allowing: allowed("moov/udta/©nam")) {
      let said = try $0.setMetadata(title, isExact: true)
      #expect(said == [title.identifier])
    }
    #expect(gone == ["udta/%A9nam Old en"] && new == ["udta/%A9nam Neu -"])
  }

  @Test(arguments: [
    (["qt  "], "title", ["mdta/com.apple.quicktime.title"]),
    (["isom", "mp42"], "title", ["uiso/titl", "itsk/%A9nam"]), (["M4A ", "M4A "], "title", ["itsk/%A9nam"]),
    (["3gp5", "3gp5"], "title", ["uiso/titl"]), (["isom"], "make", ["mdta/com.apple.quicktime.make"]),
    (["mp42"], "creationDate", ["uiso/date", "itsk/%A9day"]), (["isom"], "keywords", ["uiso/kywd", "itsk/keyw"]),
    (["isom"], "udta/©cmt", ["udta/%A9cmt"]), (["isom"], "location", ["uiso/loci", "udta/%A9xyz"]),
    (["M4V "], "location", ["uiso/loci", "udta/%A9xyz"]),
    (["qt  "], "location", ["mdta/com.apple.quicktime.location.ISO6709"]),
    (["qt  "], "itlk/com.example.id", ["itlk/com.example.id"]),
  ])
  func createsAFactInTheTypesVocabulary(_ brands: [String], _ fact: String, _ identifiers: [String]) throws {
    let movie = TestMovie.simple.with {
      $0.dialect = brands[0] == "qt  " ? .quickTime : .iso
      $0.brands = brands
    }
    let value = fact == "location" ? "+48.12500+011.50000+520.000/" : "2026"
    let input = try input(fact.contains("/") ? fact : "common/" + fact, value)
    let (gone, new) = try facts(of: movie, allowing: allowed("moov/meta", "moov/udta")) {
      let said = try $0.setMetadata(input)
      #expect(said.map(\.description) == identifiers)
    }
    #expect(gone.isEmpty && new == Set(identifiers.map { "\($0) \(value) -" }))
  }

  @Test func addsKeysForNewItems() throws {
    let score = MetadataInput(try #require(MetadataIdentifier("mdta/com.example.score")), .number(0.5), typeCode: 23)
    let (gone, new) = try facts(of: TestMovie.stating, allowing: allowed("moov/meta/keys", "moov/meta/ilst")) {
      try $0.setMetadata(score)
      try $0.addMetadata(score)
      try $0.addMetadata(input("mdta/com.example.id", "8"))
    }
    #expect(gone.isEmpty && new == ["mdta/com.example.score 0.5 -", "mdta/com.example.id 8 -"])
  }

  @Test(arguments: [
    ("itsk/trkn", "4", "4"), ("itsk/trkn", "4/9", "4/9"), ("itsk/tmpo", "98", "98"), ("itsk/stik", "9", "9"),
    ("itsk/disk", "1/2", "1/2"), ("itsk/plID", "5000000000", "5000000000"),
  ])
  func writesITunesNumbersInTheirForms(_ identifier: String, _ text: String, _ read: String) throws {
    let input = try input(identifier, text)
    let (_, new) = try facts(of: TestMovie.stating, allowing: allowed("moov/udta/meta/ilst")) {
      try $0.setMetadata(input)
    }
    #expect(new == ["\(identifier) \(read) -"])
  }

  @Test func changesAFactInOneLanguage() throws {
    let movie = TestMovie.simple.with {
      $0.userData = atom("©nam") { u16(5, 0x15C7) + text("Title") + u16(5, 0x10B5) + text("Titel") }
    }
    let german = try input("udta/©nam", "Neu", language: "de")
    let (gone, new) = try facts(of: movie, allowing: allowed("moov/udta/©nam")) { try $0.setMetadata(german) }
    #expect(gone == ["udta/%A9nam Titel de"] && new == ["udta/%A9nam Neu de"])
    let french = try input("udta/©nam", "Titre", language: "fr")
    let (left, added) = try facts(of: movie, allowing: allowed("moov/udta/©nam")) { try $0.setMetadata(french) }
    #expect(left.isEmpty && added == ["udta/%A9nam Titre fr"])
    let (mine, others) = try facts(of: movie, allowing: allowed("moov/udta/©nam")) {
      try $0.setMetadata(input("udta/©nam", "All"))
    }
    #expect(mine == ["udta/%A9nam Title en"] && others == ["udta/%A9nam All -"])
  }

  @Test func convertsMacintoshText() throws {
    // English, in the Macintosh encoding.
    let movie = TestMovie.simple.with { $0.userData = atom("©cmt") { u16(2, 0x0000) + [0x8C, 0x21] } }
    for (language, code) in [(nil, LanguageCode.undetermined), ("en", LanguageCode.packed("eng"))]
      as [(String?, UInt16?)]
    {
      for new in try movie.edited(
        allowing: allowed("moov/udta/©cmt"), { try $0.setMetadata(input("udta/©cmt", "schön", language: language)) })
      {
        #expect(new.metadata.map(\.stringValue) == ["schön"] && new.metadata[0].localeCode == code.map { UInt32($0) })
      }
    }
  }

  /// The existing items, and the result of calls.
  @Test(arguments: [
    (["set X"], ["X -"]), (["set X", "set Y de"], ["X -", "Y de"]), (["set Y de", "set X"], ["Y de", "X -"]),
    (["set X", "set Y"], ["Y -"]), (["set X", "remove"], []), (["remove", "set X"], ["X -"]),
    (["add X", "set Y"], ["Y -"]), (["set X", "add Y"], ["X -", "Y -"]), (["set X de", "set Y de"], ["Y de"]),
    (["set X es", "set Y", "set Z fr"], ["X es", "Y -", "Z fr"]), (["set X de", "remove de"], []),
    (["set X zh-Hant", "set Y zh-Hant"], ["Y zh"]), (["set X de-AT", "set Y de-AT"], ["Y de"]),
  ])
  func appliesCallsInOrder(_ calls: [String], _ facts: [String]) throws {
    for movie in [TestMovie.simple, .simple.with { $0.dialect = .iso }] {
      // In a single edit, and in separate edits.
      for isOneEdit in [true, false] {
        var source = movie.source
        var edit = try MovieEdit(of: source)
        for call in calls {
          let words = call.split(separator: " ").map(String.init)
          let language = words.last.flatMap { $0.first?.isLowercase == true && words.count > 1 ? LanguageTag($0) : nil }
          if words[0] == "remove" {
            edit.removeMetadata(matching: "common/title", language: language)
          } else {
            var fact = try input("common/title", words[1])
            fact.language = language
            if words[0] == "set" { try edit.setMetadata(fact) } else { try edit.addMetadata(fact) }
          }
          if !isOneEdit {
            source = MemorySource(Bytes(try edit.outputPlan(of: source).rendered(from: source)))
            edit = try MovieEdit(of: Movie(of: source))
          }
        }
        let new = try Movie(of: MemorySource(Bytes(try edit.outputPlan(of: source).rendered(from: source))))
        for identifier in Set(new.metadata.map(\.identifier)) {
          let said = new.metadata.filter { $0.identifier == identifier }
            .map { "\($0.stringValue ?? "") \($0.language?.language ?? "-")" }
          #expect(Set(said) == Set(facts) && said.count == facts.count, "\(identifier), one edit: \(isOneEdit)")
        }
        #expect(new.metadata.isEmpty == facts.isEmpty)
      }
    }
  }

  @Test func keepsTranslationsWhenSettingTheGeneralValue() throws {
    let movie = TestMovie.simple.with {
      $0.userData = atom("©nam") { u16(4, 0x55C4) + text("Home") + u16(5, 0x10B5) + text("Titel") }
    }
    let (gone, new) = try facts(of: movie, allowing: allowed("moov/udta/©nam", "moov/meta")) {
      try $0.setMetadata(input("common/title", "Haus"))
    }
    #expect(gone == ["udta/%A9nam Home -"])
    #expect(new == ["udta/%A9nam Haus -", "mdta/com.apple.quicktime.title Haus -"])
  }

  @Test func setsTheOwnIdentifierOfAFactOnly() throws {
    let (gone, new) = try facts(of: TestMovie.stating, allowing: allowed("moov/meta/ilst")) {
      try $0.setMetadata(input("common/title", "Neu"), isExact: true)
    }
    #expect(gone == ["\(Self.title) Old -"] && new == ["\(Self.title) Neu -"])
  }

  @Test func survivesOddBytesOfOldItems() throws {
    // A number of 16 bytes, an item whose number is 0, and a text that does not parse.
    let movie = TestMovie.simple.with {
      $0.movieAtoms = atom("meta") {
        TestMovie.handler("mdta")
        fullAtom("keys") {
          u32(2) + atom("mdta") { text("com.example.id") } + atom("mdta") { text("com.example.x") } + [1, 2]
        }
        atom("ilst") {
          atom(numbered: 1) { TestMovie.data(21, zeros(16)) }
          atom(numbered: 0) { TestMovie.data(1, text("zero")) }
          atom(numbered: 9) { TestMovie.data(1, text("nine")) }
        }
      }
      $0.userData = atom("©nam") { [0xFF] }
    }
    let paths = allowed("moov/meta/ilst", "moov/meta/keys", "moov/udta/©nam")
    for new in try movie.edited(
      allowing: paths,
      {
        try $0.setMetadata(input("mdta/com.example.id", "5"))
        try $0.setMetadata(input("mdta/com.example.new", "n"))
        try $0.setMetadata(input("udta/©nam", "Name"))
      })
    {
      #expect(new.metadata.map(\.stringValue) == ["Name", "5", "n"])
    }
    var edit = try MovieEdit(of: movie.source)
    try edit.prepareForSharing()
    let shared = try edit.outputPlan(of: movie.source).rendered(from: movie.source)
    for word in ["zero", "nine", "com.example"] { #expect(shared.firstRange(of: text(word)) == nil) }
  }

  @Test func dropsItemsThatCannotBeWritten() throws {
    func item(_ identifier: String, _ count: Int, typeCode: UInt32? = nil, locale: UInt32? = nil) throws
      -> NewMetadataItem
    {
      NewMetadataItem(
        try #require(MetadataIdentifier(identifier)),
        MetadataContent(Bytes(zeros(count)), typeCode: typeCode, localeCode: locale), language: nil, trackID: nil)
    }
    let all = try [
      item("udta/©nam", 65_532, locale: 0), item("udta/©nam", 70_000, typeCode: 1, locale: 0), item("udta/©cmt", 3),
      item("foo/bar", 3, typeCode: 1), item("itlk/name", 3, typeCode: 1), item("id3/TIT2", 3, typeCode: 1),
      item("xtra/a", 3),
      item("uiso/chpl", 9), item("mdta/com.example.id", 3),
    ]
    var edit = try MovieEdit(of: TestMovie.simple.source)
    #expect(edit.copyMetadata(all) == all && edit.isEmpty)
    #expect(edit.copyMetadata([try item("udta/©nam", 65_531, locale: 0x55C4)]).isEmpty)
    #expect(throws: Never.self) { try edit.outputPlan(of: TestMovie.simple.source) }
  }

  /// A new key would get the number of the item without a key.
  @Test func avoidsKeysOfItemsWithoutAKey() throws {
    let movie = TestMovie.simple.with {
      $0.movieAtoms = atom("meta") {
        TestMovie.handler("mdta")
        fullAtom("keys") { u32(1) + atom("mdta") { text("com.example.id") } }
        atom("ilst") { for number in 1...2 { atom(numbered: number) { TestMovie.data(1, text("v")) } } }
      }
    }
    let new = try Movie(of: TestMovie.stating.source).metadata.filter { $0.identifier.space == .quickTimeMetadata }
    for edited in try movie.edited(
      allowing: allowed("moov/meta"),
      { edit in
        let other = try #require(MetadataInput("mdta/com.example.other", "7"))
        #expect(throws: MovieError.self) { try edit.addMetadata(other) }
        #expect(edit.copyMetadata(new).map(\.identifier.key) == ["com.apple.quicktime.title"])
      })
    {
      #expect(edited.metadata.map(\.stringValue) == ["7"])
    }
  }

  @Test func removesAGenreNumberWhenSettingAGenre() throws {
    let movie = TestMovie.simple.with {
      $0.userData = TestMovie.iTunes(atom("gnre") { TestMovie.data(0, u16(18)) })
    }
    let (gone, new) = try facts(of: movie, allowing: allowed("moov/meta", "moov/udta/meta/ilst")) {
      try $0.setMetadata(input("common/type", "Waltz"))
    }
    #expect(gone == ["itsk/gnre 18 -"] && new == ["mdta/com.apple.quicktime.genre Waltz -"])
  }

  @Test func keepsDetailsOfAnUnchangedLocation() throws {
    let movie = TestMovie.simple.with {
      ($0.dialect, $0.brands) = (.iso, ["isom"])
      $0.userData = atom("loci") {
        zeros(4) + u16(0x15C7) + text("Home") + [0, 1] + u32(0, 0, 0) + text("mars") + [0] + text("notes") + [0]
      }
    }
    let old = try #require(movie.bytes().firstRange(of: text("mars")))
    for new in try movie.edited(
      allowing: allowed("moov/udta/loci", "moov/udta/©xyz"),
      { try $0.setMetadata(input("common/location", "-10.5+020.25+30/")) })
    {
      let item = try #require(new.metadata.first)
      #expect(item.stringValue == "-10.50000+020.25000+030.000/" && item.details == ["name": "Home", "role": "real"])
      #expect(item.bytes.array.firstRange(of: text("mars")) != nil && old.count == 4)
    }
  }

  /// Accuracy and name of the old location are removed with it. Accuracy and name from the same edit are kept.
  @Test func removesDetailsOfAReplacedLocation() throws {
    let prefix = "mdta/com.apple.quicktime.location."
    let movie = TestMovie.simple.with {
      $0.movieAtoms = mdtaMetadata(
        [("ISO6709", "+48.1370+011.5750/"), ("accuracy.horizontal", "18.17"), ("name", "Home")].map {
          ("com.apple.quicktime.location." + $0, $1)
        })
    }
    let paths = allowed("moov/meta/ilst")
    let place = try input("common/location", "-10.5+020.25/")
    let (gone, new) = try facts(of: movie, allowing: paths) {
      try $0.setMetadata(input(prefix + "name", "Away"))
      try $0.setMetadata(place)
    }
    #expect(
      gone == [prefix + "ISO6709 +48.1370+011.5750/ -", prefix + "accuracy.horizontal 18.17 -", prefix + "name Home -"])
    #expect(new == [prefix + "ISO6709 -10.5+020.25/ -", prefix + "name Away -"])
    let (exact, _) = try facts(of: movie, allowing: paths) { try $0.setMetadata(place, isExact: true) }
    let (other, _) = try facts(of: movie, allowing: paths) { try $0.setMetadata(input(prefix + "name", "Away")) }
    #expect(exact == [prefix + "ISO6709 +48.1370+011.5750/ -"] && other == [prefix + "name Home -"])
  }

  @Test func appendsKeywords() throws {
    let movie = TestMovie.simple.with { ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"]) }
    let (_, new) = try facts(of: movie, allowing: allowed("moov/udta")) {
      try $0.setMetadata(input("common/keywords", "a, b"))
      try $0.addMetadata(input("common/keywords", "b; c"))
      try $0.addMetadata(input("itsk/keyw", "d"))
      try $0.addMetadata(input("common/keywords", "x", language: "de"))
      try $0.addMetadata(input("common/keywords", "y", language: "de"))
    }
    #expect(
      new == ["uiso/kywd a, b, c, d -", "itsk/keyw a, b, c, d -", "uiso/kywd x, y de", "itsk/keyw x, y de"], "\(new)")
  }

  /// iTunes items may have a name, which is the file name of a picture.
  private func covered(_ name: String?, _ pictures: [UInt8]...) -> TestMovie {
    TestMovie.simple.with {
      ($0.dialect, $0.brands) = (.iso, ["M4A ", "M4A "])
      $0.userData = fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(12) + [0] }
        atom("ilst") {
          atom("covr") {
            for picture in pictures { atom("data") { u32(13, 0) + picture } }
            if let name { fullAtom("name") { text(name) } }
          }
        }
      }
    }
  }

  @Test func removesTheNameOfAReplacedCover() throws {
    let paths = allowed("moov/udta/meta/ilst", "moov/udta/meta/ilst/covr")
    let picture = MetadataInput(try #require(MetadataIdentifier("common/artwork")), .data(Bytes(pngPicture(4, 4))))
    for new in try covered("old.jpg", jpegPicture(8, 6)).edited(allowing: paths, { try $0.setMetadata(picture) }) {
      let item = try #require(new.metadata.first)
      #expect(new.metadata.count == 1 && item.bytes == Bytes(pngPicture(4, 4)) && item.details.isEmpty)
    }
  }

  @Test func importsCoversWithAndWithoutNames() throws {
    let paths = allowed("moov/udta/meta/ilst", "moov/udta/meta/ilst/covr")
    let movies = [
      covered(nil, jpegPicture(8, 6)), covered("a.jpg", jpegPicture(9, 6)), covered("b.jpg", jpegPicture(8, 6)),
      covered(nil, jpegPicture(8, 6), jpegPicture(5, 5)), covered("c", jpegPicture(6, 6), jpegPicture(7, 7)),
    ]
    for movie in movies {
      for other in movies {
        let items = try Movie(of: other.source).metadata
        for new in try movie.edited(allowing: paths, { #expect($0.copyMetadata(items).isEmpty) }) {
          #expect(new.metadata.map { MetadataContent($0) } == items.map { MetadataContent($0) })
        }
      }
    }
  }

  /// ffmpeg reads an empty copyright in the form of 3GPP, and the last of several.
  @Test func writesUserDataBeforeTheITunesList() throws {
    let movie = TestMovie.simple.with { ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"]) }
    for start in [movie, covered(nil, jpegPicture(8, 6)).with { ($0.dialect, $0.brands) = (.iso, ["isom", "mp42"]) }] {
      for new in try start.edited(
        allowing: allowed("moov/udta", "moov/udta/cprt", "moov/udta/meta/ilst"),
        { try $0.setMetadata(input("common/copyrights", "© Ann")) })
      {
        let udta = try #require(new.tree.child(of: new.tree.root, "udta"))
        #expect(new.tree.children(of: udta).map { new.tree[$0].type } == ["cprt", "meta"])
      }
    }
  }

  @Test func writesTheTypeOfAPicture() throws {
    let picture = Bytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1])
    for (movie, identifier) in [
      (TestMovie.simple, "mdta/com.apple.quicktime.artwork"), (.simple.with { $0.dialect = .iso }, "itsk/covr"),
    ] {
      for new in try movie.edited(
        allowing: allowed("moov/meta", "moov/udta"),
        { try $0.setMetadata(MetadataInput(MetadataIdentifier(.common, key: "artwork"), .data(picture))) })
      {
        #expect(new.metadata.map(\.identifier.description) == [identifier])
        #expect(new.metadata[0].typeCode == 14 && new.metadata[0].dataValue == picture)
      }
    }
  }

  @Test func changesNothingForEqualValues() throws {
    var edit = try MovieEdit(of: TestMovie.stating.source)
    try edit.setMetadata(input("common/title", "Old"))
    #expect(!edit.changesMetadata && edit.isEmpty)
    try edit.setMetadata(input("common/title", "New"))
    #expect(edit.changesMetadata && !edit.isEmpty && !edit.changesTracks)
    try edit.setMetadata(input("common/title", "Old"))
    #expect(edit.isEmpty)
  }

  // MARK: - Adding and removing

  @Test func addsAnotherValueToAnItem() throws {
    let paths = allowed("moov/udta/meta/ilst", "moov/udta/©cmt")
    for new in try TestMovie.stating.edited(
      allowing: paths,
      {
        try $0.addMetadata(input("itsk/©ART", "C"))
        try $0.addMetadata(input("itlk/com.apple.iTunes.ISRC", "DE2"))
        try $0.addMetadata(input("udta/©cmt", "y", language: "fr"))
      })
    {
      let items = new.metadata
      #expect(items.matching("itsk/©ART").map(\.stringValue) == ["A", "B", "C"])
      #expect(Set(items.matching("itsk/©ART").map { $0.path.split(separator: "/").dropLast() }).count == 1)
      #expect(items.matching("itlk/*").map(\.stringValue) == ["DE1", "DE2"])
      #expect(items.matching("udta/©cmt").map(\.stringValue) == ["å!", "x", "y"])
    }
  }

  @Test func removesItemsOnly() throws {
    let paths = allowed("moov/udta/meta/ilst", "moov/udta/©cmt", "moov/udta/FIRM", "moov/meta/ilst")
    let (gone, new) = try facts(of: TestMovie.stating, allowing: paths) { edit in
      for pattern in ["itsk/trkn", "udta/FIRM", "mdta/com.example.*", "itlk/*"] {
        #expect(edit.removeMetadata(matching: pattern).count == 1)
      }
      #expect(edit.removeMetadata(matching: "common/comment", language: LanguageTag("de")).count == 1)
      #expect(edit.removeMetadata(matching: "udta/none").isEmpty)
    }
    #expect(new.isEmpty && gone.count == 5)
  }

  @Test func removesFramesAndWindowsItemsIndividually() throws {
    let movie = TestMovie.statingInPackets
    let paths = allowed("moov/meta/ID32", "moov/udta/Xtra", "moov/udta/XMP_")
    let (gone, new) = try facts(of: movie, allowing: paths) { edit in
      edit.removeMetadata(matching: "id3/TPE1")
      edit.removeMetadata(matching: "xtra/WM/B")
      edit.removeMetadata(matching: "xmp/*")
    }
    #expect(gone == ["id3/TPE1 Artist en", "xtra/WM/B [4] -", "xmp/packet <x/> -"] && new.isEmpty)
  }

  // MARK: - Tracks

  @Test func writesFactsAboutATrackIntoIt() throws {
    for (movie, path, identifier) in [
      (TestMovie.simple, "moov/trak#2/meta", "mdta/com.apple.quicktime.comment"),
      (.simple.with { $0.dialect = .iso }, "moov/trak#2/udta", "uiso/dscp"),
    ] {
      let fact = try input(identifier.hasPrefix("uiso") ? "common/description" : "common/comment", "Boom")
      for new in try movie.edited(allowing: allowed(path), { try $0.setMetadata(fact, ofTrack: 2) }) {
        #expect(new.metadata.map(\.identifier.description) == [identifier] && new.metadata[0].trackID == 2)
      }
    }
  }

  @Test func writesAFactAndATitleIntoOneUserData() throws {
    let movie = TestMovie.simple.with { $0.dialect = .iso }
    for new in try movie.edited(
      allowing: allowed("moov/trak#2/udta"),
      {
        try $0.setTitle("Sound", of: 2)
        try $0.setMetadata(input("common/description", "Boom"), ofTrack: 2)
      })
    {
      #expect(new.track(2)?.title == "Sound" && new.metadata.matching("uiso/dscp").map(\.stringValue) == ["Boom"])
      let track = try #require(new.track(2))
      #expect(new.tree.children(of: track.atom, "udta").count == 1)
    }
  }

  @Test func leavesTitlesAndTagsToLabels() throws {
    let movie = TestMovie.simple.with {
      $0.tracks[1].userData = atom("name") { text("Sound") } + atom("tagc") { text("public.easy-to-read") }
      $0.userData = atom("chpl") { zeros(9) }
    }
    var edit = try MovieEdit(of: movie.source)
    #expect(edit.removeMetadata(matching: "*").isEmpty)
    for identifier in ["common/title", "udta/name", "uiso/tagc", "udta/©nam"] {
      #expect(throws: MovieError.self) { try edit.setMetadata(input(identifier, "x"), ofTrack: 2) }
    }
    #expect(edit.isEmpty)
  }

  // MARK: - Rejections

  @Test(arguments: [
    ("itsk/trkn", "x"), ("itsk/trkn", "1/2/3"), ("itsk/stik", "300"), ("common/location", "here"),
    ("uiso/yrrc", "soon"),
    ("uiso/titl", "a\0b"), ("common/creator", "x"), ("uiso/urat", "101"),
  ])
  func rejectsAValueThatAFormCannotContain(_ identifier: String, _ text: String) throws {
    var edit = try MovieEdit(of: TestMovie.simple.with { $0.dialect = .iso }.source)
    #expect(throws: MovieError.self) { try edit.setMetadata(input(identifier, text)) }
    #expect(edit.isEmpty)
    #expect(throws: MovieError.self) { try edit.setMetadata(input("common/comment", "x"), ofTrack: 9) }
  }

  @Test(arguments: [
    (65, "-128", true), (65, "128", false), (75, "255", true), (75, "-1", false), (21, "99999999999999999999", false),
    (23, "x", false), (71, "1 2", true), (71, "1", false), (0, "0aFF", true), (0, "0a0", false), (2, "ü", true),
  ])
  func rejectsValuesOfOtherTypes(_ typeCode: UInt32, _ text: String, _ fits: Bool) throws {
    var edit = try MovieEdit(of: TestMovie.simple.source)
    var value = try input("mdta/com.example.id", text)
    value.typeCode = typeCode
    do {
      try edit.setMetadata(value)
      #expect(fits && !edit.isEmpty)
    } catch {
      #expect(!fits && edit.isEmpty)
    }
  }

  // MARK: - From other movies

  @Test func importsFactsOfAnotherMovie() throws {
    let other = try Movie(of: TestMovie.stating.source)
    let movie = TestMovie.simple.with {
      $0.userData = atom("©nam") { u16(3, 0x15C7) + text("Its") } + atom("©swr") { u16(1, 0x15C7) + text("s") }
    }
    for new in try movie.edited(
      allowing: allowed("moov/meta", "moov/udta/©nam", "moov/udta/©cmt", "moov/udta/FIRM", "moov/udta/meta"),
      { #expect($0.copyMetadata(other.metadata).isEmpty) })
    {
      let taken = facts(new).filter { !$0.hasPrefix("udta/%A9swr") }
      // Facts are also written in the vocabulary of this type of movie.
      let (same, stated) = (taken.filter(facts(other).contains), taken.filter { !facts(other).contains($0) })
      #expect(Set(same) == Set(facts(other)) && same.count == facts(other).count)
      #expect(stated.count == 3 && stated.allSatisfy { $0.hasPrefix("mdta/com.apple.quicktime.") }, "\(stated)")
    }
  }

  /// Players prefer an item without a language to one with a language.
  @Test func replacesAFactWithoutALanguageByOneWithALanguage() throws {
    func stating(_ language: String?) throws -> Movie {
      var edit = try MovieEdit(of: TestMovie.simple.source)
      try edit.setMetadata(input("mdta/com.apple.quicktime.title", "New", language: language), isExact: true)
      let bytes = try edit.outputPlan(of: TestMovie.simple.source).rendered(from: TestMovie.simple.source)
      return try Movie(of: MemorySource(Bytes(bytes)))
    }
    let movie = TestMovie.simple.with {
      ($0.dialect, $0.brands) = (.iso, ["M4A ", "isom"])
      $0.userData = TestMovie.iTunes(atom("©nam") { TestMovie.data(1, text("Old")) })
    }
    for language: String? in [nil, "en", "de"] {
      let other = try stating(language)
      for new in try movie.edited(
        allowing: allowed("moov/meta", "moov/udta/meta/ilst", "moov/udta/meta/ilst/©nam"),
        { #expect($0.copyMetadata(other.metadata).isEmpty) })
      {
        #expect(new.metadata.filter { !$0.isStructural }.map(\.stringValue) == ["New", "New"], "\(facts(new))")
      }
    }
  }

  /// iTunes lists contain several covers, QuickTime metadata one.
  @Test func listsCoversThatAreNotMirrored() throws {
    let other = TestMovie.simple.with {
      ($0.dialect, $0.brands) = (.iso, ["M4A ", "M4A ", "isom"])
      $0.userData = fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(12) + [0] }
        atom("ilst") {
          atom("covr") {
            atom("data") { u32(13, 0) + [0xFF, 0xD8, 0xFF, 1] }
            atom("data") { u32(13, 0) + [0xFF, 0xD8, 0xFF, 2] }
          }
        }
      }
    }
    var edit = try MovieEdit(of: TestMovie.simple.source)
    #expect(try edit.copyMetadata(Movie(of: other.source).metadata).isEmpty)
    let message =
      "only the first value of artwork is written to mdta/com.apple.quicktime.artwork, which allows a single value"
    #expect(edit.notices.filter { $0.message == message }.map(\.isWarning) == [false])
  }

  @Test func reportsALostValueThatIsNotText() throws {
    let other = TestMovie.simple.with {
      ($0.dialect, $0.brands) = (.iso, ["M4A ", "isom"])
      $0.userData = TestMovie.iTunes(
        atom("©ART") {
          TestMovie.data(1, text("A")) + TestMovie.data(1, text("B"))
          atom("data") { u32(13, 0) + [0xFF, 0xD8, 0xFF, 1] }
        })
    }
    var edit = try MovieEdit(of: TestMovie.simple.source)
    #expect(try edit.copyMetadata(Movie(of: other.source).metadata).isEmpty)
    let message = "only the text values of artist are written to mdta/com.apple.quicktime.artist"
    #expect(edit.notices.contains { $0.message == message && $0.kind == .leftOut && !$0.isWarning })
  }

  /// The new value of an item counts, not the old one.
  @Test func ignoresOldValuesOfChangedItems() throws {
    func stating(_ text: String) throws -> Movie {
      try Movie(
        of: TestMovie.simple.with { $0.movieAtoms = TestMovie.keyed([("com.apple.quicktime.software", text)]) }.source)
    }
    let old = TestMovie.simple.with { $0.userData = atom("©swr") { u16(3, 0x55C4) + text("Old") } }
    var edit = try MovieEdit(of: old.source)
    #expect(edit.mirrorFacts(of: try stating("New").metadata).contradictions.count == 1)
    try edit.setMetadata(#require(MetadataInput("udta/©swr", "New")))
    #expect(edit.mirrorFacts(of: try stating("New").metadata).contradictions.isEmpty)
  }

  // MARK: - Verification

  @Test func detectsUnrequestedMetadata() throws {
    let old = try Movie(of: TestMovie.stating.source)
    var edit = try MovieEdit(of: TestMovie.stating.source)
    try edit.setMetadata(input("common/title", "New"))
    let requested = RequestedMetadata(edit.changes.metadata.edits, to: old.metadata, of: old)
    func check(_ change: (inout MovieEdit) throws -> Void) throws {
      var other = try MovieEdit(of: TestMovie.stating.source)
      try change(&other)
      let bytes = try other.outputPlan(of: TestMovie.stating.source).rendered(from: TestMovie.stating.source)
      let new = try Movie(of: MemorySource(Bytes(bytes)))
      var policy = AtomChangePolicy.positions
      policy.join(.metadata(requested))
      try policy.check(.init(old.tree), .init(new.tree))
      try requested.check(new, exceptOf: [])
    }
    #expect(throws: Never.self) { try check { try $0.setMetadata(input("common/title", "New")) } }
    let wrong: [(inout MovieEdit) throws -> Void] = [
      { _ in }, { try $0.setMetadata(input("common/title", "Other")) },
      { try $0.setMetadata(input("udta/©nam", "New"), isExact: true) }, { $0.removeMetadata(matching: "common/title") },
      {
        try $0.setMetadata(input("common/title", "New"))
        $0.removeMetadata(matching: "udta/FIRM")
      },
      {
        try $0.setMetadata(input("common/title", "New"))
        try $0.addMetadata(input("mdta/com.example.more", "x"))
      },
      {
        try $0.setMetadata(input("common/title", "New"))
        try $0.addMetadata(input("udta/©nam", "New", language: "fr"))
      },
    ]
    for change in wrong {
      #expect { try check(change) } throws: { ($0 as? MovieError)?.code == .planCheckFailed }
    }
  }
}

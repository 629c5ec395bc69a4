import MovieBox

extension LanguageTag {
  /// The tag that a person wrote; underscores count as hyphens, as in the names of locales (`pt_BR`).
  init?(written text: some StringProtocol) {
    self.init(String(text.map { $0 == "_" ? "-" : $0 }))
  }
}

extension Rule {
  /// All rules, those of the file and its tables first, then those of what a viewer meets.
  public static let all: [Rule] =
    fileRules + brandRules + movieRules + durationRules + tableRules + mediaRules + languageRules + groupRules
    + referenceRules + forcedRules + chapterRules + subtitleRules + geometryRules + timelineRules + textRules
    + characteristicRules + metadataRules + dateRules + playbackRules
}

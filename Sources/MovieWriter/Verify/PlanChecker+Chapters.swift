import MovieBox

// Chapters: read from the planned movie as a player reads them.
extension PlanChecker {
  /// The planned movie has the chapters that were asked for, in every form that was, and no others.
  func checkChapters() throws {
    guard let wanted = revision.requestedChapters else { return }
    let found = try planned.readChapters(from: PlannedSource(plan, of: source), readsImages: wanted.hasImages)
    guard found.chapters.map(\.startMilliseconds) == wanted.chapters.map(\.startMilliseconds) else {
      throw failure("the movie does not have the chapters that were asked for")
    }
    for (number, (chapter, asked)) in zip(1..., zip(found.chapters, wanted.chapters)) {
      guard chapter.titles == asked.titles else {
        throw failure("chapter \(number) does not have the requested titles")
      }
      if wanted.hasImages, chapter.image != asked.image {
        throw failure("chapter \(number) does not have the requested picture")
      }
      if wanted.hasLinks, chapter.link != asked.link {
        throw failure("chapter \(number) does not have the requested link")
      }
    }
    let nero = found.forms.filter { $0.kind == .nero }
    guard nero.count == (wanted.hasNero ? 1 : 0), nero.allSatisfy({ !$0.differs }) else {
      throw failure("the list of chapters in user data is not what it was to be")
    }
  }
}

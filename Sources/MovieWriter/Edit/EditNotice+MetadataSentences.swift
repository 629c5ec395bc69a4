import MovieBox
import Subtitles

// The messages about metadata and chapters.

// MARK: - Metadata

extension EditNotice {
  /// Returns a notice that several values were joined into one text, because the vocabulary allows a single value.
  static func valuesJoined(in identifier: MetadataIdentifier) -> EditNotice {
    EditNotice(
      .valuesJoined,
      "the values of \(fact(of: identifier)) are joined into one text in \(identifier), which allows a single value")
  }

  /// Returns a notice that only the first of several values was written. The vocabulary allows a single value, and
  /// values such as covers cannot be joined.
  static func onlyFirstValueWritten(to identifier: MetadataIdentifier) -> EditNotice {
    EditNotice(
      .leftOut,
      "only the first value of \(fact(of: identifier)) is written to \(identifier), which allows a single value")
  }

  /// Returns a notice that several values were joined into one text, and that values such as covers were omitted.
  static func onlyTextsWritten(to identifier: MetadataIdentifier) -> EditNotice {
    EditNotice(.leftOut, "only the text values of \(fact(of: identifier)) are written to \(identifier)")
  }

  private static func fact(of identifier: MetadataIdentifier) -> String { identifier.common?.key ?? identifier.key }

  /// Returns a notice that new QuickTime metadata of a track precedes the movie's user data, so some readers miss the
  /// user data.
  static func tagsHidden(byTrack id: UInt32) -> EditNotice {
    EditNotice(
      .tagsHidden, trackID: id, isWarning: true,
      "track \(id) gets QuickTime metadata before the movie's user data: mutagen and AtomicParsley then find none of the "
        + "movie's tags; use an identifier of udta, uiso or itsk for the track instead")
  }

  /// Returns a notice that a conversion also wrote metadata in the vocabulary of the new type.
  static func metadataMirrored(_ facts: [String], _ type: MovieType) -> EditNotice {
    EditNotice(.metadataConverted, "also written in the vocabulary of \(type.name): \(facts.joined(separator: ", "))")
  }
}

// MARK: - Chapters

extension EditNotice {
  /// The notice that the movie has no chapters to remove.
  static let noChapters = EditNotice(.nothingToDo, "the movie has no chapters")

  /// The notice that a conversion to MP4 writes Nero's list of chapters.
  static let chaptersAreListed = EditNotice(
    .converted, describing: .oldChapters, "the chapters are also listed in user data (chpl)")

  /// Returns a notice that a chapter track has another purpose and is kept.
  static func chapterTrackKept(track id: UInt32) -> EditNotice {
    EditNotice(.chapters, trackID: id, "track \(id) was listed as chapters but has another purpose; it is kept")
  }

  /// Returns a notice that the pictures of chapters were passed as references, and their data was not read.
  static func chapterPicturesNotRead(_ count: Int) -> EditNotice {
    EditNotice(
      .chapters, isWarning: true,
      "the pictures of \(counted(count, "chapter")) are dropped, because the picture data was not read")
  }

  /// Returns a notice that no new chapter begins at the same time as an old chapter with a link.
  static func chapterLinksDropped(_ count: Int) -> EditNotice {
    EditNotice(
      .chapters, isWarning: true,
      "\(counted(count, "link")) of old chapters \(count == 1 ? "is" : "are") dropped, because no new chapter begins at the same time"
    )
  }

  /// Returns a notice that the old chapters had titles in languages that the new chapters lack.
  static func chapterLanguagesDropped(_ languages: [LanguageTag]) -> EditNotice {
    EditNotice(
      .chapters, isWarning: true,
      "titles in \(languages.map(\.englishName).joined(separator: ", ")) are dropped, because the new chapters are in other languages"
    )
  }

  /// Returns a notice that ffmpeg shows the texts of links instead of titles.
  static func linksShownAsTitles(track id: UInt32) -> EditNotice {
    EditNotice(
      .chapters, trackID: id,
      "track \(id), which contains links, is kept; ffmpeg and players based on it show its texts as titles")
  }

  /// Returns a notice that players differ in the language of the titles that they show.
  static func chapterLanguages(_ count: Int, ffmpegShowsFirst: Bool) -> EditNotice {
    EditNotice(
      .chapters,
      "the titles are in \(count) languages: Apple's players let viewers choose; ffmpeg and players based on it show the "
        + (ffmpegShowsFirst ? "first" : "last"))
  }

  /// The notice that a link is too long for its atom.
  static let longChapterLink = EditNotice(
    .chapters, isWarning: true, "a link of more than \(ChapterMedia.maximumLinkByteCount) bytes is dropped")

  /// Returns a notice that chapters begin at or after the end of the movie.
  static func lateChapters(_ chapters: [Chapter]) -> EditNotice {
    let first = chapters.first.flatMap { first in
      first.title().map { ": \"\($0)\" at \(timeText(milliseconds: first.startMilliseconds))" }
    }
    return EditNotice(
      .chapters, isWarning: true,
      "\(counted(chapters.count, "chapter")) at or after the end of the movie \(chapters.count == 1 ? "is" : "are") dropped"
        + (first ?? "") + (first == nil || chapters.count == 1 ? "" : " and others"))
  }

  /// Returns a notice that chapters begin at the same time as another chapter.
  static func simultaneousChapters(_ count: Int) -> EditNotice {
    EditNotice(
      .chapters, isWarning: true,
      count == 1
        ? "1 chapter is dropped, because another chapter begins at the same time"
        : "\(count) chapters are dropped, because other chapters begin at the same time")
  }

  /// Returns a notice that chapters were extended to the start of the next chapter, because a movie cannot store gaps
  /// between chapters.
  static func extendedChapters(_ count: Int) -> EditNotice {
    EditNotice(
      .chapters,
      count == 1
        ? "1 chapter is extended to the start of the next chapter"
        : "\(count) chapters are extended to the start of the next chapter")
  }

  /// Returns a notice that chapters without a title were numbered.
  static func numberedChapters(_ count: Int) -> EditNotice {
    EditNotice(.chapters, "\(counted(count, "chapter")) without a title \(count == 1 ? "is" : "are") numbered")
  }

  /// The notice that the pictures have several formats.
  static let mixedChapterPictures = EditNotice(
    .chapters, isWarning: true,
    "the track of pictures contains JPEG and PNG: ffmpeg and players based on it show only pictures in the first format"
  )
}

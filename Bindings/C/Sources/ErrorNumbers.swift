// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// movtool.h documents the functions. They are public, because the library hides all other functions.

internal import CMovtool

/// The numbers of error codes. A number never changes its meaning, and no number is used again.
enum ErrorNumbers {
  private static let codes: [(number: movtool_error, code: StaticString)] = [
    (MOVTOOL_ERROR_MALFORMED, "malformed"),
    (MOVTOOL_ERROR_TRUNCATED, "truncated"),
    (MOVTOOL_ERROR_UNSUPPORTED, "unsupported"),
    (MOVTOOL_ERROR_LIMIT, "limit"),
    (MOVTOOL_ERROR_NOT_A_MOVIE, "not-a-movie"),
    (MOVTOOL_ERROR_SOURCE_CHANGED, "source-changed"),
    (MOVTOOL_ERROR_INVALID_EDIT, "invalid-edit"),
    (MOVTOOL_ERROR_CONTENTS_DIFFER, "contents-differ"),
    (MOVTOOL_ERROR_PLAN_CHECK_FAILED, "plan-check-failed"),
    (MOVTOOL_ERROR_CUT_OFF, "cut-off"),
    (MOVTOOL_ERROR_NO_PICTURE, "no-picture"),
    (MOVTOOL_ERROR_NO_STREAM, "no-stream"),
    (MOVTOOL_ERROR_NO_SUCH_TRACK, "no-such-track"),

    (MOVTOOL_ERROR_SUBTITLE_ENCODING, "subtitle-encoding"),
    (MOVTOOL_ERROR_SUBTITLE_FORMAT, "subtitle-format"),
    (MOVTOOL_ERROR_NO_CUES, "no-cues"),
    (MOVTOOL_ERROR_SUBTITLE_LIMIT, "subtitle-limit"),
    (MOVTOOL_ERROR_MOVIE_TOO_LONG, "movie-too-long"),
    (MOVTOOL_ERROR_SUBTITLE_MALFORMED, "subtitle-malformed"),
    (MOVTOOL_ERROR_INVALID_TIME, "invalid-time"),
    (MOVTOOL_ERROR_NO_CUE_SHOWN, "no-cue-shown"),
    (MOVTOOL_ERROR_NO_CHAPTERS, "no-chapters"),
    (MOVTOOL_ERROR_CHAPTER_FORMAT, "chapter-format"),
    (MOVTOOL_ERROR_NOT_A_PICTURE, "not-a-picture"),
    (MOVTOOL_ERROR_CHAPTERS_DIFFER, "chapters-differ"),
    (MOVTOOL_ERROR_GPX_FORMAT, "gpx-format"),
    (MOVTOOL_ERROR_TIMED_ITEMS, "timed-items"),
    (MOVTOOL_ERROR_NO_OVERLAP, "no-overlap"),

    (MOVTOOL_ERROR_NO_INPUT, "no-input"),
    (MOVTOOL_ERROR_NOT_WRITABLE, "not-writable"),
    (MOVTOOL_ERROR_CANNOT_CREATE, "cannot-create"),
    (MOVTOOL_ERROR_EXISTS, "exists"),
    (MOVTOOL_ERROR_LOCKED, "locked"),
    (MOVTOOL_ERROR_CHANGED, "changed"),
    (MOVTOOL_ERROR_INPUT_OUTPUT, "input-output"),
    (MOVTOOL_ERROR_NO_MOVIE, "no-movie"),
    (MOVTOOL_ERROR_LINK_OUTSIDE, "link-outside"),
    (MOVTOOL_ERROR_CANNOT_LISTEN, "cannot-listen"),

    (MOVTOOL_ERROR_UNKNOWN_COMMAND, "unknown-command"),
    (MOVTOOL_ERROR_UNKNOWN_OPTION, "unknown-option"),
    (MOVTOOL_ERROR_MISSING_VALUE, "missing-value"),
    (MOVTOOL_ERROR_UNEXPECTED_VALUE, "unexpected-value"),
    (MOVTOOL_ERROR_INVALID_VALUE, "invalid-value"),
    (MOVTOOL_ERROR_REPEATED_OPTION, "repeated-option"),
    (MOVTOOL_ERROR_CONFLICTING_OPTIONS, "conflicting-options"),
    (MOVTOOL_ERROR_MISSING_OPERAND, "missing-operand"),
    (MOVTOOL_ERROR_UNEXPECTED_OPERAND, "unexpected-operand"),
    (MOVTOOL_ERROR_NOT_SUPPORTED, "not-supported"),
    (MOVTOOL_ERROR_NO_MATCH, "no-match"),
    (MOVTOOL_ERROR_AMBIGUOUS, "ambiguous"),
    (MOVTOOL_ERROR_BUSY, "busy"),

    (MOVTOOL_ERROR_INTERRUPTED, "interrupted"),
    (MOVTOOL_ERROR_INTERNAL, "internal"),
  ]

  private static let numbers = Dictionary(uniqueKeysWithValues: codes.map { ($0.code.description, $0.number) })

  /// Returns the number of a code, or `MOVTOOL_ERROR_OTHER` if this version has no number for it.
  static func number(of code: String) -> Int32 { Int32(bitPattern: (numbers[code] ?? MOVTOOL_ERROR_OTHER).rawValue) }

  /// Returns the code of a number, or `nil` if no code has this number.
  static func code(of number: Int32) -> StaticString? {
    codes.first { Int32(bitPattern: $0.number.rawValue) == number }?.code
  }
}

@c @implementation public func movtool_error_name(_ error: Int32) -> UnsafePointer<CChar>? {
  ErrorNumbers.code(of: error).map { UnsafeRawPointer($0.utf8Start).assumingMemoryBound(to: CChar.self) }
}

/* movtool.h: edits, reads and checks QuickTime and MP4 movies in the process of a C program.
 *
 * There are two ways to use the library:
 *
 *   movtool_run       runs any command of the tool. Movies and subtitles can be files, memory or callbacks.
 *   movtool_edit_...  combines several commands into one edit, and plans the edited movie without writing it. A plan can
 *                     be read in ranges, uploaded in parts, or written.
 *
 * Results. Every function that can fail returns an exit code of the tool: 0 if it succeeded. Its last parameter receives
 * the result, which movtool_result_free frees. The parameter may be NULL if the caller does not need the result. Wrong
 * arguments, such as a null pointer, are errors with the exit code 64.
 *
 * Ownership. The library copies all arguments except callbacks. The caller frees each handle once. A handle keeps
 * everything that it needs, so handles can be freed in any order.
 *
 * Threads. The library has no global state. Every function may be called from any thread at any time, except that an
 * edit can be used by one call at a time; a second call fails with MOVTOOL_ERROR_BUSY. Callbacks may be called on other
 * threads, and read_at on several threads at once.
 *
 * Signals. A program that writes to files or pipes should ignore SIGPIPE and SIGXFSZ, so that a failed write becomes an
 * error. The library installs no signal handlers.
 *
 * Text is UTF-8. License: Apache 2.0.
 */
#ifndef MOVTOOL_H
#define MOVTOOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library itself, which is written in Swift, checks every pointer, so all pointers are optional for Swift. */
#if defined(__clang__) && !defined(__swift__)
#pragma clang assume_nonnull begin
#define MOVTOOL_NULLABLE _Nullable
#else
#define MOVTOOL_NULLABLE
#endif

/* The version of this interface. Later versions only add functions, members at the end of structures, and errors. */
#define MOVTOOL_ABI 1

/* The numbers of errors. A number never changes. movtool_error_name returns the code that Docs/json.md describes. */
typedef enum movtool_error {
  MOVTOOL_ERROR_NONE = 0,
  /* An error without a number in this version of the header. The code in the error's JSON identifies it. */
  MOVTOOL_ERROR_OTHER = 1,

  /* The movie. */
  MOVTOOL_ERROR_MALFORMED = 100,
  MOVTOOL_ERROR_TRUNCATED = 101,
  MOVTOOL_ERROR_UNSUPPORTED = 102,
  MOVTOOL_ERROR_LIMIT = 103,
  MOVTOOL_ERROR_NOT_A_MOVIE = 104,
  MOVTOOL_ERROR_SOURCE_CHANGED = 105,
  MOVTOOL_ERROR_INVALID_EDIT = 106,
  MOVTOOL_ERROR_CONTENTS_DIFFER = 107,
  MOVTOOL_ERROR_PLAN_CHECK_FAILED = 108,
  MOVTOOL_ERROR_CUT_OFF = 109,
  MOVTOOL_ERROR_NO_PICTURE = 110,
  MOVTOOL_ERROR_NO_STREAM = 111,
  MOVTOOL_ERROR_NO_SUCH_TRACK = 112,

  /* Subtitles, chapters and pictures. */
  MOVTOOL_ERROR_SUBTITLE_ENCODING = 200,
  MOVTOOL_ERROR_SUBTITLE_FORMAT = 201,
  MOVTOOL_ERROR_NO_CUES = 202,
  MOVTOOL_ERROR_SUBTITLE_LIMIT = 203,
  MOVTOOL_ERROR_MOVIE_TOO_LONG = 204,
  MOVTOOL_ERROR_SUBTITLE_MALFORMED = 205,
  MOVTOOL_ERROR_INVALID_TIME = 206,
  MOVTOOL_ERROR_NO_CUE_SHOWN = 207,
  MOVTOOL_ERROR_NO_CHAPTERS = 208,
  MOVTOOL_ERROR_CHAPTER_FORMAT = 209,
  MOVTOOL_ERROR_NOT_A_PICTURE = 210,
  MOVTOOL_ERROR_CHAPTERS_DIFFER = 211,
  MOVTOOL_ERROR_GPX_FORMAT = 212,
  MOVTOOL_ERROR_TIMED_ITEMS = 213,
  MOVTOOL_ERROR_NO_OVERLAP = 214,

  /* Files and callbacks. */
  MOVTOOL_ERROR_NO_INPUT = 300,
  MOVTOOL_ERROR_NOT_WRITABLE = 301,
  MOVTOOL_ERROR_CANNOT_CREATE = 302,
  MOVTOOL_ERROR_EXISTS = 303,
  MOVTOOL_ERROR_LOCKED = 304,
  MOVTOOL_ERROR_CHANGED = 305,
  MOVTOOL_ERROR_INPUT_OUTPUT = 306,
  MOVTOOL_ERROR_NO_MOVIE = 307,
  MOVTOOL_ERROR_LINK_OUTSIDE = 308,
  MOVTOOL_ERROR_CANNOT_LISTEN = 309,

  /* Words and arguments. */
  MOVTOOL_ERROR_UNKNOWN_COMMAND = 400,
  MOVTOOL_ERROR_UNKNOWN_OPTION = 401,
  MOVTOOL_ERROR_MISSING_VALUE = 402,
  MOVTOOL_ERROR_UNEXPECTED_VALUE = 403,
  MOVTOOL_ERROR_INVALID_VALUE = 404,
  MOVTOOL_ERROR_REPEATED_OPTION = 405,
  MOVTOOL_ERROR_CONFLICTING_OPTIONS = 406,
  MOVTOOL_ERROR_MISSING_OPERAND = 407,
  MOVTOOL_ERROR_UNEXPECTED_OPERAND = 408,
  MOVTOOL_ERROR_NOT_SUPPORTED = 409,
  MOVTOOL_ERROR_NO_MATCH = 410,
  MOVTOOL_ERROR_AMBIGUOUS = 411,
  /* The edit is being used by another call. */
  MOVTOOL_ERROR_BUSY = 412,

  MOVTOOL_ERROR_INTERRUPTED = 500,
  MOVTOOL_ERROR_INTERNAL = 501
} movtool_error;

/* The result of a call. Texts end in a null character, which the sizes do not include. */
typedef struct movtool_result {
  /* The exit code of the tool: see Docs/limits.md. */
  int32_t exit_code;
  /* The number of the first error, a movtool_error. A command that finds differences or findings may return a nonzero
   * exit code without an error. */
  int32_t error;
  /* Whether the same call may succeed later, because another program was using a file. */
  int32_t is_transient;
  /* The answer: JSON, with several values in separate lines, or text for a command without JSON. */
  const char *answer;
  size_t answer_size;
  /* The lines that the tool would write to standard error: notes, warnings, progress. */
  const char *messages;
  size_t messages_size;
  /* The first error as a sentence with file and location, or NULL. */
  const char *MOVTOOL_NULLABLE error_message;
  /* The first error as a JSON object: see Docs/json.md, or NULL. */
  const char *MOVTOOL_NULLABLE error_json;
} movtool_result;

/* Frees a result. NULL is ignored. */
void movtool_result_free(movtool_result *MOVTOOL_NULLABLE result);

/* Returns the version of the library, such as "0.3.0". The text is constant. */
const char *movtool_version(void);

/* Returns the MOVTOOL_ABI of the library. */
uint32_t movtool_abi(void);

/* Returns the code of an error number, such as "malformed" for MOVTOOL_ERROR_MALFORMED, or NULL if it is unknown. The
 * text is constant. */
const char *MOVTOOL_NULLABLE movtool_error_name(int32_t error);

/* ---- Sources: movies and other inputs ---- */

/* The bytes of a movie, of subtitles or of another input, which the library reads in ranges. */
typedef struct movtool_source movtool_source;

/* A result of read_at: reading failed. */
#define MOVTOOL_READ_FAILED (-1)
/* A result of read_at: the object has changed since the source was created. */
#define MOVTOOL_READ_CHANGED (-2)

/* The callbacks of a source. */
typedef struct movtool_reader {
  /* sizeof(movtool_reader) */
  size_t struct_size;
  /* The first argument of the callbacks. */
  void *MOVTOOL_NULLABLE context;
  /* Writes at most count bytes from offset to buffer, and returns their number, or MOVTOOL_READ_FAILED or
   * MOVTOOL_READ_CHANGED. May return fewer bytes; the library then asks for the rest. 0 means that the object ends at
   * offset. Called on any thread, and on several threads at once. */
  int64_t (*read_at)(void *MOVTOOL_NULLABLE context, uint64_t offset, void *buffer, size_t count);
  /* Called once, when no handle needs the callbacks any more, or NULL. Also called if movtool_source_create fails,
   * unless struct_size is wrong. */
  void (*MOVTOOL_NULLABLE release)(void *MOVTOOL_NULLABLE context);
} movtool_reader;

/* Opens a file. */
int32_t movtool_source_open(
    const char *path, movtool_source *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE source,
    movtool_result *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE result);

/* Creates a source from a copy of bytes in memory. */
int32_t movtool_source_from_bytes(
    const void *MOVTOOL_NULLABLE bytes, size_t count, movtool_source *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE source,
    movtool_result *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE result);

/* Creates a source that reads an object of size bytes through a callback. The tag identifies the version of the object,
 * such as its ETag; read_at must return MOVTOOL_READ_CHANGED if the object no longer has this tag. */
int32_t movtool_source_create(
    const movtool_reader *reader, uint64_t size, const char *tag,
    movtool_source *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE source,
    movtool_result *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE result);

/* Frees a source. NULL is ignored. */
void movtool_source_free(movtool_source *MOVTOOL_NULLABLE source);

/* ---- Commands ---- */

/* An input of a command. The command reads the source and not the file with this name. */
typedef struct movtool_input {
  /* The word that represents the input in the command line, such as film.mov. */
  const char *name;
  const movtool_source *source;
} movtool_input;

/* The inputs and callbacks of a command. All members may be 0 or NULL, except struct_size. */
typedef struct movtool_host {
  /* sizeof(movtool_host) */
  size_t struct_size;
  /* The first argument of the callbacks. */
  void *MOVTOOL_NULLABLE context;
  const movtool_input *MOVTOOL_NULLABLE inputs;
  size_t input_count;
  /* Receives the bytes of "-o -" in order. A result other than 0 ends the command. */
  int32_t (*MOVTOOL_NULLABLE receive_output)(void *MOVTOOL_NULLABLE context, const void *bytes, size_t count);
  /* Receives each message as soon as it is written, such as a line of "--progress json". The text ends in a line feed,
   * and not in a null character. */
  void (*MOVTOOL_NULLABLE receive_message)(void *MOVTOOL_NULLABLE context, const char *text, size_t count);
  /* Returns nonzero if the command should stop. Called between steps, before each read_at of a command, and about every
   * 256 KiB of output. May be called on any thread. A stopped command leaves its output absent or unchanged. */
  int32_t (*MOVTOOL_NULLABLE is_stopped)(void *MOVTOOL_NULLABLE context);
} movtool_host;

/* Runs a command line, such as {"add-subtitle", "film.mov", "film.en.srt", "--sdh"}, without the word movtool. --json is
 * added if the answer can be JSON. Returns the exit code of the command. */
int32_t movtool_run(
    const char *const MOVTOOL_NULLABLE *MOVTOOL_NULLABLE words, size_t count,
    const movtool_host *MOVTOOL_NULLABLE host, movtool_result *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE result);

/* ---- Edits and plans ---- */

/* An edit of one movie that several commands prepare. Nothing is written until a plan is written. */
typedef struct movtool_edit movtool_edit;

/* The plan of an edited movie: new bytes, and ranges of the sources. */
typedef struct movtool_plan movtool_plan;

/* Begins an edit of a movie. The words of all commands use this name for the movie. */
int32_t movtool_edit_create(
    const char *name, const movtool_source *source, movtool_edit *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE edit,
    movtool_result *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE result);

/* Adds the changes of a command that edits a movie, such as {"set", "film.mov", "--track", "audio:1", "--language", "en"}.
 * If the command fails, or if a warning stops it because of --strict, the edit is unchanged. The words must not contain
 * -o, --append or --dry-run.
 *
 * If plan is not NULL, it receives the plan of the movie with all changes so far. Options of this command such as
 * --fast-start determine the layout. The answer is the answer of --dry-run. */
int32_t movtool_edit_apply(
    movtool_edit *edit, const char *const MOVTOOL_NULLABLE *MOVTOOL_NULLABLE words, size_t count,
    const movtool_host *MOVTOOL_NULLABLE host, movtool_plan *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE plan,
    movtool_result *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE result);

/* Frees an edit. NULL is ignored. */
void movtool_edit_free(movtool_edit *MOVTOOL_NULLABLE edit);

/* Returns the size of the planned movie, or 0 if plan is NULL. */
uint64_t movtool_plan_size(const movtool_plan *plan);

/* Divides the planned movie into parts for a multipart upload to an object store that contains the sources. No part is
 * larger than largest bytes, and only the last part may be smaller than smallest bytes. There are at most count parts.
 * largest must be at least twice smallest. The answer is an object:
 *
 *   byteCount   the size of the planned movie
 *   tag         a tag that identifies its contents, with quotation marks, for an ETag
 *   sources[]   byteCount and tag of the movie and of other movies from which media is copied
 *   parts[]     offset and byteCount in the planned movie; source, the index of the source from which the store can copy
 *               the part, or null for a part that is sent; sourceOffset, the offset in the source, or null */
int32_t movtool_plan_parts(
    const movtool_plan *plan, uint64_t smallest, uint64_t largest, size_t count,
    movtool_result *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE result);

/* Reads bytes of the planned movie. read_count receives their number. It is smaller than count only at the end of the movie.
 * Fails with MOVTOOL_ERROR_SOURCE_CHANGED or MOVTOOL_ERROR_CHANGED if a source has changed since planning. */
int32_t movtool_plan_read(
    const movtool_plan *plan, uint64_t offset, void *MOVTOOL_NULLABLE buffer, size_t count, size_t *read_count,
    movtool_result *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE result);

/* Writes the planned movie to a new file. An existing file is replaced only if overwrites is not 0. The file appears when
 * it is complete. Of the host, only context and is_stopped are used. */
int32_t movtool_plan_write(
    const movtool_plan *plan, const char *path, int32_t overwrites, const movtool_host *MOVTOOL_NULLABLE host,
    movtool_result *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE result);

/* Passes the planned movie to receive_output of the host. The last bytes are passed only if no source has changed, so an
 * output of full size is complete. */
int32_t movtool_plan_send(
    const movtool_plan *plan, const movtool_host *host,
    movtool_result *MOVTOOL_NULLABLE *MOVTOOL_NULLABLE result);

/* Frees a plan. NULL is ignored. */
void movtool_plan_free(movtool_plan *MOVTOOL_NULLABLE plan);

#if defined(__clang__) && !defined(__swift__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif

/* Tests of libmovtool: the good case, limits, lies and crashes.
 *
 *   test MOVIE SUBTITLES FOLDER   runs all tests, and writes only to FOLDER
 *   test --errors MOVIE…          prints the error of inspect for each movie, as the table test compares it
 */
#include <movtool.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures = 0;

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      failures++; \
    } \
  } while (0)

static const char *movie_path, *subtitle_path, *folder;

/* Runs words on a host, and checks the exit code and the error. */
static movtool_result *run(const char **words, const movtool_host *host, int code, int error) {
  size_t count = 0;
  movtool_result *result = NULL;
  while (words[count] != NULL) count++;
  CHECK(movtool_run(words, count, host, &result) == code);
  CHECK(result != NULL && result->exit_code == code);
  if (result->error != error) fprintf(stderr, "error %d, expected %d: %s\n", (int)result->error, error, result->answer_size < 1000 ? result->answer : "");
  CHECK(result->error == error);
  CHECK((result->error_message != NULL) == (error != 0) && (result->error_json != NULL) == (error != 0));
  CHECK(strlen(result->answer) == result->answer_size && strlen(result->messages) == result->messages_size);
  return result;
}

static void expect(const char **words, const movtool_host *host, int code, int error) {
  movtool_result_free(run(words, host, code, error));
}

/* Bytes that a callback receives. */
typedef struct bytes {
  char *start;
  size_t count;
} bytes;

static int32_t append(void *context, const void *start, size_t count) {
  bytes *all = context;
  all->start = realloc(all->start, all->count + count);
  memcpy(all->start + all->count, start, count);
  all->count += count;
  return 0;
}

static bytes read_file(const char *path) {
  bytes all = {NULL, 0};
  char block[65536];
  size_t count;
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  while (file != NULL && (count = fread(block, 1, sizeof block, file)) > 0) append(&all, block, count);
  if (file != NULL) fclose(file);
  return all;
}

/* An object that is read through a callback, and the way in which the callback lies. */
typedef struct object {
  bytes contents;
  enum { HONEST, ONE_BYTE_AT_A_TIME, TOO_FEW, TOO_MANY, OTHER_BYTES, FAILS, HAS_CHANGED } kind;
  int releases;
} object;

static int64_t read_object(void *context, uint64_t offset, void *buffer, size_t count) {
  object *object = context;
  if (object->kind == FAILS) return MOVTOOL_READ_FAILED;
  if (object->kind == HAS_CHANGED) return MOVTOOL_READ_CHANGED;
  if (object->kind == TOO_MANY) return (int64_t)count + 1;
  if (object->kind == TOO_FEW) return 0;
  if (object->kind == ONE_BYTE_AT_A_TIME && count > 1) count = 1;
  if (object->kind == OTHER_BYTES) {
    memset(buffer, 0xA5, count);
  } else {
    memcpy(buffer, object->contents.start + offset, count);
  }
  return (int64_t)count;
}

static void release_object(void *context) { ((object *)context)->releases++; }

static movtool_source *make_source(object *object) {
  movtool_reader reader = {sizeof reader, object, read_object, release_object};
  movtool_source *source = NULL;
  CHECK(movtool_source_create(&reader, object->contents.count, "tag 1", &source, NULL) == 0 && source != NULL);
  return source;
}

static movtool_host host_of(const movtool_input *inputs, size_t count) {
  movtool_host host;
  memset(&host, 0, sizeof host);
  host.struct_size = sizeof host;
  host.inputs = inputs;
  host.input_count = count;
  return host;
}

static void test_run(void) {
  const char *inspect[] = {"inspect", movie_path, NULL}, *missing[] = {"inspect", "missing.mov", NULL};
  const char *unknown[] = {"inspekt", NULL}, *option[] = {"inspect", "--colour", movie_path, NULL};
  const char *text[] = {"extract", "missing.mov", "--format", "json", "-o", "-", NULL};
  const char *help[] = {"help", "inspect", NULL}, *shell[] = {"completions", "csh", NULL};
  const char *input[] = {"add-subtitle", movie_path, "-", NULL}, *output[] = {"remux", movie_path, "-o", "-", NULL};
  movtool_result *result = run(inspect, NULL, 0, 0);
  CHECK(strstr(result->answer, "\"command\":\"inspect\"") != NULL);
  movtool_result_free(result);
  result = run(missing, NULL, 66, MOVTOOL_ERROR_NO_INPUT);
  CHECK(strstr(result->error_message, "missing.mov") == result->error_message);
  CHECK(strstr(result->error_json, "{\"code\":\"no-input\",\"exitCode\":66,") == result->error_json);
  movtool_result_free(result);
  expect(unknown, NULL, 64, MOVTOOL_ERROR_UNKNOWN_COMMAND);
  expect(option, NULL, 64, MOVTOOL_ERROR_UNKNOWN_OPTION);
  expect(text, NULL, 64, MOVTOOL_ERROR_NOT_SUPPORTED);
  expect(help, NULL, 0, 0);
  expect(shell, NULL, 64, MOVTOOL_ERROR_INVALID_VALUE);
  expect(input, NULL, 66, MOVTOOL_ERROR_NO_INPUT);
  expect(output, NULL, 64, MOVTOOL_ERROR_NOT_SUPPORTED);
  CHECK(movtool_run(inspect, 2, NULL, NULL) == 0);
  CHECK(movtool_abi() == MOVTOOL_ABI && strchr(movtool_version(), '.') != NULL);
  CHECK(strcmp(movtool_error_name(MOVTOOL_ERROR_MALFORMED), "malformed") == 0);
  CHECK(movtool_error_name(-1) == NULL && movtool_error_name(MOVTOOL_ERROR_OTHER) == NULL);
}

static void test_bad_words(void) {
  size_t million = 1 << 20;
  char *longest = malloc(million + 1);
  const char *words[] = {"inspect", longest, NULL}, *invalid[] = {"inspect", "\xFF\xFE.mov", NULL};
  const char *name[] = {longest, NULL}, *option[] = {"set", movie_path, "--title", longest, NULL};
  const char *null[] = {"inspect", NULL, movie_path};
  movtool_host host = host_of(NULL, 0);
  movtool_input input = {"film.mov", NULL};
  movtool_source *source = NULL;
  memset(longest, 'x', million);
  longest[million] = 0;
  expect(words, NULL, 74, MOVTOOL_ERROR_INPUT_OUTPUT);
  expect(name, NULL, 64, MOVTOOL_ERROR_UNKNOWN_COMMAND);
  CHECK(movtool_run(option, 4, NULL, NULL) != 0);
  expect(invalid, NULL, 64, MOVTOOL_ERROR_INVALID_VALUE);
  CHECK(movtool_run(null, 3, NULL, NULL) == 64);
  CHECK(movtool_run(NULL, 3, NULL, NULL) == 64 && movtool_run(words, 0, NULL, NULL) == 64);
  host.struct_size = 1;
  CHECK(movtool_run(words, 2, &host, NULL) == 64);
  host = host_of(NULL, 1);
  CHECK(movtool_run(words, 2, &host, NULL) == 64);
  host = host_of(&input, 1);
  CHECK(movtool_run(words, 2, &host, NULL) == 64);
  host.input_count = SIZE_MAX;
  CHECK(movtool_run(words, 2, &host, NULL) == 64 && movtool_run(words, SIZE_MAX, NULL, NULL) == 64);
  CHECK(movtool_source_from_bytes("x", SIZE_MAX, &source, NULL) == 64 && source == NULL);
  free(longest);
}

static void test_null(void) {
  movtool_source *source = NULL;
  movtool_edit *edit = NULL;
  movtool_plan *plan = NULL;
  movtool_result *result = NULL;
  movtool_reader reader = {sizeof reader, NULL, NULL, NULL};
  object object = {{NULL, 0}, HONEST, 0};
  const char *words[] = {"inspect", "film.mov"};
  char buffer[8];
  size_t count = 1;
  CHECK(movtool_source_open(NULL, &source, &result) == 64 && source == NULL);
  CHECK(result->error == MOVTOOL_ERROR_INVALID_VALUE && strstr(result->answer, "path is NULL") != NULL);
  movtool_result_free(result);
  CHECK(movtool_source_open(movie_path, NULL, NULL) == 64);
  CHECK(movtool_source_open("missing.mov", &source, NULL) == 66);
  CHECK(movtool_source_from_bytes(NULL, 1, &source, NULL) == 64);
  CHECK(movtool_source_from_bytes(NULL, 0, NULL, NULL) == 64);
  CHECK(movtool_source_create(NULL, 1, "tag", &source, NULL) == 64);
  CHECK(movtool_source_create(&reader, 1, "tag", &source, NULL) == 64);
  reader.read_at = read_object;
  reader.release = release_object;
  reader.context = &object;
  CHECK(movtool_source_create(&reader, 1, NULL, &source, NULL) == 64 && object.releases == 1);
  CHECK(movtool_source_create(&reader, 1, "tag", NULL, NULL) == 64 && object.releases == 2);
  CHECK(movtool_edit_create("film.mov", NULL, &edit, NULL) == 64);
  CHECK(movtool_edit_apply(NULL, words, 2, NULL, &plan, NULL) == 64 && plan == NULL);
  CHECK(movtool_plan_size(NULL) == 0 && movtool_plan_parts(NULL, 1, 2, 10, NULL) == 64);
  CHECK(movtool_plan_read(NULL, 0, buffer, 8, &count, NULL) == 64 && count == 0);
  CHECK(movtool_plan_read(NULL, 0, buffer, 8, NULL, NULL) == 64);
  CHECK(movtool_plan_write(NULL, "x.mov", 0, NULL, NULL) == 64 && movtool_plan_write(NULL, NULL, 0, NULL, NULL) == 64);
  CHECK(movtool_plan_send(NULL, NULL, NULL) == 64);
  CHECK(movtool_source_from_bytes(NULL, 0, &source, NULL) == 0);
  CHECK(movtool_edit_create(NULL, source, &edit, NULL) == 64);
  CHECK(movtool_edit_create("film.mov", source, NULL, NULL) == 64);
  CHECK(movtool_edit_create("", source, &edit, NULL) == 64 && edit == NULL);
  CHECK(movtool_edit_create("film.mov", source, &edit, NULL) == 0);
  CHECK(movtool_edit_apply(edit, NULL, 2, NULL, NULL, NULL) == 64);
  CHECK(movtool_edit_apply(edit, words, 2, NULL, NULL, &result) == 64);
  CHECK(strstr(result->answer, "inspect is not a command that edits") != NULL);
  movtool_result_free(result);
  movtool_edit_free(edit);
  movtool_source_free(source);
  movtool_source_free(NULL);
  movtool_edit_free(NULL);
  movtool_plan_free(NULL);
  movtool_result_free(NULL);
}

static void test_lies(void) {
  static const struct {
    int kind, code, error;
  } cases[] = {
      {HONEST, 0, 0},
      {ONE_BYTE_AT_A_TIME, 0, 0},
      {TOO_FEW, 74, MOVTOOL_ERROR_SOURCE_CHANGED},
      {TOO_MANY, 74, MOVTOOL_ERROR_INPUT_OUTPUT},
      {OTHER_BYTES, 65, MOVTOOL_ERROR_NOT_A_MOVIE},
      {FAILS, 74, MOVTOOL_ERROR_INPUT_OUTPUT},
      {HAS_CHANGED, 74, MOVTOOL_ERROR_SOURCE_CHANGED},
  };
  const char *words[] = {"inspect", "film.mov", NULL};
  size_t index;
  for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
    object object = {read_file(movie_path), HONEST, 0};
    movtool_source *source = make_source(&object);
    movtool_input input = {"film.mov", source};
    movtool_host host = host_of(&input, 1);
    movtool_result *result;
    object.kind = cases[index].kind;
    result = run(words, &host, cases[index].code, cases[index].error);
    CHECK(result->is_transient == (cases[index].error == MOVTOOL_ERROR_SOURCE_CHANGED));
    movtool_result_free(result);
    CHECK(object.releases == 0);
    movtool_source_free(source);
    CHECK(object.releases == 1);
    free(object.contents.start);
  }
}

/* Stops a command after some reads of a slow object, which returns a byte at a time. */
typedef struct reads {
  object object;
  int count, limit;
} reads;

static int64_t read_slowly(void *context, uint64_t offset, void *buffer, size_t count) {
  reads *reads = context;
  reads->count++;
  return read_object(&reads->object, offset, buffer, count);
}

static int32_t is_read(void *context) { return ((reads *)context)->count >= ((reads *)context)->limit; }

static void test_stop(void) {
  reads reads = {{read_file(movie_path), ONE_BYTE_AT_A_TIME, 0}, 0, 20};
  movtool_reader reader = {sizeof reader, &reads, read_slowly, NULL};
  const char *inspect[] = {"inspect", "film.mov", NULL};
  const char *set[] = {"set", "film.mov", "--track", "audio:1", "--title", "X"};
  movtool_source *source = NULL;
  movtool_edit *edit = NULL;
  movtool_plan *plan = NULL;
  movtool_input input = {"film.mov", NULL};
  movtool_host host;
  char first[8];
  size_t count = 0;
  CHECK(movtool_source_create(&reader, reads.object.contents.count, "tag 1", &source, NULL) == 0);
  input.source = source;
  host = host_of(&input, 1);
  host.context = &reads;
  host.is_stopped = is_read;
  expect(inspect, &host, 130, MOVTOOL_ERROR_INTERRUPTED);
  CHECK(reads.count == 20);
  CHECK(movtool_edit_create("film.mov", source, &edit, NULL) == 0);
  host.inputs = NULL;
  host.input_count = 0;
  reads.limit = 40;
  CHECK(movtool_edit_apply(edit, set, 6, &host, &plan, NULL) == 130 && plan == NULL && reads.count == 40);
  /* A plan does not call is_stopped of the command that made it. */
  reads.limit = 1 << 30;
  CHECK(movtool_edit_apply(edit, set, 6, &host, &plan, NULL) == 0 && plan != NULL);
  reads.limit = 0;
  CHECK(movtool_plan_read(plan, 0, first, 8, &count, NULL) == 0 && count == 8);
  movtool_plan_free(plan);
  movtool_edit_free(edit);
  movtool_source_free(source);
  free(reads.object.contents.start);
}

static int32_t refuse(void *context, const void *start, size_t count) {
  (void)context, (void)start, (void)count;
  return 7;
}

static int32_t stop(void *context) {
  (void)context;
  return 1;
}

/* Uses the edit of the running command. */
typedef struct intruder {
  movtool_edit *edit;
  int code;
} intruder;

static int32_t intrude(void *context) {
  intruder *intruder = context;
  const char *words[] = {"set", "film.mov", "--track", "audio:1", "--title", "X"};
  intruder->code = movtool_edit_apply(intruder->edit, words, 6, NULL, NULL, NULL);
  return 0;
}

static void test_edit(void) {
  object object = {read_file(movie_path), HONEST, 0};
  bytes text = read_file(subtitle_path), sent = {NULL, 0}, direct = {NULL, 0}, written;
  movtool_source *source = make_source(&object), *subtitles = NULL;
  movtool_edit *edit = NULL;
  movtool_plan *plan = NULL, *none = NULL;
  movtool_result *result = NULL;
  const char *set[] = {"set", "film.mov", "--track", "audio:1", "--title", "Original"};
  const char *add[] = {"add-subtitle", "film.mov", "film.en.srt", "--sdh"};
  const char *other[] = {"set", "other.mov", "--track", "audio:1", "--title", "Original"};
  const char *output[] = {"set", "film.mov", "--track", "audio:1", "--title", "X", "-o", "x.mov"};
  const char *whole[] = {"add-subtitle", "film.mov", "film.en.srt", "--sdh", "-o", "-", NULL};
  const char *inspect[] = {"inspect", "film.mov", NULL};
  char path[4096], *part;
  size_t count = 0;
  movtool_input inputs[2];
  movtool_host host;
  intruder intruder = {NULL, 0};
  CHECK(movtool_source_from_bytes(text.start, text.count, &subtitles, NULL) == 0);
  CHECK(movtool_edit_create("film.mov", source, &edit, NULL) == 0);
  inputs[0].name = "film.en.srt";
  inputs[0].source = subtitles;
  host = host_of(inputs, 1);
  CHECK(movtool_edit_apply(edit, set, 6, NULL, NULL, NULL) == 0);
  CHECK(movtool_edit_apply(edit, other, 6, NULL, &none, NULL) == 64 && none == NULL);
  CHECK(movtool_edit_apply(edit, output, 8, NULL, &none, NULL) == 64 && none == NULL);
  host.is_stopped = intrude;
  host.context = &intruder;
  intruder.edit = edit;
  CHECK(movtool_edit_apply(edit, add, 4, &host, &plan, &result) == 0 && plan != NULL);
  CHECK(intruder.code == 64);
  CHECK(strstr(result->answer, "\"isDryRun\":true") != NULL && strstr(result->answer, "\"isSDH\":true") != NULL);
  movtool_result_free(result);
  movtool_edit_free(edit);
  movtool_source_free(source);
  movtool_source_free(subtitles);
  CHECK(object.releases == 0);

  /* The plan outlives its edit and its sources. Sent, written and read bytes are equal. */
  host = host_of(NULL, 0);
  host.context = &sent;
  host.receive_output = append;
  CHECK(movtool_plan_send(plan, &host, NULL) == 0 && sent.count == movtool_plan_size(plan));
  snprintf(path, sizeof path, "%s/planned.mov", folder);
  CHECK(movtool_plan_write(plan, path, 0, NULL, NULL) == 0);
  CHECK(movtool_plan_write(plan, path, 0, NULL, &result) == 73 && result->error == MOVTOOL_ERROR_EXISTS);
  movtool_result_free(result);
  CHECK(movtool_plan_write(plan, path, 1, NULL, NULL) == 0);
  written = read_file(path);
  CHECK(written.count == sent.count && memcmp(written.start, sent.start, sent.count) == 0);
  part = malloc(sent.count);
  CHECK(movtool_plan_read(plan, 100, part, sent.count, &count, NULL) == 0 && count == sent.count - 100);
  CHECK(memcmp(part, sent.start + 100, count) == 0);
  CHECK(movtool_plan_read(plan, UINT64_MAX, part, 10, &count, NULL) == 0 && count == 0);
  CHECK(movtool_plan_read(plan, 0, NULL, 10, &count, NULL) == 64);
  CHECK(movtool_plan_parts(plan, 1000, 100000, 10000, &result) == 0);
  CHECK(strstr(result->answer, "\"tag\":\"tag 1\"") != NULL && strstr(result->answer, "\"sourceOffset\":") != NULL);
  movtool_result_free(result);
  CHECK(movtool_plan_parts(plan, 0, 10, 9, NULL) == 64 && movtool_plan_parts(plan, 10, 19, 9, NULL) == 64 &&
        movtool_plan_parts(plan, 10, 20, 0, NULL) == 64);
  host.receive_output = refuse;
  CHECK(movtool_plan_send(plan, &host, &result) == 74 && result->error == MOVTOOL_ERROR_INPUT_OUTPUT);
  CHECK(strstr(result->error_message, "receive_output returned 7") != NULL);
  movtool_result_free(result);
  host.is_stopped = stop;
  snprintf(path, sizeof path, "%s/stopped.mov", folder);
  CHECK(movtool_plan_write(plan, path, 0, &host, &result) == 130 && result->error == MOVTOOL_ERROR_INTERRUPTED);
  movtool_result_free(result);
  CHECK(access(path, F_OK) != 0);
  object.kind = HAS_CHANGED;
  CHECK(movtool_plan_read(plan, 0, part, sent.count, &count, &result) == 74);
  CHECK(result->error == MOVTOOL_ERROR_SOURCE_CHANGED && result->is_transient == 1);
  movtool_result_free(result);
  object.kind = HONEST;
  movtool_plan_free(plan);
  CHECK(object.releases == 1);

  /* The same edit through movtool_run, without the title: the movies differ only in the title. */
  CHECK(movtool_source_from_bytes(object.contents.start, object.contents.count, &source, NULL) == 0);
  CHECK(movtool_source_from_bytes(text.start, text.count, &subtitles, NULL) == 0);
  inputs[0].name = "film.mov";
  inputs[0].source = source;
  inputs[1].name = "film.en.srt";
  inputs[1].source = subtitles;
  host = host_of(inputs, 2);
  host.context = &direct;
  host.receive_output = append;
  movtool_result_free(run(whole, &host, 0, 0));
  host.receive_output = refuse;
  expect(whole, &host, 74, MOVTOOL_ERROR_INPUT_OUTPUT);
  host.receive_output = append;
  host.is_stopped = stop;
  expect(whole, &host, 130, MOVTOOL_ERROR_INTERRUPTED);
  movtool_source_free(source);
  movtool_source_free(subtitles);
  CHECK(movtool_source_from_bytes(sent.start, sent.count, &source, NULL) == 0);
  inputs[0].source = source;
  host = host_of(inputs, 1);
  result = run(inspect, &host, 0, 0);
  CHECK(strstr(result->answer, "\"title\":\"Original\"") != NULL && strstr(result->answer, "\"isSDH\":true") != NULL);
  movtool_result_free(result);
  movtool_source_free(source);
  free(part), free(sent.start), free(direct.start), free(written.start), free(text.start), free(object.contents.start);
}

static void *use_source(void *context) {
  const char *words[] = {"validate", "film.mov", NULL}, *inspect[] = {"inspect", "film.mov", NULL};
  movtool_input input = {"film.mov", context};
  movtool_host host = host_of(&input, 1);
  int index;
  for (index = 0; index < 5; index++) {
    movtool_run(words, 2, &host, NULL);
    expect(inspect, &host, 0, 0);
  }
  return NULL;
}

static void test_threads_and_children(void) {
  object object = {read_file(movie_path), HONEST, 0};
  movtool_source *source = make_source(&object);
  pthread_t threads[8];
  pid_t child;
  int index, status = 0;
  for (index = 0; index < 8; index++) CHECK(pthread_create(&threads[index], NULL, use_source, source) == 0);
  for (index = 0; index < 8; index++) pthread_join(threads[index], NULL);
  child = fork();
  if (child == 0) {
    use_source(source);
    _exit(failures > 0);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  movtool_source_free(source);
  free(object.contents.start);
}

static int print_errors(char **paths) {
  for (; *paths != NULL; paths++) {
    const char *words[] = {"inspect", *paths};
    movtool_result *result = NULL;
    movtool_run(words, 2, NULL, &result);
    printf("%d\t%s\t%s\n", (int)result->exit_code, result->error == 0 ? "" : movtool_error_name(result->error),
           result->error_json == NULL ? "null" : result->error_json);
    movtool_result_free(result);
  }
  return 0;
}

int main(int count, char **arguments) {
  if (count > 2 && strcmp(arguments[1], "--errors") == 0) return print_errors(arguments + 2);
  if (count != 4) return 64;
  movie_path = arguments[1];
  subtitle_path = arguments[2];
  folder = arguments[3];
  test_run();
  test_bad_words();
  test_null();
  test_lies();
  test_edit();
  test_stop();
  test_threads_and_children();
  if (failures == 0) printf("libmovtool %s: all tests passed\n", movtool_version());
  return failures > 0;
}

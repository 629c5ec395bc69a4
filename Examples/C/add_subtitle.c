/* Adds a subtitle file to a movie, and prints the answer of the library or its error.
 *
 *   cc add_subtitle.c $(pkg-config --cflags --libs movtool) -o add_subtitle
 *   ./add_subtitle film.mov film.en.srt film-with-subtitles.mov
 */
#include <movtool.h>
#include <stdio.h>

/* Prints the share of the movie that is written. The messages are lines of "--progress json". */
static void print_progress(void *context, const char *text, size_t count) {
  (void)context;
  fprintf(stderr, "%.*s", (int)count, text);
}

/* Prints the error of a result, if it has one. Returns the exit code of the result. */
static int finish(movtool_result *result) {
  int code = (int)result->exit_code;
  if (result->error_message != NULL) {
    fprintf(stderr, "%s\n", result->error_message);
    fprintf(stderr, "error %d (%s)%s\n", (int)result->error, movtool_error_name(result->error),
            result->is_transient ? ", try again" : "");
  } else {
    fprintf(stderr, "%s", result->messages);
  }
  movtool_result_free(result);
  return code;
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: add_subtitle MOVIE SUBTITLES OUTPUT\n");
    return 64;
  }
  /* Any command works in this way: the words are the words after movtool in a command line. */
  const char *words[] = {"add-subtitle", arguments[1], arguments[2], "-o", arguments[3], "--progress", "json"};
  movtool_host host = {0};
  movtool_result *result = NULL;
  host.struct_size = sizeof host;
  host.receive_message = print_progress;
  if (movtool_run(words, sizeof words / sizeof words[0], &host, &result) != 0) return finish(result);
  printf("%s\n", result->answer);
  movtool_result_free(result);

  /* A source can also be memory or callbacks. Its name represents it in the command line. */
  movtool_source *source = NULL;
  if (movtool_source_open(arguments[3], &source, &result) != 0) return finish(result);
  movtool_result_free(result);
  const char *inspect[] = {"inspect", "output"};
  movtool_input input = {"output", source};
  movtool_host reader = {0};
  reader.struct_size = sizeof reader;
  reader.inputs = &input;
  reader.input_count = 1;
  if (movtool_run(inspect, 2, &reader, &result) == 0) printf("%s\n", result->answer);
  movtool_source_free(source);
  return finish(result);
}

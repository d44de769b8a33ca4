// command.h - what a command of `diorama` is. main.c lists the commands; each is defined at the end
// of its file.
#ifndef DIORAMA_TOOLS_CLI_COMMAND_H
#define DIORAMA_TOOLS_CLI_COMMAND_H

#include "proto/base/error.h"
#include "tools/cli/options.h"

// How a command ends: name, exit code, sentence. --help of every command prints them.
// clang-format off
#define OUTCOMES(X)                                                                          \
    X(OUTCOME_DONE,            0, "Done; also when --count, --for or a signal ended watch, events or listen.") \
    X(OUTCOME_FAILED,          1, "The server refused, or disagrees; err_code and reason are shown.") \
    X(OUTCOME_USAGE,           2, "An argument is unknown, missing or wrong.")                \
    X(OUTCOME_UNREACHABLE,     3, "The server cannot be reached, or cannot do it now (503).") \
    X(OUTCOME_UNAUTHENTICATED, 4, "Authentication is required: diorama login.")                 \
    X(OUTCOME_FILE,            5, "A file cannot be read or written.")                        \
    X(OUTCOME_INTERRUPTED,     6, "A signal came before the work was complete.")
// clang-format on

enum outcome {
#define X(name, code, about) name = code,
    OUTCOMES(X)
#undef X
};

struct command {
    const char *name;
    const char *about;    // one sentence for the list of commands
    const char *more;     // paragraphs for --help, or NULL
    const char *examples; // command lines without the word diorama, one a line; or NULL
    const struct option_row *options;
    size_t option_count;
    size_t values_size; // of the struct that the options fill
    enum outcome (*run)(const void *values);
};

// Prints to standard error what went wrong, as noted by `fail`, and returns `outcome`:
// `return command_failed("watch", error, OUTCOME_FAILED);` "" is the program itself.
enum outcome command_failed(const char *command, enum error error, enum outcome outcome);

// The same for a failed request: the error decides if the outcome is unreachable, unauthenticated
// or failed.
enum outcome command_refused(const char *command, enum error error);

// Reads the command's arguments and runs it; `--help` prints its help.
enum outcome command_run(const struct command *command, int argc, char *const *argv);

struct nearest;

// Says on standard error that `scope` ("diorama scene") has no `kind` ("verb") of this name, which
// one may have been meant, and where the names stand.
void command_unknown(const char *scope, const char *kind, const struct nearest *nearest);

// A line that begins a part of a help, bold on a terminal.
void command_heading(const char *text, FILE *out);

// The examples of a command or a noun under a heading, one a line; NULL = there are none.
void command_examples(const char *examples, FILE *out);

// Prints the help of the command.
void command_help(const struct command *command, FILE *out);

extern const struct command watch_command;
extern const struct command events_command;
extern const struct command top_command;
extern const struct command trace_command;
extern const struct command keygen_command;
extern const struct command replay_command;
extern const struct command listen_command;
extern const struct command alignment_command;
extern const struct command audit_command;
extern const struct command health_command;
extern const struct command export_command;
extern const struct command import_command;
extern const struct command bench_command;
extern const struct command demo_command;
extern const struct command login_command;
extern const struct command logout_command;
extern const struct command completion_command;
extern const struct command man_command;

#endif

// command.c - reads the arguments of a command, prints its help and reports its failure.
#include "tools/cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "tools/cli/nearest.h"
#include "tools/cli/style.h"
#include "tools/cli/terminal_text.h"

enum outcome
command_failed(const char *command, enum error error, enum outcome outcome)
{
    struct fault fault;
    owned(buffer_finish) struct buffer detail = {0};
    fault_take(error, &fault);
    terminal_text_put(&detail, fault.detail);
    fprintf(stderr, "%sdiorama%s%s:%s %s\n", style_begin(stderr, STYLE_RED), *command ? " " : "",
            command, style_end(stderr), detail.data);
    return outcome;
}

enum outcome
command_refused(const char *command, enum error error)
{
    enum outcome outcome = OUTCOME_FAILED;
    if (error == ERR_UNAVAILABLE)
        outcome = OUTCOME_UNREACHABLE;
    if (error == ERR_UNAUTHENTICATED)
        outcome = OUTCOME_UNAUTHENTICATED;
    return command_failed(command, error, outcome);
}

void
command_unknown(const char *scope, const char *kind, const struct nearest *nearest)
{
    owned(buffer_finish) struct buffer word = {0};
    terminal_text_put(&word, nearest->word);
    fprintf(stderr, "%s%s:%s there is no %s %s", style_begin(stderr, STYLE_RED), scope,
            style_end(stderr), kind, word.data);
    if (nearest->best)
        fprintf(stderr, "; did you mean %s?", nearest->best);
    fprintf(stderr, "\n%s --help lists them.\n", scope);
}

void
command_heading(const char *text, FILE *out)
{
    fprintf(out, "%s%s%s\n", style_begin(out, STYLE_BOLD), text, style_end(out));
}

// The usage of a command: its operands, and that it takes options.
static void
print_usage(const struct command *command, FILE *out)
{
    fprintf(out, "Usage: diorama %s", command->name);
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option_row *row = &command->options[i];
        if (row->is_operand)
            fprintf(out, row->preset ? " [%s]%s" : " %s%s", row->name,
                    row->type == OPTION_TEXTS ? "..." : "");
    }
    fputs(" [OPTION]...\n\n", out);
}

static void
print_outcomes(FILE *out)
{
    command_heading("\nExit codes:", out);
#define X(name, code, about) fprintf(out, "  %d  %s\n", code, about);
    OUTCOMES(X)
#undef X
}

void
command_examples(const char *examples, FILE *out)
{
    if (!examples)
        return;
    command_heading("\nExamples:", out);
    for (const char *line = examples; *line;) {
        size_t size = strcspn(line, "\n");
        fprintf(out, "  diorama %.*s\n", (int)size, line);
        line += size + (line[size] == '\n');
    }
}

void
command_help(const struct command *command, FILE *out)
{
    fprintf(out, "%sdiorama %s%s - %s\n\n", style_begin(out, STYLE_BOLD), command->name,
            style_end(out), command->about);
    print_usage(command, out);
    options_help(command->options, command->option_count, out);
    if (command->more)
        fprintf(out, "\n%s", command->more);
    command_examples(command->examples, out);
    print_outcomes(out);
}

enum outcome
command_run(const struct command *command, int argc, char *const *argv)
{
    if (options_ask_help(argc, argv)) {
        command_help(command, stdout);
        return OUTCOME_DONE;
    }
    void *values = memory_take_zeroed(command->values_size);
    enum error error = options_parse(command->options, command->option_count, argc, argv, values);
    enum outcome outcome =
        error == OK ? command->run(values) : command_failed(command->name, error, OUTCOME_USAGE);
    free(values);
    return outcome;
}

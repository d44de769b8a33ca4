// command.c - reads the arguments of a command, prints its help and reports its failure.
#include "tools/cli/command.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "tools/cli/terminal_text.h"

enum outcome
command_failed(const char *command, enum error error, enum outcome outcome)
{
    struct fault fault;
    owned(buffer_finish) struct buffer detail = {0};
    fault_take(error, &fault);
    terminal_text_put(&detail, fault.detail);
    fprintf(stderr, "diorama %s: %s\n", command, detail.data);
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

static void
print_outcomes(FILE *out)
{
    fputs("\nExit codes:\n", out);
#define X(name, code, about) fprintf(out, "  %d  %s\n", code, about);
    OUTCOMES(X)
#undef X
}

void
command_help(const struct command *command, FILE *out)
{
    fprintf(out, "diorama %s - %s\n\nUsage: diorama %s", command->name, command->about,
            command->name);
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option_row *row = &command->options[i];
        if (row->is_operand)
            fprintf(out, row->preset ? " [%s]%s" : " %s%s", row->name,
                    row->type == OPTION_TEXTS ? "..." : "");
    }
    fputs(" [OPTION]...\n\n", out);
    options_help(command->options, command->option_count, out);
    if (command->more)
        fprintf(out, "\n%s", command->more);
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

// main.c - `diorama`, the client program: a table of commands, one file each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "tools/cli/command.h"

static const struct command *const commands[] = {
    &watch_command,
    &replay_command,
    &listen_command,
    &health_command,
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void
print_outcomes(FILE *out)
{
    fputs("\nExit codes:\n", out);
#define X(name, code, about) fprintf(out, "  %d  %s\n", code, about);
    OUTCOMES(X)
#undef X
}

static void
print_help(FILE *out)
{
    fputs("diorama - client of the Diorama spatial scene server\n\n"
          "Usage: diorama COMMAND [OPTION]...\n\nCommands:\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s  %s\n", commands[i]->name, commands[i]->about);
    fputs("\ndiorama COMMAND --help says more of one; diorama --version says which this is.\n",
          out);
}

static void
print_command_help(const struct command *command, FILE *out)
{
    fprintf(out, "diorama %s - %s\n\nUsage: diorama %s", command->name, command->about,
            command->name);
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].is_operand)
            fprintf(out, " %s", command->options[i].name);
    fputs(" [OPTION]...\n\n", out);
    options_help(command->options, command->option_count, out);
    if (command->more)
        fprintf(out, "\n%s", command->more);
    print_outcomes(out);
}

static enum outcome
run(const struct command *command, int argc, char *const *argv)
{
    if (options_ask_help(argc, argv)) {
        print_command_help(command, stdout);
        return OUTCOME_DONE;
    }
    void *values = memory_take_zeroed(command->values_size);
    enum error error = options_parse(command->options, command->option_count, argc, argv, values);
    enum outcome outcome =
        error == OK ? command->run(values) : command_failed(command->name, error, OUTCOME_USAGE);
    free(values);
    return outcome;
}

int
main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return (int)run(commands[i], argc - 2, argv + 2);
    if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return OUTCOME_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        puts("diorama " DIORAMA_VERSION);
        return OUTCOME_DONE;
    }
    if (name[0])
        fprintf(stderr, "diorama: there is no command %s\n\n", name);
    print_help(stderr);
    return OUTCOME_USAGE;
}

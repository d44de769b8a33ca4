// main.c - `diorama`, the client program: its list of commands, and nouns with their verbs.
#include <stdio.h>
#include <string.h>

#include "proto/base/version.h"
#include "tools/cli/ask.h"
#include "tools/cli/command.h"
#include "tools/cli/verbs.h"

static const struct command *const commands[] = {
    &demo_command,   &watch_command,  &replay_command, &listen_command, &bench_command,
    &health_command, &login_command,  &logout_command, &keygen_command, &alignment_command,
    &audit_command,  &export_command, &import_command,
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void
print_help(FILE *out)
{
    fputs("diorama - client of the Diorama spatial scene server\n\n"
          "Usage: diorama COMMAND [OPTION]...\n"
          "       diorama NOUN VERB [ARGUMENT]... [OPTION]...\n\nCommands:\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-12s  %s\n", commands[i]->name, commands[i]->about);
    fputs("\nNouns:\n", out);
    for (size_t i = 0; i < nouns_count; i++)
        fprintf(out, "  %-12s  %s\n", nouns[i]->name, nouns[i]->about);
    fputs("\ndiorama COMMAND --help, NOUN --help and NOUN VERB --help show details;\n"
          "diorama --version shows the version.\n",
          out);
}

static enum outcome
run(int argc, char *const *argv)
{
    const struct noun *noun = noun_find(argv[0]);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[0], commands[i]->name) == 0)
            return command_run(commands[i], argc - 1, argv + 1);
    if (noun)
        return ask_run(noun, argc - 1, argv + 1);
    fprintf(stderr, "diorama: there is no command %s\n\n", argv[0]);
    print_help(stderr);
    return OUTCOME_USAGE;
}

// `diorama help NOUN VERB` is `diorama NOUN VERB --help`; each word may be missing.
static enum outcome
help(int argc, char **argv)
{
    char option[] = "--help";
    char *words[] = {argc > 0 ? argv[0] : NULL, argc > 1 ? argv[1] : option, option};
    if (argc > 0)
        return run(argc > 1 ? 3 : 2, words);
    print_help(stdout);
    return OUTCOME_DONE;
}

int
main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0) {
        printf("diorama %s\n", version_text());
        return OUTCOME_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0)
        return (int)help(argc - 2, argv + 2);
    if (name[0])
        return (int)run(argc - 1, argv + 1);
    print_help(stderr);
    return OUTCOME_USAGE;
}

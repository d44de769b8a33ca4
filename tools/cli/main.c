// main.c - `diorama`, the client program: finds the command or the noun that its arguments name.
#include <stdio.h>
#include <string.h>

#include "proto/base/version.h"
#include "tools/cli/arguments.h"
#include "tools/cli/ask.h"
#include "tools/cli/command_list.h"
#include "tools/cli/command_table.h"
#include "tools/cli/nearest.h"
#include "tools/cli/style.h"

static void
print_help(FILE *out)
{
    fprintf(out,
            "%sdiorama%s - client of the Diorama spatial scene server\n\n"
            "Usage: diorama COMMAND [OPTION]...\n"
            "       diorama NOUN VERB [ARGUMENT]... [OPTION]...\n",
            style_begin(out, STYLE_BOLD), style_end(out));
    command_heading("\nCommands:", out);
    for (size_t i = 0; i < command_list_count(); i++)
        fprintf(out, "  %-12s  %s\n", command_list_item(i)->name, command_list_item(i)->about);
    command_heading("\nNouns:", out);
    for (size_t i = 0; i < nouns_count; i++)
        fprintf(out, "  %-12s  %s\n", nouns[i]->name, nouns[i]->about);
    command_heading("\nOptions of all that ask a server; they may stand anywhere:", out);
    fputs("  --url=URL       The server's HTTP interface [DIORAMA_URL, the profile's, "
          "http://127.0.0.1:8080].\n"
          "  --profile=NAME  Profile to use [DIORAMA_PROFILE, the current one].\n"
          "  -h, --help      Show details of a COMMAND, a NOUN or a NOUN VERB.\n"
          "  --version       Show the version.\n",
          out);
    command_heading("\nExamples:", out);
    fputs("  diorama demo\n"
          "  diorama scene create key=plaza name=Plaza\n"
          "  diorama object list plaza --url=http://192.168.1.5:8080\n",
          out);
}

// How many words a command has that begins with this one: a noun has a verb.
static int
words_of(const char *first)
{
    return noun_find(first) ? 2 : 1;
}

static enum outcome
refuse_word(const char *word)
{
    struct nearest nearest = {.word = word};
    for (size_t i = 0; i < command_list_count(); i++)
        nearest_try(&nearest, command_list_item(i)->name);
    for (size_t i = 0; i < nouns_count; i++)
        nearest_try(&nearest, nouns[i]->name);
    command_unknown("diorama", "command", &nearest);
    return OUTCOME_USAGE;
}

static enum outcome
run(int argc, char *const *argv)
{
    const struct noun *noun = noun_find(argv[0]);
    const struct command *command = command_list_find(argv[0]);
    if (command)
        return command_run(command, argc - 1, argv + 1);
    if (noun)
        return ask_run(noun, argc - 1, argv + 1);
    return refuse_word(argv[0]);
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
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("diorama %s\n", version_text());
        return OUTCOME_DONE;
    }
    command_table_install();
    enum error error = argc > 1 ? arguments_arrange(argc - 1, argv + 1, words_of) : OK;
    if (error != OK)
        return (int)command_failed("", error, OUTCOME_USAGE);
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return (int)help(0, NULL);
    if (strcmp(name, "help") == 0)
        return (int)help(argc - 2, argv + 2);
    if (name[0] && name[0] != '-')
        return (int)run(argc - 1, argv + 1);
    print_help(stderr);
    return OUTCOME_USAGE;
}

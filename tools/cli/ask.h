// ask.h - runs a row of the table of verbs: arguments to request, answer to output.
#ifndef DIORAMA_TOOLS_CLI_ASK_H
#define DIORAMA_TOOLS_CLI_ASK_H

#include <stdio.h>

#include "tools/cli/verbs.h"

// Gets one command after the other; each is good for the call only.
typedef void command_visitor(void *context, const struct command *command);

// Calls `visit` once, with the verb as a command: its name is "NOUN VERB".
void ask_describe(const struct verb *verb, command_visitor *visit, void *context);

// Runs `diorama NOUN …`; `argv` begins after the noun.
enum outcome ask_run(const struct noun *noun, int argc, char *const *argv);

// Prints the verbs of the noun, one a line.
void ask_help(const struct noun *noun, FILE *out);

#endif

// ask.h - runs a row of the table of verbs: arguments to request, answer to output.
#ifndef DIORAMA_TOOLS_CLI_ASK_H
#define DIORAMA_TOOLS_CLI_ASK_H

#include <stdio.h>

#include "tools/cli/verbs.h"

// Runs `diorama NOUN …`; `argv` begins after the noun.
enum outcome ask_run(const struct noun *noun, int argc, char *const *argv);

// Prints the verbs of the noun, one a line.
void ask_help(const struct noun *noun, FILE *out);

#endif

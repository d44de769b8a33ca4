// arguments.h - lets the options that all commands share stand anywhere: also before the words that
// say which command is meant.
#ifndef DIORAMA_TOOLS_CLI_ARGUMENTS_H
#define DIORAMA_TOOLS_CLI_ARGUMENTS_H

#include "proto/base/error.h"

// Puts the words of a command first and the options that stood before them behind: of `--url X
// scene --json get plaza` it makes `scene get --url X --json plaza`. `words_of` says how many words
// a command has that begins with this one. Changes the order within `argv` alone. Fails with
// ERR_INVALID if an option before the words is none that all commands share, or lacks its value.
fallible arguments_arrange(int argc, char **argv, int (*words_of)(const char *first));

#endif

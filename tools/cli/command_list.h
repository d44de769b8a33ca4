// command_list.h - all that `diorama` can do: its commands, and the verbs of its nouns as commands.
// The table of commands is command_table.c; it is handed over at the start because some of its
// commands print what stands in it.
#ifndef DIORAMA_TOOLS_CLI_COMMAND_LIST_H
#define DIORAMA_TOOLS_CLI_COMMAND_LIST_H

#include "tools/cli/ask.h"
#include "tools/cli/command.h"

// Sets the commands that the other functions know, once, before them. `commands` stays where it is.
void command_list_set(const struct command *const *commands, size_t count);

size_t command_list_count(void);
const struct command *command_list_item(size_t index);

// The command of this name, or NULL. Verbs are found by verb_find.
const struct command *command_list_find(const char *name);

// Calls `visit` with each command, then with each verb of each noun: "scene get".
void command_list_walk(command_visitor *visit, void *context);

#endif

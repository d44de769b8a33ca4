// profile_commands.h - `diorama profile …`, rows of the table of verbs that ask no server.
#ifndef DIORAMA_TOOLS_CLI_PROFILE_COMMANDS_H
#define DIORAMA_TOOLS_CLI_PROFILE_COMMANDS_H

#include "tools/cli/command.h"

extern const struct command profile_add_command;
extern const struct command profile_list_command;
extern const struct command profile_use_command;
extern const struct command profile_remove_command;

#endif

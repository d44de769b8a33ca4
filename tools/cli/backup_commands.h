// backup_commands.h - `diorama backup create`, `verify` and `restore`.
#ifndef DIORAMA_TOOLS_CLI_BACKUP_COMMANDS_H
#define DIORAMA_TOOLS_CLI_BACKUP_COMMANDS_H

#include "tools/cli/command.h"

extern const struct command backup_create_command;
extern const struct command backup_verify_command;
extern const struct command backup_restore_command;
extern const struct command backup_log_command;

#endif

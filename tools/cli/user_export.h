// user_export.h - `diorama user export`: everything that a server stores about one user, as one
// document.
#ifndef DIORAMA_TOOLS_CLI_USER_EXPORT_H
#define DIORAMA_TOOLS_CLI_USER_EXPORT_H

#include "tools/cli/command.h"

extern const struct command user_export_command;

#endif

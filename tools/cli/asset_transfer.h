// asset_transfer.h - `diorama asset upload` and `download`: the verbs that transfer files.
#ifndef DIORAMA_TOOLS_CLI_ASSET_TRANSFER_H
#define DIORAMA_TOOLS_CLI_ASSET_TRANSFER_H

#include "tools/cli/command.h"

extern const struct command asset_upload_command;
extern const struct command asset_download_command;

#endif

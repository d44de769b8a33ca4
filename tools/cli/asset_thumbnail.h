// asset_thumbnail.h - `diorama asset thumbnail`: the small picture of an asset, up and down.
#ifndef DIORAMA_TOOLS_CLI_ASSET_THUMBNAIL_H
#define DIORAMA_TOOLS_CLI_ASSET_THUMBNAIL_H

#include "tools/cli/command.h"

extern const struct command asset_thumbnail_command;

#endif

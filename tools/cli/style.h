// style.h - bold and coloured words for people at a terminal; plain ones for files and pipes, where
// NO_COLOR is set, and on a terminal that is called dumb.
#ifndef DIORAMA_TOOLS_CLI_STYLE_H
#define DIORAMA_TOOLS_CLI_STYLE_H

#include <stdio.h>

enum style { STYLE_BOLD, STYLE_RED };

// The characters that begin a style on `out`, and those that end it; "" where words stay plain.
const char *style_begin(FILE *out, enum style style);
const char *style_end(FILE *out);

#endif

// style.c - decides whether an output is a terminal that shows styles.
#include "tools/cli/style.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// https://no-color.org: any value that is not empty.
static bool
is_shown(FILE *out)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if ((refused && *refused) || !terminal || !*terminal || strcmp(terminal, "dumb") == 0)
        return false;
    return isatty(fileno(out)) == 1;
}

const char *
style_begin(FILE *out, enum style style)
{
    static const char *const codes[] = {[STYLE_BOLD] = "\033[1m", [STYLE_RED] = "\033[31m"};
    return is_shown(out) ? codes[style] : "";
}

const char *
style_end(FILE *out)
{
    return is_shown(out) ? "\033[0m" : "";
}

// style_test.c - only a terminal gets styles, and only where people want them.
#include "tools/cli/style.h"

#include <criterion/criterion.h>
#include <pty.h>
#include <stdlib.h>
#include <unistd.h>

// One end of a terminal as a stream. The other end stays open as long as the process.
static FILE *
open_terminal(void)
{
    int master, slave;
    cr_assert_eq(openpty(&master, &slave, NULL, NULL, NULL), 0);
    FILE *terminal = fdopen(slave, "w");
    cr_assert(terminal);
    return terminal;
}

Test(style, terminal_gets_styles)
{
    FILE *terminal = open_terminal();
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    cr_expect_str_eq(style_begin(terminal, STYLE_BOLD), "\033[1m");
    cr_expect_str_eq(style_begin(terminal, STYLE_RED), "\033[31m");
    cr_expect_str_eq(style_end(terminal), "\033[0m");
    setenv("NO_COLOR", "", 1); // empty is as if it were not set
    cr_expect_str_eq(style_end(terminal), "\033[0m");
    fclose(terminal);
}

Test(style, terminal_stays_plain_where_people_want_that)
{
    FILE *terminal = open_terminal();
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", "1", 1);
    cr_expect_str_eq(style_begin(terminal, STYLE_BOLD), "");
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    cr_expect_str_eq(style_begin(terminal, STYLE_BOLD), "");
    cr_expect_str_eq(style_end(terminal), "");
    unsetenv("TERM");
    cr_expect_str_eq(style_end(terminal), "");
    fclose(terminal);
}

Test(style, file_stays_plain)
{
    FILE *file = tmpfile();
    cr_assert(file);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    cr_expect_str_eq(style_begin(file, STYLE_RED), "");
    cr_expect_str_eq(style_end(file), "");
    fclose(file);
}

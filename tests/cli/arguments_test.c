// arguments_test.c - options that all commands share may stand before the words of a command.
#include "tools/cli/arguments.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { ARGUMENTS_MAX = 16, LINE_BYTES = 256 };

static int
words_of(const char *first)
{
    return strcmp(first, "scene") == 0 ? 2 : 1;
}

// Arranges the words of a line; what comes out, with blanks between.
static enum error
arrange(const char *line, char ret_line[LINE_BYTES])
{
    char words[LINE_BYTES], *argv[ARGUMENTS_MAX], *rest;
    int argc = 0;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    enum error error = arguments_arrange(argc, argv, words_of);
    ret_line[0] = '\0';
    for (int i = 0; i < argc; i++) {
        strcat(ret_line, i ? " " : "");
        strcat(ret_line, argv[i]);
    }
    return error;
}

static void
assert_arranged(const char *line, const char *expected)
{
    char arranged[LINE_BYTES];
    cr_expect_eq(arrange(line, arranged), OK, "%s", line);
    cr_expect_str_eq(arranged, expected);
}

static void
assert_refused(const char *line, const char *detail)
{
    char arranged[LINE_BYTES];
    struct fault fault;
    enum error error = arrange(line, arranged);
    cr_assert_eq(error, ERR_INVALID, "%s", line);
    fault_take(error, &fault);
    cr_expect_str_eq(fault.detail, detail);
}

Test(arguments, options_go_behind_the_words_of_the_command)
{
    assert_arranged("--url=U health", "health --url=U");
    assert_arranged("--url U health --json", "health --url U --json");
    assert_arranged("--url U scene --json get plaza", "scene get --url U --json plaza");
    assert_arranged("--profile=p --http U scene get", "scene get --profile=p --http U");
}

Test(arguments, what_stands_behind_the_words_stays)
{
    assert_arranged("scene get plaza --any=thing -o x", "scene get plaza --any=thing -o x");
    assert_arranged("health --url U", "health --url U");
}

Test(arguments, help_may_stand_first)
{
    assert_arranged("--help scene get", "scene get --help");
    assert_arranged("-h", "-h");
    assert_arranged("scene -h", "scene -h");
    assert_arranged("", "");
}

Test(arguments, two_dashes_end_what_is_moved)
{
    assert_arranged("--json -- scene get", "--json -- scene get");
}

Test(arguments, other_options_must_stand_behind_their_command)
{
    assert_refused("--scene=x watch", "--scene: stands before a command but is no option of all "
                                      "commands");
    assert_refused("--ulr=x watch", "--ulr: stands before a command but is no option of all "
                                    "commands; did you mean --url?");
    assert_refused("scene --url", "--url: needs a value");
}

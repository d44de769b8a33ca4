// options_test.c - command lines become structs by walking a table.
#include "tools/cli/options.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct values {
    const char *file;
    const char *name;
    const char *via;
    struct option_texts scenes;
    int64_t count;
    double speed;
    bool quiet;
    bool settle;
};

// clang-format off
static const struct option_row rows[] = {
    OPTION (struct values, name,   "name",   "KEY",      "cube", "What it is called."),
    OPTION (struct values, via,    "via",    "udp|http", "udp",  "How it travels.",       .choices = "udp|http"),
    OPTION (struct values, scenes, "scene",  "KEY",      "",     "One of several."),
    OPTION (struct values, count,  "count",  "N",        "7",    "How many.",             .minimum = 1, .maximum = 100),
    OPTION (struct values, speed,  "speed",  "X",        "1.5",  "How fast.",             .alias = "pace"),
    OPTION (struct values, quiet,  "quiet",  NULL,       "no",   "Says less."),
    OPTION (struct values, settle, "settle", NULL,       "yes",  "Makes sure."),
    OPTION (struct values, file,   "FILE",   NULL,       NULL,   "What to read.",         .is_operand = true),
};
// clang-format on

enum { ROW_COUNT = sizeof rows / sizeof rows[0], ARGUMENTS_MAX = 80 };

// Splits at blanks into argv. The values borrow the words: good until the next call.
static enum error
parse(const char *line, struct values *ret_values)
{
    static char words[2048];
    char *argv[ARGUMENTS_MAX], *rest;
    int argc = 0;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    return options_parse(rows, ROW_COUNT, argc, argv, ret_values);
}

static void
assert_refused(const char *line, const char *detail)
{
    struct values values = {0};
    struct fault fault;
    enum error error = parse(line, &values);
    cr_assert_eq(error, ERR_INVALID, "%s", line);
    fault_take(error, &fault);
    cr_assert_str_eq(fault.detail, detail);
}

Test(options, what_is_not_given_has_its_default)
{
    struct values values = {.scenes = {.count = 3}, .quiet = true};
    cr_assert_eq(parse("walk.txt", &values), OK);
    cr_assert_str_eq(values.file, "walk.txt");
    cr_assert_str_eq(values.name, "cube");
    cr_assert_str_eq(values.via, "udp");
    cr_assert_eq(values.scenes.count, 0);
    cr_assert_eq(values.count, 7);
    cr_assert_eq(values.speed, 1.5);
    cr_assert_not(values.quiet);
    cr_assert(values.settle);
}

Test(options, value_follows_an_equals_sign_or_as_the_next_argument)
{
    struct values values = {0};
    cr_assert_eq(parse("--name=a --count 12 walk.txt --speed=-0.25", &values), OK);
    cr_assert_str_eq(values.name, "a");
    cr_assert_eq(values.count, 12);
    cr_assert_eq(values.speed, -0.25);
    cr_assert_str_eq(values.file, "walk.txt");
}

Test(options, value_may_be_empty_and_may_hold_an_equals_sign)
{
    struct values values = {0};
    cr_assert_eq(parse("--name= f", &values), OK);
    cr_assert_str_eq(values.name, "");
    cr_assert_eq(parse("--name=a=b f", &values), OK);
    cr_assert_str_eq(values.name, "a=b");
}

Test(options, older_name_is_still_read)
{
    struct values values = {0};
    cr_assert_eq(parse("--pace=3 f", &values), OK);
    cr_assert_eq(values.speed, 3);
}

Test(options, later_value_wins)
{
    struct values values = {0};
    cr_assert_eq(parse("--count=1 --count=2 f", &values), OK);
    cr_assert_eq(values.count, 2);
}

Test(options, texts_gather_in_order)
{
    struct values values = {0};
    cr_assert_eq(parse("--scene=a f --scene b", &values), OK);
    cr_assert_eq(values.scenes.count, 2);
    cr_assert_str_eq(values.scenes.items[0], "a");
    cr_assert_str_eq(values.scenes.items[1], "b");
}

Test(options, bool_is_set_by_its_name_and_cleared_by_no)
{
    struct values values = {0};
    cr_assert_eq(parse("--quiet --no-settle f", &values), OK);
    cr_assert(values.quiet);
    cr_assert_not(values.settle);
    cr_assert_eq(parse("--quiet=no --settle=yes f", &values), OK);
    cr_assert_not(values.quiet);
    cr_assert(values.settle);
}

Test(options, single_dash_is_an_operand)
{
    struct values values = {0};
    cr_assert_eq(parse("-", &values), OK);
    cr_assert_str_eq(values.file, "-");
}

Test(options, two_dashes_end_the_options)
{
    struct values values = {0};
    cr_assert_eq(parse("--count=2 -- --name", &values), OK);
    cr_assert_str_eq(values.file, "--name");
    cr_assert_str_eq(values.name, "cube");
}

Test(options, bounds_are_inclusive)
{
    struct values values = {0};
    cr_assert_eq(parse("--count=1 f", &values), OK);
    cr_assert_eq(parse("--count=100 f", &values), OK);
    assert_refused("--count=0 f", "--count: must be from 1 to 100");
    assert_refused("--count=101 f", "--count: must be from 1 to 100");
}

Test(options, integers_are_whole_and_in_range)
{
    assert_refused("--count=1.5 f", "--count: must be a whole number");
    assert_refused("--count=x f", "--count: must be a whole number");
    assert_refused("--count= f", "--count: must be a whole number");
    assert_refused("--count=99999999999999999999 f", "--count: must be a whole number");
}

Test(options, numbers_are_finite)
{
    assert_refused("--speed=fast f", "--speed: must be a number");
    assert_refused("--speed=1x f", "--speed: must be a number");
    assert_refused("--speed=inf f", "--speed: must be a number");
    assert_refused("--speed=nan f", "--speed: must be a number");
}

Test(options, choices_are_whole_words)
{
    struct values values = {0};
    cr_assert_eq(parse("--via=http f", &values), OK);
    cr_assert_str_eq(values.via, "http");
    assert_refused("--via=ht f", "--via: must be one of udp|http");
    assert_refused("--via= f", "--via: must be one of udp|http");
    assert_refused("--via=udp|http f", "--via: must be one of udp|http");
}

Test(options, unknown_option_is_refused)
{
    assert_refused("--colour=red f", "--colour: there is no such option");
    assert_refused("--nam=a f", "--nam: there is no such option; did you mean --name?");
    assert_refused("--quite f", "--quite: there is no such option; did you mean --quiet?");
    assert_refused("--no-count f", "--no-count: there is no such option; did you mean --count?");
    assert_refused("--FILE=f", "--FILE: there is no such option");
    assert_refused("-n f", "-n: options begin with two dashes");
}

Test(options, missing_pieces_are_refused)
{
    assert_refused("--count=1", "FILE: must be given");
    assert_refused("f --count", "--count: needs a value");
    assert_refused("f g", "g: too many arguments");
    assert_refused("--quiet=perhaps f", "--quiet: must be yes or no");
}

Test(options, what_must_be_given_must_not_be_empty)
{
    char empty[] = "";
    char *const argv[] = {empty};
    struct values values = {0};
    cr_assert_eq(options_parse(rows, ROW_COUNT, 1, argv, &values), ERR_INVALID);
    cr_assert_str_eq(fault_last()->detail, "FILE: must not be empty");
}

Test(options, more_texts_than_there_is_room_for_are_refused)
{
    char line[16 * (OPTION_TEXTS_MAX + 1)] = "f";
    for (int i = 0; i < OPTION_TEXTS_MAX; i++)
        strcat(line, " --scene=s");
    struct values values = {0};
    cr_assert_eq(parse(line, &values), OK);
    cr_assert_eq(values.scenes.count, OPTION_TEXTS_MAX);
    strcat(line, " --scene=s");
    assert_refused(line, "--scene: given too often");
}

Test(options, help_is_asked_for_before_the_end_of_options)
{
    char operand[] = "f", help[] = "--help", end[] = "--";
    char *const asks[] = {operand, help, end}, *const does_not[] = {end, help};
    cr_assert(options_ask_help(3, asks));
    cr_assert_not(options_ask_help(2, does_not));
}

Test(options, help_has_a_line_an_option_operands_first)
{
    static const char expected[] = "  FILE            What to read.\n"
                                   "  --name=KEY      What it is called. [cube]\n"
                                   "  --via=udp|http  How it travels. [udp]\n"
                                   "  --scene=KEY     One of several.\n"
                                   "  --count=N       How many. [7]\n"
                                   "  --speed=X       How fast. [1.5]\n"
                                   "  --quiet         Says less.\n"
                                   "  --settle        Makes sure. --no-settle turns it off.\n";
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    options_help(rows, ROW_COUNT, out);
    fclose(out);
    cr_assert_str_eq(text, expected);
    free(text);
}

struct rest_values {
    const char *output;
    bool loud;
    const char *first;
    struct option_texts rest;
};

// clang-format off
static const struct option_row rest_rows[] = {
    OPTION (struct rest_values, output, "output", "FILE", "",   "Where it goes.", .letter = 'o'),
    OPTION (struct rest_values, loud,   "loud",   NULL,   "no", "Says more.",     .letter = 'l'),
    OPTION (struct rest_values, first,  "FIRST",  NULL,   NULL, "The first.",     .is_operand = true),
    OPTION (struct rest_values, rest,   "REST",   NULL,   "",   "All others.",    .is_operand = true),
};
// clang-format on

static enum error
parse_rest(int argc, char *const *argv, struct rest_values *ret_values)
{
    return options_parse(rest_rows, sizeof rest_rows / sizeof rest_rows[0], argc, argv, ret_values);
}

Test(options, negative_number_is_an_operand)
{
    struct rest_values values = {0};
    char *argv[] = {(char[]){"-3"}};
    cr_assert_eq(parse_rest(1, argv, &values), OK);
    cr_assert_str_eq(values.first, "-3");
}

Test(options, letter_stands_for_a_name)
{
    struct rest_values values = {0};
    char *argv[] = {(char[]){"a"}, (char[]){"-o"}, (char[]){"file"}, (char[]){"-l"}};
    cr_assert_eq(parse_rest(4, argv, &values), OK);
    cr_assert_str_eq(values.output, "file");
    cr_assert(values.loud);
    cr_assert_eq(parse_rest(2, argv, &values), ERR_INVALID);
}

Test(options, last_operand_of_type_texts_takes_all_that_is_left)
{
    struct rest_values values = {0};
    char *argv[] = {(char[]){"a"}, (char[]){"b=1"}, (char[]){"--loud"}, (char[]){"c=2"}};
    cr_assert_eq(parse_rest(4, argv, &values), OK);
    cr_assert_str_eq(values.first, "a");
    cr_assert_eq(values.rest.count, 2);
    cr_assert_str_eq(values.rest.items[0], "b=1");
    cr_assert_str_eq(values.rest.items[1], "c=2");
    cr_assert_eq(parse_rest(1, argv, &values), OK);
    cr_assert_eq(values.rest.count, 0);
}

// options.c - reads a command line by walking a table of options.
#include "tools/cli/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/nearest.h"

// The rows, the struct that they fill, and which of them were given.
struct parse {
    const struct option_row *rows;
    size_t count;
    char *values;
    uint64_t given;
};

// The dashes before a name in a message; operands have none.
static const char *
dashes(const struct option_row *row)
{
    return row->is_operand ? "" : "--";
}

static fallible
refuse(const struct option_row *row, const char *reason)
{
    return fail(ERR_INVALID, "", "%s%s: %s", dashes(row), row->name, reason);
}

static fallible
check_bounds(const struct option_row *row, double value)
{
    if (row->minimum == 0 && row->maximum == 0)
        return OK;
    if (value >= row->minimum && value <= row->maximum)
        return OK;
    return fail(ERR_INVALID, "", "%s%s: must be from %.15g to %.15g", dashes(row), row->name,
                row->minimum, row->maximum);
}

static fallible
check_choice(const struct option_row *row, const char *value)
{
    size_t size = strlen(value);
    for (const char *choice = row->choices; choice; choice = strchr(choice, '|')) {
        choice += *choice == '|';
        if (strcspn(choice, "|") == size && strncmp(choice, value, size) == 0)
            return OK;
    }
    return fail(ERR_INVALID, "", "%s%s: must be one of %s", dashes(row), row->name, row->choices);
}

static fallible
set_text(const struct option_row *row, const char *value, void *member)
{
    if (row->choices)
        TRY(check_choice(row, value));
    if (!row->preset && !*value)
        return refuse(row, "must not be empty");
    *(const char **)member = value;
    return OK;
}

static fallible
set_texts(const struct option_row *row, const char *value, void *member)
{
    struct option_texts *texts = member;
    if (texts->count == OPTION_TEXTS_MAX)
        return refuse(row, "given too often");
    texts->items[texts->count++] = value;
    return OK;
}

static fallible
set_integer(const struct option_row *row, const char *value, void *member)
{
    char *end;
    errno = 0;
    long long integer = strtoll(value, &end, 10);
    if (end == value || *end || errno)
        return refuse(row, "must be a whole number");
    TRY(check_bounds(row, (double)integer));
    *(int64_t *)member = integer;
    return OK;
}

static fallible
set_number(const struct option_row *row, const char *value, void *member)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !isfinite(number))
        return refuse(row, "must be a number");
    TRY(check_bounds(row, number));
    *(double *)member = number;
    return OK;
}

static fallible
set_bool(const struct option_row *row, const char *value, void *member)
{
    bool yes = strcmp(value, "yes") == 0 || strcmp(value, "true") == 0; // as settings say it
    if (!yes && strcmp(value, "no") != 0 && strcmp(value, "false") != 0)
        return refuse(row, "must be yes or no");
    *(bool *)member = yes;
    return OK;
}

static fallible
set(const struct parse *parse, const struct option_row *row, const char *value)
{
    static enum error (*const setters[])(const struct option_row *, const char *, void *) = {
        [OPTION_TEXT] = set_text,     [OPTION_TEXTS] = set_texts, [OPTION_INTEGER] = set_integer,
        [OPTION_NUMBER] = set_number, [OPTION_BOOL] = set_bool,
    };
    return setters[row->type](row, value, parse->values + row->offset);
}

static fallible
set_presets(const struct parse *parse)
{
    for (size_t i = 0; i < parse->count; i++) {
        const struct option_row *row = &parse->rows[i];
        if (row->preset && row->type != OPTION_TEXTS)
            TRY(set(parse, row, row->preset));
    }
    return OK;
}

static fallible
set_given(struct parse *parse, const struct option_row *row, const char *value)
{
    parse->given |= UINT64_C(1) << (row - parse->rows);
    return set(parse, row, value);
}

// The row that `-o` stands for, or NULL.
static const struct option_row *
find_letter(const struct parse *parse, const char *argument)
{
    if (argument[0] != '-' || !argument[1] || argument[2])
        return NULL;
    for (size_t i = 0; i < parse->count; i++)
        if (parse->rows[i].letter == argument[1])
            return &parse->rows[i];
    return NULL;
}

static bool
is_name(const char *known, const char *name, size_t size)
{
    return known && strlen(known) == size && memcmp(known, name, size) == 0;
}

static const struct option_row *
find(const struct parse *parse, const char *name, size_t size)
{
    for (size_t i = 0; i < parse->count; i++) {
        const struct option_row *row = &parse->rows[i];
        if (!row->is_operand && (is_name(row->name, name, size) || is_name(row->alias, name, size)))
            return row;
    }
    return NULL;
}

static fallible
refuse_unknown(const struct parse *parse, const char *name, size_t size)
{
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)size, name);
    struct nearest nearest = {.word = word};
    for (size_t i = 0; i < parse->count; i++)
        if (!parse->rows[i].is_operand)
            nearest_try(&nearest, parse->rows[i].name);
    if (!nearest.best || size >= sizeof word)
        return fail(ERR_INVALID, "", "--%.*s: there is no such option", (int)size, name);
    return fail(ERR_INVALID, "", "--%s: there is no such option; did you mean --%s?", word,
                nearest.best);
}

// The row of `--no-name` for a bool called `name`, or NULL.
static const struct option_row *
find_negated(const struct parse *parse, const char *name, size_t size)
{
    if (size < 3 || memcmp(name, "no-", 3) != 0)
        return NULL;
    const struct option_row *row = find(parse, name + 3, size - 3);
    return row && row->type == OPTION_BOOL ? row : NULL;
}

// Takes the option at `argv[*at]`, and the argument after it if that is its value.
static fallible
take_option(struct parse *parse, int argc, char *const *argv, int *at)
{
    const char *name = argv[*at] + 2;
    size_t size = strcspn(name, "=");
    const char *value = name[size] ? name + size + 1 : NULL;
    const struct option_row *row = find(parse, name, size);
    if (!row && !value && (row = find_negated(parse, name, size)))
        return set_given(parse, row, "no");
    if (!row)
        return refuse_unknown(parse, name, size);
    if (row->type == OPTION_BOOL)
        return set_given(parse, row, value ? value : "yes");
    if (!value && *at + 1 == argc)
        return refuse(row, "needs a value");
    return set_given(parse, row, value ? value : argv[++*at]);
}

// Takes the option that `-o` at `argv[*at]` stands for, and its value in the next argument.
static fallible
take_letter(struct parse *parse, const struct option_row *row, int argc, char *const *argv, int *at)
{
    if (row->type == OPTION_BOOL)
        return set_given(parse, row, "yes");
    if (*at + 1 == argc)
        return refuse(row, "needs a value");
    return set_given(parse, row, argv[++*at]);
}

static fallible
take_operand(struct parse *parse, const char *value)
{
    for (size_t i = 0; i < parse->count; i++) {
        const struct option_row *row = &parse->rows[i];
        bool is_free = row->type == OPTION_TEXTS || !(parse->given & (UINT64_C(1) << i));
        if (row->is_operand && is_free)
            return set_given(parse, row, value);
    }
    return fail(ERR_INVALID, "", "%s: too many arguments", value);
}

fallible
options_parse(const struct option_row *rows, size_t count, int argc, char *const *argv,
              void *ret_values)
{
    assert(count <= 64);
    struct parse parse = {.rows = rows, .count = count, .values = ret_values};
    const struct option_row *row;
    bool ended = false;
    for (size_t i = 0; i < count; i++)
        if (rows[i].type == OPTION_TEXTS)
            *(struct option_texts *)(void *)(parse.values + rows[i].offset) =
                (struct option_texts){0};
    TRY(set_presets(&parse));
    for (int at = 0; at < argc; at++) {
        if (!ended && strcmp(argv[at], "--") == 0)
            ended = true;
        else if (!ended && strncmp(argv[at], "--", 2) == 0)
            TRY(take_option(&parse, argc, argv, &at));
        else if (!ended && (row = find_letter(&parse, argv[at])))
            TRY(take_letter(&parse, row, argc, argv, &at));
        else if (!ended && argv[at][0] == '-' && argv[at][1] &&
                 !isdigit((unsigned char)argv[at][1]))
            return fail(ERR_INVALID, "", "%s: options begin with two dashes", argv[at]);
        else
            TRY(take_operand(&parse, argv[at]));
    }
    for (size_t i = 0; i < count; i++)
        if (!rows[i].preset && !(parse.given & (UINT64_C(1) << i)))
            return refuse(&rows[i], "must be given");
    return OK;
}

bool
options_ask_help(int argc, char *const *argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

// Prints the left column; only measures it if `out` is NULL.
static int
print_label(const struct option_row *row, FILE *out)
{
    char label[64];
    const char *equals = row->placeholder ? "=" : "";
    char letter[] = {'-', row->letter, ',', ' ', '\0'};
    int size = snprintf(label, sizeof label, "%s%s%s%s%s", row->letter ? letter : "", dashes(row),
                        row->name, equals, row->placeholder ? row->placeholder : "");
    if (out)
        fputs(label, out);
    return size;
}

static void
print_row(const struct option_row *row, int width, FILE *out)
{
    fputs("  ", out);
    int size = print_label(row, out);
    fprintf(out, "%*s%s", width - size + 2, "", row->about);
    if (row->type == OPTION_BOOL && strcmp(row->preset, "yes") == 0)
        fprintf(out, " --no-%s turns it off.", row->name);
    else if (row->type != OPTION_BOOL && row->preset && row->preset[0])
        fprintf(out, " [%s]", row->preset);
    fputc('\n', out);
}

void
options_help(const struct option_row *rows, size_t count, FILE *out)
{
    int width = 0;
    for (size_t i = 0; i < count; i++) {
        int size = print_label(&rows[i], NULL);
        width = size > width ? size : width;
    }
    for (int operands = 1; operands >= 0; operands--)
        for (size_t i = 0; i < count; i++)
            if (rows[i].is_operand == operands)
                print_row(&rows[i], width, out);
}

// options.h - command lines as a table: a row is an option's name, type, default and sentence. The
// table fills a plain struct. Type and offset come from the member, so row and struct cannot
// disagree.
// --help is printed from the same rows.
#ifndef DIORAMA_TOOLS_CLI_OPTIONS_H
#define DIORAMA_TOOLS_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/error.h"

enum { OPTION_TEXTS_MAX = 64 };

// The values of an option that may be given several times, or of a last operand that takes all
// remaining arguments; in order.
struct option_texts {
    size_t count;
    const char *items[OPTION_TEXTS_MAX];
};

enum option_type {
    OPTION_TEXT,    // const char *
    OPTION_TEXTS,   // struct option_texts
    OPTION_INTEGER, // int64_t
    OPTION_NUMBER,  // double, finite
    OPTION_BOOL,    // bool: --name and --no-name
};

struct option_row {
    const char *name;        // without the dashes; an operand's is shown as it is
    const char *placeholder; // for the value, in the help; NULL for a bool and an operand
    const char *preset;      // the default, as one would type it; NULL = required, not empty
    const char *about;
    const char *alias;       // an older name, which is still read but not shown; NULL = none
    const char *choices;     // allowed texts, separated by '|'; NULL = any
    double minimum, maximum; // of integers and numbers; both 0 = no bound
    size_t offset;
    enum option_type type;
    char letter;     // `-o FILE` for --output FILE; 0 = none
    bool is_operand; // given by its place, without a name
};

// A row: struct type, member, name, placeholder, default, sentence, then designated extras.
#define OPTION(struct_, member_, name_, placeholder_, preset_, about_, ...)                          \
    {                                                                                                \
        .name = (name_), .placeholder = (placeholder_), .preset = (preset_), .about = (about_),    \
        .offset = offsetof(struct_, member_),                                                      \
        .type = _Generic(((struct_ *)0)->member_, const char *                                     \
                         : OPTION_TEXT, struct option_texts                                        \
                         : OPTION_TEXTS, int64_t                                                   \
                         : OPTION_INTEGER, double                                                  \
                         : OPTION_NUMBER, bool                                                     \
                         : OPTION_BOOL),                                                           \
        __VA_ARGS__ \
    }

// Fills `ret_values` with defaults and then from `argv` (without the names of program and command).
// `--name=value` and `--name value` are equal, the last one wins, `--` ends the options, `-` and a
// negative number are operands. An operand of type texts takes all remaining arguments. Texts are
// borrowed from `argv`. At most 64 rows. Fails with ERR_INVALID; the detail names option and
// reason, with the option that may have been meant, and `ret_values` is undefined.
fallible options_parse(const struct option_row *rows, size_t count, int argc, char *const *argv,
                       void *ret_values);

// Whether `--help` or `-h` is among the arguments, before a `--`.
bool options_ask_help(int argc, char *const *argv);

// Prints each option with its sentence and default, one a line; operands come first.
void options_help(const struct option_row *rows, size_t count, FILE *out);

#endif

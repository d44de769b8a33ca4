// verbs.h - THE table of what `diorama` can ask for: entities (nouns) and what is done with them
// (verbs). A row is method, path, where the request's body comes from and what of the answer a
// person sees. Commands, their arguments, their help and their output walk it (interface 4).
#ifndef DIORAMA_TOOLS_CLI_VERBS_H
#define DIORAMA_TOOLS_CLI_VERBS_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/cli/command.h"

enum { VERB_OPERANDS_MAX = 4, COLUMN_PICKS = 3 };

// One column of a table: a member of each record, or with `picks` some items of that array.
struct column {
    const char *title;
    const char *member;
    unsigned char picks[COLUMN_PICKS]; // indexes; all 0 = the member itself
};

struct noun {
    const char *name;
    const char *about;
    const char *array;            // of its answers that have an envelope; NULL = bare records
    const struct column *columns; // of its table, until a title is NULL
};

// What NAME=VALUE arguments become.
enum verb_input {
    INPUT_NONE,
    INPUT_RECORD, // members of the record in `body`
    INPUT_QUERY,  // parameters of the URL
};

// What a person sees of a success. --json shows it as it came.
enum verb_output {
    OUTPUT_NOTHING,
    OUTPUT_KEYS,    // the key or id of each record, one a line
    OUTPUT_RECORD,  // the first record, a member a line; none = not found
    OUTPUT_RECORDS, // all of them so; none = nothing
    OUTPUT_TABLE,   // the noun's columns, a record a line
};

// A record's password is never an argument.
enum verb_password {
    PASSWORD_NONE,
    PASSWORD_OPTIONAL, // sent where there is --password-file
    PASSWORD_REQUIRED, // else it is asked for
};

// How an answer of many records is cut: parameters of the URL, and the option for the second.
struct paging {
    const char *limit;
    const char *start;
    const char *option;
    const char *about;
};

struct verb {
    const struct noun *noun;
    const char *name;
    const char *about;
    const struct command *command; // does it all where one request does not; the rest is unused
    const char *method;
    const char *path; // {name} is an operand; also in a query string
    const char *body; // where the record goes, marked by `*`; NULL = no body
    enum verb_input input;
    enum verb_output output;
    const struct paging *paging; // NULL = the answer is not cut
    enum verb_password password;
    bool takes_device;     // --device says whose lock permits it, where the server enforces locks
    bool takes_convention; // --convention says which way the axes point of what is sent and shown
};

extern const struct noun *const nouns[];
extern const size_t nouns_count;

// Rows of one noun stand together.
extern const struct verb verbs[];
extern const size_t verbs_count;

// NULL where there is none of this name.
const struct noun *noun_find(const char *name);
const struct verb *verb_find(const struct noun *noun, const char *name);

// The names of the operands in a path, in order; they point into it and have `ret_sizes` bytes.
size_t verb_operands(const struct verb *self, const char *ret_names[VERB_OPERANDS_MAX],
                     size_t ret_sizes[VERB_OPERANDS_MAX]);

#endif

// verbs.h - THE table of what `diorama` can ask a server for: nouns and their verbs. A row is
// method, path, where the request's body comes from, and which part of the answer a person sees.
// Commands, their arguments, help and output walk it.
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
    const char *array;            // in answers that have an envelope; NULL = bare records
    const struct column *columns; // of its table; a NULL title ends them
    const char *examples;         // as those of a command, never NULL; a test runs them all
};

// What NAME=VALUE arguments become.
enum verb_input {
    INPUT_NONE,
    INPUT_RECORD, // members of the record in `body`
    INPUT_QUERY,  // parameters of the URL
};

// What a person sees of a success. --json shows the answer unchanged.
enum verb_output {
    OUTPUT_NOTHING,
    OUTPUT_KEYS,    // the key or id of each record, one a line
    OUTPUT_RECORD,  // the first record, a member a line; none = not found
    OUTPUT_RECORDS, // all records in that form; none = nothing
    OUTPUT_TABLE,   // the noun's columns, a record a line
    OUTPUT_REPLY,   // what stands beside the records in an envelope, a member a line
};

// A record's password is never an argument.
enum verb_password {
    PASSWORD_NONE,
    PASSWORD_OPTIONAL, // sent if there is --password-file
    PASSWORD_REQUIRED, // the same, else the terminal is asked
};

// How an answer of many records is cut: two parameters of the URL, and the option for the second.
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
    const struct command
        *command; // if one request is not enough; all members below are unused then
    const char *method;
    const char *path; // {name} is an operand; also in a query string
    const char *body; // `*` marks the place of the record; NULL = no body
    enum verb_input input;
    enum verb_output output;
    const struct paging *paging; // NULL = the answer is not cut
    const char *array;           // of its records, where that is not as the noun says
    enum verb_password password;
    bool is_once;          // a POST that is sent again if its answer is lost
    bool takes_device;     // --device names the holder of the lock
    bool takes_convention; // --convention names the axes of the transforms sent and shown
    bool takes_form;       // --form shows poses as GeoPoses, or transforms in parts, too
};

extern const struct noun *const nouns[];
extern const size_t nouns_count;

// Rows of one noun stand together.
extern const struct verb verbs[];
extern const size_t verbs_count;

// NULL if there is none of this name.
const struct noun *noun_find(const char *name);
const struct verb *verb_find(const struct noun *noun, const char *name);

// The names of the operands in a path, in order; they point into it and have `ret_sizes` bytes.
size_t verb_operands(const struct verb *self, const char *ret_names[VERB_OPERANDS_MAX],
                     size_t ret_sizes[VERB_OPERANDS_MAX]);

#endif

// show.h - prints answers for people.
#ifndef DIORAMA_TOOLS_CLI_SHOW_H
#define DIORAMA_TOOLS_CLI_SHOW_H

#include <stdio.h>

#include "proto/base/error.h"
#include "proto/codec/json_text.h"
#include "tools/cli/verbs.h"

// Prints the part of `answer` that the row names; NULL = an empty answer. Fails with ERR_NOT_FOUND
// if it shows one record and there is none.
fallible show_answer(const struct verb *verb, const struct json *answer, FILE *out);

// The number of records in an answer, and the one at `index`. Records are the items of the noun's
// array, or of the answer, or the answer itself.
size_t show_count(const struct noun *noun, const struct json *answer);
const struct json *show_item(const struct noun *noun, const struct json *answer, size_t index);

#endif

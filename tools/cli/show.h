// show.h - answers as people read them.
#ifndef DIORAMA_TOOLS_CLI_SHOW_H
#define DIORAMA_TOOLS_CLI_SHOW_H

#include <stdio.h>

#include "proto/base/error.h"
#include "proto/codec/json_text.h"
#include "tools/cli/verbs.h"

// Prints what the row says of `answer`, which may be NULL where nothing was answered. Fails with
// ERR_NOT_FOUND where it shows one record and none came.
fallible show_answer(const struct verb *verb, const struct json *answer, FILE *out);

// How many records an answer has, and the one at `index`: the items of the noun's array or of the
// answer itself, or the answer itself.
size_t answer_count(const struct noun *noun, const struct json *answer);
const struct json *answer_record(const struct noun *noun, const struct json *answer, size_t index);

#endif

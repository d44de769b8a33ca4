// audit_chain.h - checks that no line of a class of an audit log was changed, added or taken away:
// each has a larger number than the one before, and its hash. Pure.
#ifndef DIORAMA_TOOLS_CLI_AUDIT_CHAIN_H
#define DIORAMA_TOOLS_CLI_AUDIT_CHAIN_H

#include <stdbool.h>

#include "proto/codec/json_text.h"
#include "proto/records/audit_line.h"

// Embedded; all zero is a chain without lines.
struct audit_chain {
    uint64_t lines;
    uint64_t number; // of the last line
    char hash[AUDIT_HASH_SIZE];
};

// Adds the next line; `hash` is its own. Lines may begin anywhere. If `may_skip`, numbers may be
// left out, as a filter does, and only lines whose numbers follow each other are compared. Fails
// with ERR_CONFLICT, the line's number in the detail.
fallible audit_chain_add(struct audit_chain *self, const struct json *line, const char *hash,
                         bool may_skip);

#endif

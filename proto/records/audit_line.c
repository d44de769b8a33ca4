// audit_line.c - the fields of a line of the audit log.
#include "proto/records/audit_line.h"

#include <string.h>

// clang-format off
static const struct field audit_line_fields[] = {
    FIELD(AUDIT_LINE_NUMBER,       struct audit_line, number,    "number",       "Counts lines, in the order in which they were written."),
    FIELD(AUDIT_LINE_TIME,         struct audit_line, time,      "time",         "When it was done, UTC."),
    FIELD(AUDIT_LINE_USER,         struct audit_line, user,      "user",         "Id of the user who did it; empty if nobody was logged in.", .flags = FIELD_FILTER),
    FIELD(AUDIT_LINE_ADDRESS,      struct audit_line, address,   "address",      "Where the request came from; empty for the server itself.", .flags = FIELD_FILTER),
    FIELD(AUDIT_LINE_REQUEST,      struct audit_line, request,   "request",      "X-Request-Id of the request, or of the first one counted.", .flags = FIELD_FILTER | FIELD_OPTIONAL),
    FIELD(AUDIT_LINE_LAST_REQUEST, struct audit_line, last,      "last_request", "X-Request-Id of the last request counted.",                .flags = FIELD_OPTIONAL),
    FIELD(AUDIT_LINE_OPERATION,    struct audit_line, operation, "operation",    "What was done: login, scene_put, user_promote …",          .flags = FIELD_FILTER),
    FIELD(AUDIT_LINE_KIND,         struct audit_line, kind,      "kind",         "What it was done to: scene, asset, user …",                .flags = FIELD_FILTER | FIELD_OPTIONAL),
    FIELD(AUDIT_LINE_KEY,          struct audit_line, key,       "key",          "Key or id of that.",                                       .flags = FIELD_FILTER | FIELD_OPTIONAL),
    FIELD(AUDIT_LINE_SCENE,        struct audit_line, scene,     "scene",        "Key of the scene that it is in.",                          .flags = FIELD_FILTER | FIELD_OPTIONAL),
    FIELD(AUDIT_LINE_OUTCOME,      struct audit_line, outcome,   "outcome",      "Status of the answer: 200, 401 …",                         .flags = FIELD_FILTER),
    FIELD(AUDIT_LINE_COUNT,        struct audit_line, count,     "count",        "How many requests the line counts.",                       .flags = FIELD_OPTIONAL),
    FIELD(AUDIT_LINE_BEFORE,       struct audit_line, before,    "before",       "Hash of the line before of its class: BLAKE2b, 256 bits, of its bytes."),
    FIELD(AUDIT_LINE_HASH,         struct audit_line, hash,      "hash",         "Hash of this line as it is in the file.",                  .flags = FIELD_OPTIONAL),
    FIELD(AUDIT_LINE_AFTER,        struct audit_line, after,     "after",        "Only lines after this number, or after this time.",        .flags = FIELD_INPUT | FIELD_FILTER),
    FIELD(AUDIT_LINE_CLASS,        struct audit_line, class,     "class",        "What it is about, and whose chain it is in: security, failures or writes.", .flags = FIELD_FILTER | FIELD_OPTIONAL),
};
// clang-format on

const struct schema audit_line_schema =
    SCHEMA(struct audit_line, "audit_line", "lines", audit_line_fields);
// clang-format off
// What was written before there were classes goes on as the first.
const struct audit_class_row audit_class_rows[AUDIT_CLASSES] = {
    [AUDIT_CLASS_SECURITY] = {"security", "audit-",          40},
    [AUDIT_CLASS_FAILURES] = {"failures", "audit-failures-", 20},
    [AUDIT_CLASS_WRITES]   = {"writes",   "audit-writes-",   40},
};
// clang-format on

enum audit_class
audit_class_named(const char *name)
{
    for (int i = 0; i < AUDIT_CLASSES; i++)
        if (strcmp(audit_class_rows[i].name, name) == 0)
            return (enum audit_class)i;
    return AUDIT_CLASS_SECURITY;
}

const struct view audit_line_view_full = {.of = &audit_line_schema, .name = ""};

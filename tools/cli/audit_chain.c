// audit_chain.c - numbers and hashes of the lines of an audit log, one after the other.
#include "tools/cli/audit_chain.h"

#include <stdio.h>
#include <string.h>

#include "tools/cli/json_value.h"

fallible
audit_chain_add(struct audit_chain *self, const struct json *line, const char *hash, bool may_skip)
{
    uint64_t number = json_value_unsigned(line, "number", 0);
    const char *before = json_value_chars(line, "before", "");
    bool is_next = number == self->number + 1, is_first = self->lines == 0;
    if (number == 0 || strlen(hash) != AUDIT_HASH_SIZE - 1)
        return fail(ERR_CONFLICT, "", "a line after line %llu is none of an audit log",
                    (unsigned long long)self->number);
    if (!is_first && number <= self->number)
        return fail(ERR_CONFLICT, "", "line %llu follows line %llu", (unsigned long long)number,
                    (unsigned long long)self->number);
    if (!is_first && (is_next || !may_skip) && strcmp(before, self->hash) != 0)
        return fail(ERR_CONFLICT, "", "line %llu does not have the hash of line %llu before it",
                    (unsigned long long)number, (unsigned long long)self->number);
    self->lines++;
    self->number = number;
    snprintf(self->hash, sizeof self->hash, "%s", hash);
    return OK;
}

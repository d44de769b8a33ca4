// audit_fuzz.c - files of an audit log as `diorama audit` reads them: a JSON document a line, each
// with the hash of its bytes. A chain counts the lines that it took, its numbers only grow, and
// where none may be left out, each line has the hash of the one before.
#include <string.h>

#include "proto/base/token.h"
#include "tests/fuzz/fuzz.h"
#include "tools/cli/audit_chain.h"
#include "tools/cli/json_value.h"

static void
add_line(struct arena *arena, struct audit_chain *chain, const char *line, bool may_skip)
{
    const struct json *json;
    char hash[AUDIT_HASH_SIZE];
    const struct audit_chain before = *chain;
    token_digest(line, strlen(line), NULL, hash, sizeof hash);
    if (json_parse(arena, line, strlen(line), &json) != OK)
        return;
    if (audit_chain_add(chain, json, hash, may_skip) != OK) {
        must(memcmp(&before, chain, sizeof before) == 0 && fault_last()->detail[0]);
        return;
    }
    must(chain->lines == before.lines + 1 && chain->number > 0);
    must(before.lines == 0 || chain->number > before.number);
    must(may_skip || before.lines == 0 ||
         strcmp(json_value_chars(json, "before", ""), before.hash) == 0);
    must(strcmp(chain->hash, hash) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct input input = input_of(data, size);
    struct audit_chain whole = {0}, filtered = {0};
    while (input.size) {
        const char *line = input_line(&input, &arena);
        add_line(&arena, &whole, line, false);
        add_line(&arena, &filtered, line, true);
    }
    arena_finish(&arena);
    return 0;
}

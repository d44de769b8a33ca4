// json_fuzz.c - JSON text to a tree: what is read prints as JSON that reads as the same tree; no
// object has a name twice; nothing is deeper than allowed. Any bytes in quotes are read exactly
// where they are UTF-8.
#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
#include "tests/fuzz/fuzz.h"
#include "tools/cli/json_value.h"

static void
check_tree(const struct json *value, unsigned depth)
{
    bool is_container = value->type == JSON_ARRAY || value->type == JSON_OBJECT;
    must(!is_container || depth < LIMIT_JSON_DEPTH);
    for (uint32_t i = 0; is_container && i < value->count; i++) {
        bool is_object = value->type == JSON_OBJECT;
        for (uint32_t j = 0; is_object && j < i; j++)
            must(!text_equal(value->members[i].name, value->members[j].name));
        check_tree(is_object ? &value->members[i].value : &value->items[i], depth + 1);
    }
}

static void
check_document(const char *data, size_t size)
{
    struct arena arena = {0};
    struct buffer once = {0}, twice = {0};
    const struct json *value;
    if (json_parse(&arena, data, size, &value) == OK) {
        must(arena.size <= json_cost(data, size, 0));
        check_tree(value, 0);
        json_value_put(&once, value);
        must(json_parse(&arena, once.data, once.size, &value) == OK);
        json_value_put(&twice, value);
        must(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
    }
    buffer_finish(&once);
    buffer_finish(&twice);
    arena_finish(&arena);
}

static void
check_text(const char *data, size_t size)
{
    struct arena arena = {0};
    struct buffer quoted = {0};
    const struct json *value = NULL;
    json_put_text(&quoted, data, size);
    enum error error = json_parse(&arena, quoted.data, quoted.size, &value);
    must((error == OK) == utf8_is_valid(data, size));
    if (error == OK)
        must(value->type == JSON_TEXT && text_size(value->text) == size &&
             memcmp(text_bytes(value->text), data, size) == 0);
    buffer_finish(&quoted);
    arena_finish(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!data) // the first call of all has nothing
        return 0;
    check_document((const char *)data, size);
    check_text((const char *)data, size);
    return 0;
}

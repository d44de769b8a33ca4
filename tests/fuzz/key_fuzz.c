// key_fuzz.c - keys as clients choose them, one a line. What the rule of keys lets pass comes back
// as it was from a store key, from a URL and from the router; store keys sort as their texts do.
#include <stdlib.h>
#include <string.h>

#include "actors/scene/scene_family.h"
#include "gateway/http/percent.h"
#include "gateway/router.h"
#include "proto/base/limits.h"
#include "proto/message/partition.h"
#include "proto/record/key_check.h"
#include "store/key.h"
#include "tests/fuzz/fuzz.h"

static const uint64_t scene_id = UINT64_C(0x00ff5cfe00ffffff);

static int
sign(int number)
{
    return (number > 0) - (number < 0);
}

// As the store orders them.
static int
compare(const struct key *a, const struct key *b)
{
    int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
    return sign(order ? order : (a->size > b->size) - (a->size < b->size));
}

static void
check_rule(const struct text *key)
{
    must(text_size(key) >= 1 && text_size(key) <= LIMIT_KEY_BYTES);
    must(utf8_is_valid(text_bytes(key), text_size(key)));
    must(!memchr(text_bytes(key), '/', text_size(key)) && strlen(text_chars(key)) == key->size);
}

static void
check_store(struct arena *arena, const struct text *text)
{
    uint64_t id;
    struct key key = key_of_text(KEY_SCENE, text),
               inner = key_of_number_and_text(KEY_OBJECT, scene_id, text);
    must(text_equal(key_text(arena, key_bytes(&key)), text));
    must(text_equal(key_text_after_number(arena, key_bytes(&inner)), text));
    must(key_number(key_bytes(&inner), &id) && id == scene_id);
    struct key low = key_of_number(KEY_OBJECT, scene_id), high = key_after(&low);
    must(compare(&low, &inner) < 0 && compare(&inner, &high) < 0);
}

static void
check_decoded(struct arena *arena, const char *encoded, enum percent_place where,
              const struct text *text)
{
    const struct text *decoded;
    must(percent_decode(arena, encoded, strlen(encoded), where, &decoded) == OK);
    must(text_equal(decoded, text));
}

static void
check_routed(struct arena *arena, const char *path, const struct text *text)
{
    struct route_match match;
    must(router_find(arena, path, &match) == OK);
    must(match.param_count == 1 && text_is(match.params[0].name, "scene"));
    must(text_equal(match.params[0].value, text));
}

static void
check_url(struct arena *arena, const struct text *text)
{
    static const char scene[] = "/v1/scene/";
    struct buffer path = {0};
    buffer_put_chars(&path, scene);
    percent_encode(&path, text);
    buffer_put_char(&path, '\0');
    check_decoded(arena, path.data + sizeof scene - 1, PERCENT_PATH, text);
    check_decoded(arena, path.data + sizeof scene - 1, PERCENT_QUERY, text);
    check_routed(arena, path.data, text);
    // As it is, too, where nothing in it is an encoding.
    if (!strchr(text_chars(text), '%'))
        check_routed(arena, text_chars(text_format(arena, "%s%s", scene, text_chars(text))), text);
    buffer_finish(&path);
}

static void
check_partition(const struct text *text)
{
    uint16_t partition;
    char first[4] = "";
    must(partition_of_scene(text) < PARTITION_COUNT);
    if (!partition_of_key(text, &partition))
        return;
    must(key_is_generated(text) && !key_check(text));
    memcpy(first, text_bytes(text), text_size(text) < 3 ? 0 : 3);
    must(strtoul(first, NULL, 16) == partition && partition < PARTITION_COUNT);
}

// Any line, then the next one: keys of ours may be longer or odder than clients' may.
static void
check_order(const struct text *a, const struct text *b)
{
    struct key key_a = key_of_number_and_text(KEY_DEVICE, scene_id, a);
    struct key key_b = key_of_number_and_text(KEY_DEVICE, scene_id, b);
    must(key_a.size <= KEY_MAX);
    if (text_size(a) <= LIMIT_KEY_BYTES && text_size(b) <= LIMIT_KEY_BYTES)
        must(compare(&key_a, &key_b) == sign(text_compare(a, b)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct input input = input_of(data, size);
    const struct text *last = NULL;
    while (input.size) {
        const struct text *text = text_from(&arena, input_line(&input, &arena));
        check_partition(text);
        check_order(last, text);
        last = text;
        if (key_check(text))
            continue;
        check_rule(text);
        check_store(&arena, text);
        check_url(&arena, text);
    }
    arena_finish(&arena);
    return 0;
}

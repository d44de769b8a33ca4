// datagram_fuzz.c - one UDP datagram of a stranger: it is an update, says something about a feed,
// or has one reason to be dropped, and it can make nobody allocate much.
#include <string.h>

#include "actors/udp/udp_parser.h"
#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
#include "proto/message/partition.h"
#include "proto/record/record_check.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "tests/fuzz/fuzz.h"

enum { LARGEST_ALLOCATION = 64 << 10 };

// What the thread's JSON parser keeps is taken before anything comes.
static void
warm_up(void)
{
    static bool is_warm;
    struct arena arena = {0};
    const struct json *json;
    if (is_warm)
        return;
    is_warm = json_parse(&arena, "{}", 2, &json) == OK;
    arena_finish(&arena);
}

static void
check_control(const struct feed_control *control, size_t size)
{
    must(feed_control_is(control->type));
    must(strlen(control->token_hash) == FEED_TOKEN_HASH_SIZE - 1);
    must(control->type != CONTROL_HELLO || size >= CONTROL_HELLO_BYTES);
    must(memchr(control->challenge, '\0', CHALLENGE_SIZE) != NULL);
    must(control->from <= control->to);
}

static void
check_update(const struct udp_parsed *update)
{
    const struct schema *schema = update->edit->schema;
    uint16_t partition;
    must(schema == &object_edit_schema || schema == &property_edit_schema);
    if (key_is_generated(update->key))
        must(partition_of_key(update->key, &partition) && partition == update->partition);
    else
        must(schema == &property_edit_schema && update->partition < PARTITION_COUNT);
    must(record_check(update->edit, "") == OK);
    must(!record_has(update->edit, ENTITY_TOKEN) ||
         text_size(record_text(update->edit, ENTITY_TOKEN)) == FEED_TOKEN_SIZE - 1);
    const frozen_t *frozen = record_freeze(schema, update->edit);
    must(record_equal(frozen_record(frozen), update->edit));
    record_unref(&frozen);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct udp_parsed update;
    enum metric_cell reason = METRIC_CELLS;
    warm_up();
    fuzz_limit_allocations(LARGEST_ALLOCATION);
    if (udp_parse(&arena, (const char *)data, size, NULL, &update, &reason))
        update.edit ? check_update(&update) : check_control(update.control, size);
    else
        must((reason >= COUNT_UDP_DROP_SIZE && reason <= COUNT_UDP_DROP_KEY) ||
             reason == COUNT_UDP_DROP_TOKEN);
    fuzz_limit_allocations(0);
    arena_finish(&arena);
    return 0;
}

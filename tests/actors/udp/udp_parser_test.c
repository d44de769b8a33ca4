// udp_parser_test.c - datagrams read as edits or controls, or refused for one reason.
#include "actors/udp/udp_parser.h"

#include <criterion/criterion.h>
#include <string.h>

#include "proto/base/limits.h"
#include "proto/feed/event.h"
#include "proto/message/partition.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

#define KEY "00588a0a270698496c36e392" // of partition 5
#define TOKEN "AAAAAAAAAAAAAAAAAAAAAA"

static struct arena arena;

static void
end(void)
{
    arena_finish(&arena);
}

TestSuite(udp_parser, .fini = end);

static struct udp_parsed
parse(const char *text)
{
    struct udp_parsed parsed;
    enum metric_cell reason = METRIC_CELLS;
    cr_assert(udp_parse(&arena, text, strlen(text), NULL, &parsed, &reason), "%s: %d", text,
              reason);
    return parsed;
}

static void
assert_refused(enum metric_cell expected, const char *data, size_t size)
{
    struct udp_parsed parsed;
    enum metric_cell reason = METRIC_CELLS;
    cr_assert_not(udp_parse(&arena, data, size, NULL, &parsed, &reason), "%.60s", data);
    cr_assert_eq(reason, expected, "%.60s: %d", data, reason);
}

#define ASSERT_REFUSED(expected_, text_) assert_refused((expected_), (text_), strlen(text_))

Test(udp_parser, an_update_of_an_object_is_an_edit_of_its_key)
{
    struct udp_parsed parsed = parse("{\"msg_type\":1,\"key\":\"" KEY "\",\"name\":\"cube\"}");
    const struct object_edit *edit = (const struct object_edit *)(void *)parsed.edit;
    cr_assert_eq(parsed.edit->schema, &object_edit_schema);
    cr_assert_null(parsed.control);
    cr_assert(text_is(parsed.key, KEY));
    cr_assert_eq(parsed.partition, 5);
    cr_assert(text_is(edit->object.name, "cube"));
}

Test(udp_parser, an_update_of_actions_says_which_event_it_makes)
{
    struct udp_parsed parsed = parse("{\"msg_type\":20,\"key\":\"" KEY "\",\"actions\":[]}");
    cr_assert(record_has(parsed.edit, ENTITY_EVENT));
    cr_assert_not(record_has(parse("{\"msg_type\":1,\"key\":\"" KEY "\"}").edit, ENTITY_EVENT));
}

Test(udp_parser, a_chosen_key_of_a_property_belongs_to_the_partition_of_its_scene)
{
    struct udp_parsed parsed = parse("{\"msg_type\":9,\"key\":\"speed\",\"scene\":\"s1\"}");
    cr_assert_eq(parsed.edit->schema, &property_edit_schema);
    cr_assert(text_is(parsed.key, "speed"));
    cr_assert_eq(parsed.partition, partition_of_scene(text_from(&arena, "s1")));
}

Test(udp_parser, zero_bytes_at_the_end_are_padding)
{
    static const char padded[300] = "{\"msg_type\":60,\"token\":\"" TOKEN "\"}";
    struct udp_parsed parsed;
    enum metric_cell reason;
    cr_assert(udp_parse(&arena, padded, sizeof padded, NULL, &parsed, &reason));
    cr_assert_null(parsed.edit);
    cr_assert_eq(parsed.control->type, CONTROL_HELLO);
}

Test(udp_parser, a_sealed_update_is_of_who_sealed_it_whatever_token_it_names)
{
    static const struct sealed_sender sender = {.token_hash = "0123456789abcdef0123456789abcdef"};
    static const char *const texts[] = {"{\"msg_type\":1,\"key\":\"" KEY "\"}",
                                        "{\"msg_type\":1,\"key\":\"" KEY "\",\"token\":\"" TOKEN
                                        "\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct udp_parsed parsed;
        enum metric_cell reason;
        cr_assert(udp_parse(&arena, texts[i], strlen(texts[i]), &sender, &parsed, &reason));
        cr_assert(text_is(record_text(parsed.edit, ENTITY_TOKEN), sender.token_hash));
    }
}

Test(udp_parser, in_the_clear_nobody_names_the_hash_of_a_token)
{
    ASSERT_REFUSED(COUNT_UDP_DROP_TOKEN, "{\"msg_type\":1,\"key\":\"" KEY
                                         "\",\"token\":\"0123456789abcdef0123456789abcdef\"}");
    ASSERT_REFUSED(COUNT_UDP_DROP_TOKEN, "{\"msg_type\":1,\"key\":\"" KEY "\",\"token\":\"\"}");
}

Test(udp_parser, each_wrong_datagram_has_one_reason)
{
    static char large[LIMIT_DATAGRAM_BYTES + 1];
    assert_refused(COUNT_UDP_DROP_SIZE, large, sizeof large);
    ASSERT_REFUSED(COUNT_UDP_DROP_JSON, "");
    ASSERT_REFUSED(COUNT_UDP_DROP_JSON, "{");
    ASSERT_REFUSED(COUNT_UDP_DROP_JSON, "[]");
    ASSERT_REFUSED(COUNT_UDP_DROP_TYPE, "{}");
    ASSERT_REFUSED(COUNT_UDP_DROP_TYPE, "{\"msg_type\":\"1\"}");
    ASSERT_REFUSED(COUNT_UDP_DROP_TYPE, "{\"msg_type\":61}");
    ASSERT_REFUSED(COUNT_UDP_DROP_KEY, "{\"msg_type\":1}");
    ASSERT_REFUSED(COUNT_UDP_DROP_KEY, "{\"msg_type\":1,\"key\":\"cube\"}");
    ASSERT_REFUSED(COUNT_UDP_DROP_KEY, "{\"msg_type\":9,\"key\":\"speed\"}");
    ASSERT_REFUSED(COUNT_UDP_DROP_KEY, "{\"msg_type\":9,\"key\":\"\",\"scene\":\"s1\"}");
    ASSERT_REFUSED(COUNT_UDP_DROP_VALUE, "{\"msg_type\":1,\"key\":\"" KEY "\",\"name\":1}");
    ASSERT_REFUSED(COUNT_UDP_DROP_TOKEN, "{\"msg_type\":60}");
    ASSERT_REFUSED(COUNT_UDP_DROP_VALUE, "{\"msg_type\":60,\"token\":\"" TOKEN "\"}");
}

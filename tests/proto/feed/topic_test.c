// topic_test.c - which events are of which topic, and who may read their records.
#include "proto/feed/topic.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "proto/records/asset.h"
#include "proto/records/user.h"

static struct arena arena;

static void
finish(void)
{
    arena_finish(&arena);
}

TestSuite(topic, .fini = finish);

Test(topic, is_known_by_the_name_of_its_list)
{
    static const char *const names[TOPIC_COUNT] = {"scenes", "assets", "collections", "projects",
                                                   "users"};
    for (unsigned i = 0; i < TOPIC_COUNT; i++)
        cr_expect_eq(topic_named(text_from(&arena, names[i])), &topics[i], "%s", names[i]);
    cr_expect_null(topic_named(text_from(&arena, "devices")));
    cr_expect_null(topic_named(NULL));
}

Test(topic, three_events_are_of_each)
{
    cr_expect_eq(topic_of(EVENT_SCENE_DELETED), &topics[TOPIC_SCENES]);
    cr_expect_eq(topic_of(EVENT_ASSET_CREATED), &topics[TOPIC_ASSETS]);
    cr_expect_eq(topic_of(EVENT_USER_DELETED), &topics[TOPIC_USERS]);
    cr_expect_null(topic_of(EVENT_DEVICE_REGISTERED));
    cr_expect_null(topic_of(EVENT_USER_DELETED + 1));
    unsigned count = 0;
    for (unsigned msg_type = 0; msg_type < 256; msg_type++)
        count += topic_of((uint8_t)msg_type) != NULL;
    cr_expect_eq(count, 3 * TOPIC_COUNT);
}

Test(topic, id_is_that_of_no_scene)
{
    for (unsigned i = 0; i < TOPIC_COUNT; i++)
        cr_expect(topic_has_id(topic_id(&topics[i])));
    cr_expect_not(topic_has_id(0x1234567));
}

static bool
is_seen(const struct topic *topic, struct record *record, const char *user)
{
    struct caller caller = {.role = CALLER_USER};
    snprintf(caller.user, sizeof caller.user, "%s", user);
    return topic_is_seen(topic, record, &caller);
}

Test(topic, record_is_seen_by_its_user_and_by_all_where_it_is_public)
{
    struct record *record = record_new(&arena, &asset_schema);
    record_set_text(record, ASSET_USER, text_from(&arena, "ann"));
    cr_expect(is_seen(&topics[TOPIC_ASSETS], record, "ann"));
    cr_expect_not(is_seen(&topics[TOPIC_ASSETS], record, "bob"));
    ((struct asset *)(void *)record)->is_public = true;
    record_mark(record, ASSET_PUBLIC);
    cr_expect(topic_is_public(&topics[TOPIC_ASSETS], record));
    cr_expect(is_seen(&topics[TOPIC_ASSETS], record, "bob"));
}

Test(topic, user_is_seen_by_themselves)
{
    struct record *record = record_new(&arena, &user_schema);
    record_set_text(record, USER_ID, text_from(&arena, "u1"));
    cr_expect(is_seen(&topics[TOPIC_USERS], record, "u1"));
    cr_expect_not(is_seen(&topics[TOPIC_USERS], record, "u2"));
    cr_expect_not(topic_is_public(&topics[TOPIC_USERS], record));
}

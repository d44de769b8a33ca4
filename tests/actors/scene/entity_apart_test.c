// entity_apart_test.c - entities that are read apart: one reading for all who wait, and commits
// that are newer than what was read.
#include "actors/scene/entity_apart.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/runtime/page_reader.h"
#include "actors/scene/entity/object_kind.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/owned.h"
#include "proto/message/mailbox.h"
#include "tests/support/bare_shard.h"

enum { WAIT_MS = 10000 };

static struct shard *shard;
static struct scene_state *hall;
static mailbox_t *loader;
static struct arena arena;
static const struct text *key;
static unsigned runs; // of messages that waited

static enum error
run_again(actor_t *actor, struct message *message)
{
    (void)actor;
    (void)message;
    runs++;
    return PARKED; // it is the test's
}

static const struct actor_behaviour behaviour = {.operations = {[OBJECT_UPDATE] = {run_again}}};

static void
begin(void)
{
    shard = bare_shard_begin();
    hall = bare_shard_add_scene(shard, "hall", "");
    hall->cache_state = SCENE_ON_DISK;
    shard->base.behaviour = &behaviour;
    snprintf(shard->loader_name, sizeof shard->loader_name, "loader.0");
    cr_assert_eq(mailbox_create("loader.0", true, &loader), OK);
    cr_assert_eq(mailbox_create("scene.0", true, &shard->base.mailbox), OK);
    key = text_from(&arena, "lamp");
    runs = 0;
}

static void
end(void)
{
    entities_apart_finish(shard);
    bare_shard_end();
    mailbox_destroy(&shard->base.mailbox);
    mailbox_destroy(&loader);
    arena_finish(&arena);
}

TestSuite(entity_apart, .init = begin, .fini = end);

static struct message *
asker(void)
{
    return message_create(OBJECT_UPDATE);
}

static enum error
fetch(struct message *message, const frozen_t **ret_entity)
{
    return entity_apart_fetch(shard, hall, &object_kind, key, message, ret_entity);
}

// The name of what the message holds; NULL: there is nothing.
static const char *
held_name(struct message *message)
{
    const frozen_t *entity = NULL;
    cr_assert_eq(fetch(message, &entity), OK);
    return entity ? text_chars(entity_of(frozen_record(entity))->name) : NULL;
}

static bool
is_read_again(void)
{
    owned(message_destroy) struct message *page = mailbox_receive(loader, 0);
    return page != NULL;
}

// The loader answers with an object of this name, or (NULL) with none, or with the failure.
static void
answer(enum store_result result, const char *name)
{
    struct message *message = mailbox_receive(loader, WAIT_MS);
    cr_assert_not_null(message);
    struct record_page *page = record_page_of(message);
    cr_assert_eq(page->limit, RECORD_PAGE_MOST);
    page->result = result;
    page->room = page->count = name != NULL;
    page->records = calloc(1, sizeof page->records[0]);
    if (name)
        page->records[0] = bare_object("hall", "lamp", name);
    cr_assert(entity_apart_read(shard, message));
}

static void
commit(const char *name)
{
    const frozen_t *now = name ? bare_object("hall", "lamp", name) : NULL;
    entity_apart_follow(shard, hall, &object_kind, key, now);
    record_unref(&now);
}

Test(entity_apart, one_reading_serves_all_who_wait)
{
    const frozen_t *entity;
    owned(message_destroy) struct message *first = asker(), *second = asker(), *third = asker();
    cr_assert_eq(fetch(first, &entity), PARKED);
    cr_assert_eq(fetch(second, &entity), PARKED);
    answer(STORE_OK, "red");
    cr_assert_eq(runs, 2);
    cr_assert_str_eq(held_name(first), "red");
    cr_assert_str_eq(held_name(second), "red");
    cr_assert_str_eq(held_name(third), "red", "it came later");
    cr_assert_not(is_read_again());
    cr_assert_eq(hall->read_apart, 1);
    cr_assert_eq(entity_apart_scene(third, &object_kind, key), hall);
}

Test(entity_apart, who_waits_in_line_after_a_commit_has_what_was_committed)
{
    const frozen_t *entity;
    owned(message_destroy) struct message *message = asker();
    cr_assert_eq(fetch(message, &entity), PARKED);
    answer(STORE_OK, "red");
    commit("blue");
    cr_assert_str_eq(held_name(message), "blue");
    commit(NULL);
    cr_assert_null(held_name(message));
}

Test(entity_apart, what_was_committed_while_it_was_read_wins)
{
    const frozen_t *entity;
    owned(message_destroy) struct message *message = asker(), *other = asker();
    cr_assert_eq(fetch(message, &entity), PARKED);
    commit("blue");
    cr_assert_str_eq(held_name(other), "blue");
    answer(STORE_OK, "red");
    cr_assert_eq(runs, 1);
    cr_assert_str_eq(held_name(message), "blue");
}

Test(entity_apart, what_is_not_there_is_known_and_what_cannot_be_read_is_an_error)
{
    const frozen_t *entity;
    owned(message_destroy) struct message *message = asker(), *other = asker();
    cr_assert_eq(fetch(message, &entity), PARKED);
    answer(STORE_OK, NULL);
    cr_assert_null(held_name(message));
    message_end_work(message);
    cr_assert_eq(fetch(other, &entity), PARKED, "it was forgotten with the last who held it");
    answer(STORE_UNAVAILABLE, NULL);
    cr_assert_eq(fetch(other, &entity), ERR_UNAVAILABLE);
}

Test(entity_apart, its_scene_is_held_as_long_as_somebody_holds_it)
{
    const frozen_t *entity;
    unsigned holds = hall->holds;
    struct message *message = asker(), *other = asker();
    entity_apart_expect(shard, hall, &object_kind, key, message);
    cr_assert_not(is_read_again());
    cr_assert_eq(fetch(message, &entity), PARKED);
    answer(STORE_OK, "red");
    cr_assert_str_eq(held_name(other), "red");
    cr_assert_eq(hall->holds, holds + 1);
    message_destroy(&message);
    cr_assert_eq(hall->holds, holds + 1);
    message_destroy(&other);
    cr_assert_eq(hall->holds, holds);
    cr_assert_eq(shard->apart.count, 0);
}

Test(entity_apart, a_message_holds_one_at_most)
{
    const frozen_t *entity;
    owned(message_destroy) struct message *message = asker();
    cr_assert_eq(fetch(message, &entity), PARKED);
    answer(STORE_OK, "red");
    entity_apart_expect(shard, hall, &object_kind, text_from(&arena, "desk"), message);
    cr_assert_null(entity_apart_scene(message, &object_kind, key));
    cr_assert_eq(shard->apart.count, 1);
}

Test(entity_apart, an_end_leaves_nothing_of_those_who_wait)
{
    const frozen_t *entity;
    struct message *message = asker();
    cr_assert_eq(fetch(message, &entity), PARKED);
    cr_assert_eq(fetch(asker(), &entity), PARKED);
    entities_apart_finish(shard); // the page with its asker comes to its end later
    cr_assert_eq(shard->apart.count, 0);
}

// relationship_find_test.c - what a query string names is found in slices, as it will be.
#include "actors/asset/relationship_find.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/asset/asset_state.h"
#include "proto/records/relationship.h"

enum { LINKS = 1500, WANTED = 5 };

static const struct repository_kind kinds[ASSET_KINDS] = {
    [RELATIONSHIPS] = {.tag = KEY_RELATIONSHIP,
                       .schema = &relationship_schema,
                       .index_count = 2,
                       .indexes = {RELATIONSHIP_ASSET, RELATIONSHIP_RELATED}},
};
static const struct resource *const related[] = {NULL};

static struct asset_actor actor;
static struct message *request;

static struct record *
link_of(int number, const char *to)
{
    char asset[16];
    struct arena *arena = &request->arena;
    snprintf(asset, sizeof asset, "%05d", number);
    struct record *link = record_new(arena, &relationship_schema);
    record_set_text(link, RELATIONSHIP_ID, text_from(arena, asset));
    record_set_text(link, RELATIONSHIP_ASSET, text_from(arena, asset));
    record_set_text(link, RELATIONSHIP_TYPE,
                    text_from(arena, number % (LINKS / WANTED) ? "other" : "wanted"));
    record_set_text(link, RELATIONSHIP_RELATED, text_from(arena, to));
    return link;
}

static void
begin(void)
{
    const struct repository_settings settings = {
        .family = FAMILY_ASSET, .committer = "", .kinds = kinds, .kind_count = ASSET_KINDS};
    actor = (struct asset_actor){.related = related};
    repository_init(&actor.repository, &settings);
    actor.repository.staging.granted = (struct room){SIZE_MAX, SIZE_MAX}; // nobody asks here
    actor.repository.base.turn.slice_us = 1;                              // each is over at once
    request = message_create(RELATIONSHIP_PUT);
    struct record_table *table = &actor.repository.tables[RELATIONSHIPS];
    for (int i = 0; i < LINKS; i++) {
        const frozen_t *link = record_freeze(&relationship_schema, link_of(i, "hall"));
        record_set_put(&table->records, link);
        secondary_index_put(&table->indexes[1],
                            record_text(frozen_record(link), RELATIONSHIP_RELATED), link);
        record_unref(&link);
    }
    record_set_text(&request->params->base, PARAMS_RELATED, text_from(&request->arena, "hall"));
    record_set_text(&request->params->base, PARAMS_TYPE, text_from(&request->arena, "wanted"));
}

static void
end(void)
{
    message_destroy(&request);
    repository_close(&actor.repository.base);
}

TestSuite(relationship_find, .init = begin, .fini = end);

// Asks to the end; returns how many slices there were.
static unsigned
find(struct found_links *ret_found, void (*between)(void))
{
    unsigned slices = 1;
    enum error error = relationships_find_named(&actor.repository.base, request, ret_found);
    for (; error == PARKED; slices++) {
        cr_assert_eq(message_queue_pop(&actor.repository.base.paused), request);
        if (between)
            between();
        error = relationships_find_named(&actor.repository.base, request, ret_found);
    }
    cr_assert_eq(error, OK);
    return slices;
}

Test(relationship_find, what_leads_to_one_key_is_gone_through_in_slices)
{
    struct found_links found;
    cr_assert_gt(find(&found, NULL), 5);
    cr_assert_eq(found.count, WANTED);
    cr_assert_eq(find(&found, NULL), 1, "it runs again: nothing is gone through twice");
    cr_assert_eq(found.count, WANTED);
}

// The first one leads elsewhere, the second is gone, one that was not there comes.
static void
change(void)
{
    struct repository *repository = &actor.repository;
    const struct text *keys[] = {text_from(&request->arena, "00000"),
                                 text_from(&request->arena, "00300")};
    if (repository->staging.latest.count)
        return;
    repository_put(repository, RELATIONSHIPS, link_of(0, "stage"),
                   repository_find(repository, RELATIONSHIPS, keys[0]));
    repository_delete(repository, RELATIONSHIPS,
                      repository_find(repository, RELATIONSHIPS, keys[1]));
    repository_put(repository, RELATIONSHIPS, link_of(3000, "hall"), NULL);
}

Test(relationship_find, they_are_found_as_they_will_be)
{
    struct found_links found;
    find(&found, change);
    cr_assert_eq(found.count, WANTED - 1);
    for (size_t i = 0; i < found.count; i++) {
        const struct record *link = frozen_record(found.items[i]);
        cr_assert(text_is(record_text(link, RELATIONSHIP_RELATED), "hall"));
        cr_assert(!text_is(record_key(link), "00300"));
    }
}

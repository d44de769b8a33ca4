// relationship_identity_test.c - relationships are found by their identity, as they will be.
#include "actors/asset/relationship_identity.h"

#include <criterion/criterion.h>

#include "actors/asset/asset_index.h"
#include "actors/asset/asset_state.h"
#include "actors/repository/repository_staged.h"
#include "proto/base/owned.h"
#include "proto/records/relationship.h"
#include "tests/support/known_postings.h"

static const struct repository_kind kinds[ASSET_KINDS] = {
    [RELATIONSHIPS] = {.tag = KEY_RELATIONSHIP,
                       .schema = &relationship_schema,
                       .stored = relationship_index,
                       .is_cached = true},
};

static struct asset_actor actor;
static struct arena arena;
static struct relationship_identities identities;

static void
begin(void)
{
    const struct repository_settings settings = {
        .family = FAMILY_ASSET, .committer = "", .kinds = kinds, .kind_count = ASSET_KINDS};
    actor = (struct asset_actor){0};
    repository_init(&actor.repository, &settings);
    actor.repository.staging.granted = (struct room){SIZE_MAX, SIZE_MAX}; // nobody asks here
}

static void
end(void)
{
    relationship_identities_finish(&identities);
    repository_close(&actor.repository.base);
    arena_finish(&arena);
}

TestSuite(relationship_identity, .init = begin, .fini = end);

static struct record *
link_of(const char *id, const char *asset, const char *sub_id, const char *related)
{
    struct record *link = record_new(&arena, &relationship_schema);
    record_set_text(link, RELATIONSHIP_ID, text_from(&arena, id));
    record_set_text(link, RELATIONSHIP_ASSET, text_from(&arena, asset));
    if (sub_id)
        record_set_text(link, RELATIONSHIP_SUB_ID, text_from(&arena, sub_id));
    record_set_text(link, RELATIONSHIP_TYPE, text_from(&arena, "t"));
    record_set_text(link, RELATIONSHIP_RELATED, text_from(&arena, related));
    return link;
}

static struct cached_record *
known(const struct record *link)
{
    return known_posting(&actor.repository, relationship_index, INDEX_RELATIONSHIP_IDENTITY,
                         relationship_identity_text(&arena, link));
}

// A durable relationship; one reference, yours.
static const frozen_t *
keep(const struct record *link)
{
    const frozen_t *frozen = record_freeze(&relationship_schema, link);
    record_cache_post(&actor.repository.cache, known(link), frozen);
    return frozen;
}

static const frozen_t *
find(const char *asset, const char *sub_id, const char *related)
{
    const struct record *link = link_of("?", asset, sub_id, related);
    known(link);
    return relationship_identities_find(&identities, link);
}

Test(relationship_identity, all_four_parts_make_it_and_an_empty_one_is_none)
{
    owned(record_unref) const frozen_t *kept = keep(link_of("1", "a", NULL, "hall"));
    relationship_identities_begin(&identities, &actor.repository);
    cr_assert_eq(find("a", NULL, "hall"), kept);
    cr_assert_eq(find("a", "", "hall"), kept);
    cr_assert_null(find("a", "part", "hall"));
    cr_assert_null(find("hall", NULL, "a"));
    cr_assert_null(find("a", NULL, "stage"));
    cr_assert_null(find("", NULL, "hall"));
}

Test(relationship_identity, what_is_staged_counts_and_what_it_replaces_does_not)
{
    owned(record_unref) const frozen_t *kept = keep(link_of("1", "a", NULL, "hall"));
    const frozen_t *moved =
        repository_put(&actor.repository, RELATIONSHIPS, link_of("1", "a", NULL, "stage"), kept);
    relationship_identities_begin(&identities, &actor.repository);
    cr_assert_null(find("a", NULL, "hall"));
    cr_assert_eq(find("a", NULL, "stage"), moved);
}

Test(relationship_identity, what_is_durable_is_followed)
{
    owned(record_unref) const frozen_t *kept = keep(link_of("1", "a", NULL, "hall"));
    owned(record_unref) const frozen_t *moved =
        record_freeze(&relationship_schema, link_of("1", "a", NULL, "stage"));
    known(frozen_record(moved));
    repository_show(&actor.repository,
                    &(struct change){.tag = KEY_RELATIONSHIP, .before = kept, .record = moved});
    relationship_identities_begin(&identities, &actor.repository);
    cr_assert_null(find("a", NULL, "hall"));
    cr_assert_eq(find("a", NULL, "stage"), moved);
    repository_show(&actor.repository, &(struct change){.tag = KEY_RELATIONSHIP, .before = moved});
    cr_assert_null(find("a", NULL, "stage"));
}

Test(relationship_identity, is_planned_once)
{
    relationship_identities_begin(&identities, &actor.repository);
    cr_assert(relationship_identities_plan(&identities, link_of("1", "a", NULL, "hall")));
    cr_assert(relationship_identities_plan(&identities, link_of("2", "a", NULL, "stage")));
    cr_assert_not(relationship_identities_plan(&identities, link_of("3", "a", "", "hall")));
}

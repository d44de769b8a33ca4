// relationship_cascade_test.c - relationships that follow what they relate.
#include "actors/asset/relationship_cascade.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/asset/asset_family.h"
#include "actors/asset/asset_index.h"
#include "actors/asset/asset_state.h"
#include "actors/repository/repository_staged.h"
#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "tests/support/known_postings.h"
#include "tests/support/library_service.h"

// --- re-pointing: a repository without a thread, all of it staged ---

static const struct repository_kind kinds[ASSET_KINDS] = {
    [RELATIONSHIPS] = {.tag = KEY_RELATIONSHIP,
                       .schema = &relationship_schema,
                       .stored = relationship_index,
                       .is_cached = true},
};

static struct repository repository;
static struct message *message;

static void
begin(void)
{
    message = message_create(PROJECT_GET);
    const struct repository_settings settings = {
        .family = FAMILY_ASSET, .committer = "", .kinds = kinds, .kind_count = ASSET_KINDS};
    repository_init(&repository, &settings);
    repository.staging.granted = (struct room){SIZE_MAX, SIZE_MAX}; // nobody asks here
    const struct text *old = text_from(&message->arena, "old");
    known_posting(&repository, relationship_index, INDEX_RELATIONSHIP_ASSET, old);
    known_posting(&repository, relationship_index, INDEX_RELATIONSHIP_RELATED, old);
}

static void
end(void)
{
    repository_close(&repository.base);
    message_destroy(&message);
}

static void
stage(const char *id, const char *asset, const char *related)
{
    struct record *link = record_new(&message->arena, &relationship_schema);
    record_set_text(link, RELATIONSHIP_ID, text_from(&message->arena, id));
    record_set_text(link, RELATIONSHIP_ASSET, text_from(&message->arena, asset));
    record_set_text(link, RELATIONSHIP_RELATED, text_from(&message->arena, related));
    repository_put(&repository, RELATIONSHIPS, link, NULL);
}

static bool
leads(const char *id, const char *asset, const char *related)
{
    const frozen_t *link =
        repository_latest(&repository, RELATIONSHIPS, text_from(&message->arena, id));
    return text_is(record_text(frozen_record(link), RELATIONSHIP_ASSET), asset) &&
           text_is(record_text(frozen_record(link), RELATIONSHIP_RELATED), related);
}

Test(relationship_cascade, both_ends_move_to_the_new_key, .init = begin, .fini = end)
{
    const struct text *old = text_from(&message->arena, "old");
    stage("of", "old", "scene");
    stage("to", "thumbnail", "old");
    stage("itself", "old", "old");
    stage("other", "else", "scene");
    cr_assert_eq(relationship_cascade_repoint(&repository, message, old,
                                              text_from(&message->arena, "new"),
                                              room_for_removals(1)),
                 OK);
    cr_assert(leads("of", "new", "scene"));
    cr_assert(leads("to", "thumbnail", "new"));
    cr_assert(leads("itself", "new", "new"));
    cr_assert(leads("other", "else", "scene"));
    cr_assert_eq(repository.staging.filling.batch->count,
                 4 + 3 + repository.staging.filling.batch->beside, "each is written once");
}

Test(relationship_cascade, more_than_one_commit_takes_do_not_move, .init = begin, .fini = end)
{
    const struct text *old = text_from(&message->arena, "old");
    for (int i = 0; i < LIMIT_COMMIT_OPERATIONS; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        stage(id, "old", "scene");
    }
    cr_assert_eq(relationship_cascade_repoint(&repository, message, old,
                                              text_from(&message->arena, "new"),
                                              room_for_removals(1)),
                 ERR_CONFLICT);
    cr_assert(leads("0", "old", "scene"));
}

// --- ending: the asset actor ---

static void
relate(struct library *library, const char *asset, const char *related)
{
    char record[160];
    snprintf(record, sizeof record, "{'assetId':'%s','relationshipType':'t','relatedId':'%s'}",
             asset, related);
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .records = record), OK);
}

static uint32_t
count_links(struct library *library)
{
    owned(message_destroy) struct message *answer = ASK(library, RELATIONSHIP_LIST);
    cr_assert_eq(answer->reply.fault.error, OK);
    return answer->reply.count;
}

LIBRARY_TEST(links, end_with_what_they_lead_to)
{
    struct library_id project = MAKE(library, PROJECT_CREATE, .records = "{}");
    struct library_id collection = MAKE(library, COLLECTION_CREATE, .records = "{}");
    relate(library, "a", project.chars);
    relate(library, "a", collection.chars);
    relate(library, collection.chars, "scene");
    relate(library, "a", "scene");
    cr_assert_eq(DO(library, PROJECT_DELETE, .project = project.chars), OK);
    cr_assert_eq(count_links(library), 3);
    cr_assert_eq(DO(library, COLLECTION_DELETE, .collection = collection.chars), OK);
    cr_assert_eq(count_links(library), 1);
    library_restart(library);
    cr_assert_eq(count_links(library), 1);
}

LIBRARY_TEST(links, a_deletion_that_fails_leaves_all_of_them)
{
    struct library_id project = MAKE(library, PROJECT_CREATE, .records = "{}");
    relate(library, "a", project.chars);
    relate(library, "b", project.chars);
    library_set_faults(library, "unavailable=1");
    cr_assert_eq(DO(library, PROJECT_DELETE, .project = project.chars), ERR_UNAVAILABLE);
    library_set_faults(library, "");
    cr_assert_eq(count_links(library), 2);
    cr_assert_eq(DO(library, PROJECT_GET, .project = project.chars), OK);
}

// More than one commit takes, so that the deletion is several.
LIBRARY_TEST(links, any_number_of_them_ends_before_what_they_lead_to)
{
    enum { MANY = LIMIT_COMMIT_OPERATIONS * 2 + 100 };
    static uint64_t ids[MANY];
    struct library_id project = MAKE(library, PROJECT_CREATE, .records = "{}");
    relate(library, "kept", "scene");
    for (int i = 0; i < MANY; i++) {
        char record[160];
        snprintf(record, sizeof record, "{'assetId':'a%d','relationshipType':'t','relatedId':'%s'}",
                 i, project.chars);
        ids[i] = SEND(library, RELATIONSHIP_PUT, .records = record);
    }
    for (int i = 0; i < MANY; i++)
        cr_assert_eq(asker_outcome(&library->asker, ids[i]), OK);
    cr_assert_eq(DO(library, PROJECT_DELETE, .project = project.chars), OK);
    cr_assert_eq(count_links(library), 1);
    cr_assert_eq(DO(library, PROJECT_GET, .project = project.chars), ERR_NOT_FOUND);
    library_restart(library);
    cr_assert_eq(count_links(library), 1);
}

LIBRARY_TEST(links, a_deletion_of_several_commits_goes_on_after_one_failed)
{
    enum { MANY = LIMIT_COMMIT_OPERATIONS + 500 };
    static uint64_t ids[MANY];
    struct library_id project = MAKE(library, PROJECT_CREATE, .records = "{}");
    for (int i = 0; i < MANY; i++) {
        char record[160];
        snprintf(record, sizeof record, "{'assetId':'a%d','relationshipType':'t','relatedId':'%s'}",
                 i, project.chars);
        ids[i] = SEND(library, RELATIONSHIP_PUT, .records = record);
    }
    for (int i = 0; i < MANY; i++)
        cr_assert_eq(asker_outcome(&library->asker, ids[i]), OK);
    library_set_faults(library, "unavailable=2"); // the first commit of the deletion stays
    cr_assert_eq(DO(library, PROJECT_DELETE, .project = project.chars), ERR_UNAVAILABLE);
    uint32_t left = count_links(library);
    cr_assert(left > 0 && left < MANY, "%u are left", left);
    cr_assert_eq(DO(library, PROJECT_GET, .project = project.chars), OK);
    cr_assert_eq(DO(library, PROJECT_DELETE, .project = project.chars), OK);
    cr_assert_eq(count_links(library), 0);
    cr_assert_eq(DO(library, PROJECT_GET, .project = project.chars), ERR_NOT_FOUND);
}

LIBRARY_TEST(links, a_collection_that_ends_leaves_the_projects_that_list_it)
{
    char record[160];
    struct library_id gone = MAKE(library, COLLECTION_CREATE, .records = "{}");
    snprintf(record, sizeof record, "{'assetCollectionIds':['one','%s','two']}", gone.chars);
    struct library_id lists = MAKE(library, PROJECT_CREATE, .records = record);
    struct library_id other = MAKE(library, PROJECT_CREATE, .records = "{'tags':['t']}");
    cr_assert_eq(DO(library, COLLECTION_DELETE, .collection = gone.chars), OK);
    owned(message_destroy) struct message *answer =
        ASK(library, PROJECT_GET, .project = lists.chars);
    const struct texts *left = reply_project(answer, 0)->collections;
    cr_assert_eq(texts_count(left), 2);
    cr_assert(text_is(left->items[0], "one"));
    cr_assert(text_is(left->items[1], "two"));
    cr_assert_eq(DO(library, PROJECT_GET, .project = other.chars), OK);
}

// Each write looks at those of the end that has fewer: there are never many of them.
LIBRARY_TEST(links, of_a_key_in_the_place_of_an_asset_are_bounded)
{
    char record[160];
    for (int i = 0; i <= LIMIT_ASSET_LINKS; i++) {
        snprintf(record, sizeof record,
                 "{'assetId':'a','relationshipType':'t%d','relatedId':'scene'}", i);
        cr_assert_eq(DO(library, RELATIONSHIP_PUT, .records = record),
                     i < LIMIT_ASSET_LINKS ? OK : ERR_CONFLICT, "number %d", i);
    }
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .records = record), ERR_CONFLICT);
    relate(library, "b", "scene"); // any number leads to what is no asset
    relate(library, "scene", "a"); // which stands for none yet
    snprintf(record, sizeof record, "{'assetId':'a','relationshipType':'t0','relatedId':'scene'}");
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .records = record), OK, "it exists");
}

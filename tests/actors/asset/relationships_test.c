// relationships_test.c - one relationship for each identity, whatever comes at the same time or
// fails; found by their ends; who sees and changes them.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "tests/support/library_service.h"

#define ANNA .role = CALLER_USER, .user = "aaaaaaaaaaaaaaaaaaaaaaaa"
#define BERT .role = CALLER_USER, .user = "bbbbbbbbbbbbbbbbbbbbbbbb"

#define LINK(asset, type, related)                                                                 \
    "{'assetId':'" asset "','relationshipType':'" type "','relatedId':'" related "'}"

static int
compare_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum { MOST = 16, WORD_SIZE = 64 };

// Sorts `count` words and joins them with blanks.
static const char *
joined(char words[MOST][WORD_SIZE], size_t count)
{
    static char all[MOST * WORD_SIZE];
    size_t size = 0;
    qsort(words, count, WORD_SIZE, compare_words);
    all[0] = '\0';
    for (size_t i = 0; i < count; i++)
        size += (size_t)snprintf(all + size, sizeof all - size, "%s%s", i ? " " : "", words[i]);
    return all;
}

// The relationships of the reply, "asset.sub-type.subtype-related" each, sorted; drops it.
static const char *
shown(struct message *answer)
{
    char words[MOST][WORD_SIZE];
    uint32_t count = answer->reply.count;
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    cr_assert_leq(count, MOST);
    for (uint32_t i = 0; i < count; i++) {
        const struct relationship *link = reply_relationship(answer, i);
        snprintf(words[i], WORD_SIZE, "%s.%s-%s.%s-%s", text_chars(link->asset),
                 text_chars(link->sub_id), text_chars(link->type), text_chars(link->subtype),
                 text_chars(link->related));
    }
    message_destroy(&answer);
    return joined(words, count);
}

#define SHOWS(expected, ...) cr_assert_str_eq(shown(ASK(__VA_ARGS__)), expected)
#define HAS(expected, library) SHOWS(expected, library, RELATIONSHIP_LIST, .role = CALLER_TRUSTED)

// --- put ---

LIBRARY_TEST(relationships, a_put_makes_or_changes_the_one_of_its_identity)
{
    struct library_id id = MAKE(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "s"));
    struct library_id same =
        MAKE(library, RELATIONSHIP_PUT,
             .records = "{'assetId':'a','assetSubId':'','relationshipType':'scene','relatedId':'s',"
                        "'relationshipSubtype':'mesh'}");
    cr_assert_str_eq(same.chars, id.chars);
    HAS("a.-scene.mesh-s", library);
    MAKE(library, RELATIONSHIP_PUT,
         .records = "{'assetId':'a','assetSubId':'1','relationshipType':'scene','relatedId':'s'}");
    MAKE(library, RELATIONSHIP_PUT, .records = LINK("a", "object", "s"));
    MAKE(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "t"));
    MAKE(library, RELATIONSHIP_PUT, .records = LINK("b", "scene", "s"));
    static const char all[] = "a.-object.-s a.-scene.-t a.-scene.mesh-s a.1-scene.-s b.-scene.-s";
    HAS(all, library);
    library_restart(library);
    HAS(all, library);
}

LIBRARY_TEST(relationships, a_put_needs_asset_type_and_related)
{
    static const char *const bodies[] = {"{'relationshipType':'t','relatedId':'r'}",
                                         "{'assetId':'a','relatedId':'r'}",
                                         "{'assetId':'a','relationshipType':'t'}"};
    static const char *const pointers[] = {"/assetId", "/relationshipType", "/relatedId"};
    for (size_t i = 0; i < 3; i++) {
        owned(message_destroy) struct message *answer =
            ASK(library, RELATIONSHIP_PUT, .records = bodies[i]);
        cr_assert_eq(answer->reply.fault.error, ERR_MISSING);
        cr_assert_str_eq(answer->reply.fault.pointer, pointers[i]);
    }
    HAS("", library);
}

LIBRARY_TEST(relationships, a_put_by_name_overwrites_all_that_it_names)
{
    MAKE(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "s"));
    MAKE(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "t"));
    MAKE(library, RELATIONSHIP_PUT, .records = LINK("a", "object", "s"));
    SHOWS("b.-scene.mesh-s b.-scene.mesh-t", library, RELATIONSHIP_PUT, .asset = "a",
          .type = "scene", .records = "{'assetId':'b','relationshipSubtype':'mesh'}");
    HAS("a.-object.-s b.-scene.mesh-s b.-scene.mesh-t", library);
}

LIBRARY_TEST(relationships, a_put_by_name_makes_what_is_not_there)
{
    SHOWS("a.-scene.mesh-s", library, RELATIONSHIP_PUT, .asset = "a", .type = "scene",
          .related = "s", .records = "{'relationshipSubtype':'mesh'}");
    SHOWS("b.-scene.-s", library, RELATIONSHIP_PUT, .asset = "x", .type = "scene", .related = "s",
          .records = LINK("b", "scene", "s"));
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .type = "scene", .records = "{}"), ERR_MISSING,
                 "by type alone it could be anything");
}

LIBRARY_TEST(relationships, no_two_come_to_the_same_identity)
{
    MAKE(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "s"));
    MAKE(library, RELATIONSHIP_PUT, .records = LINK("b", "scene", "s"));
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .asset = "a", .records = "{'assetId':'b'}"),
                 ERR_CONFLICT);
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .related = "s", .records = "{'assetId':'c'}"),
                 ERR_CONFLICT);
    HAS("a.-scene.-s b.-scene.-s", library);
}

LIBRARY_TEST(relationships, two_puts_of_one_identity_at_once_are_one)
{
    gate_close(library->store, GATE_COMMITS);
    uint64_t first = SEND(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "s"));
    uint64_t second = SEND(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "s"));
    cr_assert(gate_await(library->store, GATE_COMMITS));
    uint64_t third = SEND(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "s"));
    HAS("", library);
    gate_open(library->store, GATE_COMMITS);
    struct library_id ids[] = {library_id_of(asker_answer(&library->asker, first)),
                               library_id_of(asker_answer(&library->asker, second)),
                               library_id_of(asker_answer(&library->asker, third))};
    cr_assert_str_eq(ids[0].chars, ids[1].chars);
    cr_assert_str_eq(ids[0].chars, ids[2].chars);
    HAS("a.-scene.-s", library);
}

// --- find and delete ---

static void
fill(struct library *library)
{
    static const char *const links[] = {LINK("a", "scene", "s"), LINK("a", "object", "o"),
                                        LINK("b", "scene", "s"), LINK("b", "scene", "t")};
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        MAKE(library, RELATIONSHIP_PUT, .records = links[i]);
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .asset = "b", .related = "t",
                    .records = "{'relationshipSubtype':'mesh'}"),
                 OK);
}

LIBRARY_TEST(relationships, are_found_by_any_of_their_ends_type_and_subtype)
{
    fill(library);
    SHOWS("a.-object.-o a.-scene.-s", library, RELATIONSHIP_LIST, .asset = "a");
    SHOWS("a.-scene.-s b.-scene.-s", library, RELATIONSHIP_LIST, .related = "s");
    SHOWS("b.-scene.-s", library, RELATIONSHIP_LIST, .related = "s", .asset = "b");
    SHOWS("a.-object.-o", library, RELATIONSHIP_LIST, .type = "object");
    SHOWS("b.-scene.mesh-t", library, RELATIONSHIP_LIST, .subtype = "mesh");
    SHOWS("", library, RELATIONSHIP_LIST, .asset = "a", .related = "t");
    SHOWS("", library, RELATIONSHIP_LIST, .asset = "none");
}

LIBRARY_TEST(relationships, are_paged_in_one_order)
{
    fill(library);
    char last[GENERATED_KEY_SIZE + 1] = "";
    for (int64_t i = 0; i < 4; i++) {
        struct library_id id =
            MAKE(library, RELATIONSHIP_LIST, .num_records = 1, .start_record = i);
        cr_assert_gt(strcmp(id.chars, last), 0);
        snprintf(last, sizeof last, "%s", id.chars);
    }
    SHOWS("", library, RELATIONSHIP_LIST, .num_records = 1, .start_record = 4);
}

LIBRARY_TEST(relationships, of_many_assets_or_to_many_entities_come_each_once)
{
    fill(library);
    SHOWS("a.-object.-o a.-scene.-s", library, RELATIONSHIP_BULK,
          .records = "{'assetIds':['a','none','a']}");
    SHOWS("a.-object.-o b.-scene.mesh-t", library, RELATIONSHIP_BULK,
          .records = "{'relatedIds':['t','o']}");
    SHOWS("a.-object.-o a.-scene.-s b.-scene.-s", library, RELATIONSHIP_BULK,
          .records = "{'assetIds':['a'],'relatedIds':['s']}");
    SHOWS("", library, RELATIONSHIP_BULK, .records = "{'assetIds':[]}");
}

LIBRARY_TEST(relationships, end_by_asset_type_and_related)
{
    fill(library);
    MAKE(library, RELATIONSHIP_PUT,
         .records = "{'assetId':'a','assetSubId':'1','relationshipType':'scene','relatedId':'s'}");
    cr_assert_eq(DO(library, RELATIONSHIP_DELETE, .asset = "a", .type = "scene"), ERR_MISSING);
    cr_assert_eq(DO(library, RELATIONSHIP_DELETE, .asset = "a", .related = "s"), ERR_MISSING);
    cr_assert_eq(DO(library, RELATIONSHIP_DELETE, .type = "scene", .related = "s"), ERR_MISSING);
    SHOWS("a.-scene.-s a.1-scene.-s", library, RELATIONSHIP_DELETE, .asset = "a", .type = "scene",
          .related = "s");
    SHOWS("", library, RELATIONSHIP_DELETE, .asset = "a", .type = "scene", .related = "s");
    HAS("a.-object.-o b.-scene.-s b.-scene.mesh-t", library);
    library_restart(library);
    HAS("a.-object.-o b.-scene.-s b.-scene.mesh-t", library);
}

// --- access ---

static const char *
link_to(struct library_id id)
{
    static char record[160];
    snprintf(record, sizeof record, "{'assetId':'a','relationshipType':'project','relatedId':'%s'}",
             id.chars);
    return record;
}

LIBRARY_TEST(relationships, are_seen_where_both_ends_are)
{
    struct library_id hidden = MAKE(library, PROJECT_CREATE, .records = "{}", ANNA);
    struct library_id shown_ = MAKE(library, PROJECT_CREATE, .records = "{'public':true}", ANNA);
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .records = link_to(hidden), BERT), ERR_NOT_FOUND);
    MAKE(library, RELATIONSHIP_PUT, .records = link_to(hidden), ANNA);
    MAKE(library, RELATIONSHIP_PUT, .records = link_to(shown_), ANNA);
    SHOWS("", library, RELATIONSHIP_LIST, .related = hidden.chars, BERT);
    owned(message_destroy) struct message *annas =
        ASK(library, RELATIONSHIP_LIST, .asset = "a", ANNA);
    owned(message_destroy) struct message *berts =
        ASK(library, RELATIONSHIP_LIST, .asset = "a", BERT);
    owned(message_destroy) struct message *bulk =
        ASK(library, RELATIONSHIP_BULK, .records = "{'assetIds':['a']}", BERT);
    cr_assert_eq(annas->reply.count, 2);
    cr_assert_eq(berts->reply.count, 1);
    cr_assert_eq(bulk->reply.count, 1);
    SHOWS("", library, RELATIONSHIP_DELETE, .asset = "a", .type = "project",
          .related = hidden.chars, BERT);
}

LIBRARY_TEST(relationships, are_changed_by_their_maker_and_administrators)
{
    MAKE(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "s"), ANNA);
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "s"), BERT),
                 ERR_FORBIDDEN);
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .asset = "a", .records = "{'assetId':'b'}", BERT),
                 ERR_FORBIDDEN);
    cr_assert_eq(
        DO(library, RELATIONSHIP_DELETE, .asset = "a", .type = "scene", .related = "s", BERT),
        ERR_FORBIDDEN);
    cr_assert_eq(DO(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "s"), ANNA), OK);
    cr_assert_eq(
        DO(library, RELATIONSHIP_PUT, .records = LINK("a", "scene", "s"), .role = CALLER_ADMIN),
        OK);
    cr_assert_eq(
        DO(library, RELATIONSHIP_DELETE, .asset = "a", .type = "scene", .related = "s", ANNA), OK,
        "it is still hers");
}

LIBRARY_TEST(relationships, to_what_is_about_to_be_gone_are_refused)
{
    struct library_id project = MAKE(library, PROJECT_CREATE, .records = "{}");
    // Now the ends are known, and the PUT waits for nothing but the removal.
    cr_assert_eq(
        DO(library, RELATIONSHIP_DELETE, .asset = "a", .type = "t", .related = project.chars), OK);
    gate_close(library->store, GATE_COMMITS);
    uint64_t removal = SEND(library, PROJECT_DELETE, .project = project.chars);
    uint64_t link = SEND(library, RELATIONSHIP_PUT, .records = link_to(project));
    gate_open(library->store, GATE_COMMITS);
    cr_assert_eq(asker_outcome(&library->asker, removal), OK);
    cr_assert_eq(asker_outcome(&library->asker, link), ERR_NOT_FOUND);
    HAS("", library);
}

// --- any requests at the same time, failing commits, restarts ---

enum { ENDS = 2, BURST = 32, ROUNDS = 24, IDENTITIES = ENDS * ENDS, SUBTYPES = 4 };

static const char *const plans[] = {"", "unavailable=2", "full=3,latency=2", "unknown=2"};

struct step {
    uint64_t id;
    unsigned identity;
    unsigned subtype; // SUBTYPES = a delete
};

static struct step
send_step(struct library *library, unsigned *seed)
{
    struct step step = {.identity = (unsigned)rand_r(seed) % IDENTITIES,
                        .subtype = (unsigned)rand_r(seed) % (SUBTYPES + 1)};
    char record[160], asset[3], related[3];
    snprintf(asset, sizeof asset, "a%u", step.identity % ENDS);
    snprintf(related, sizeof related, "r%u", step.identity / ENDS);
    snprintf(record, sizeof record,
             "{'assetId':'%s','relationshipType':'t','relatedId':'%s','relationshipSubtype':'%u'}",
             asset, related, step.subtype);
    if (step.subtype == SUBTYPES)
        step.id =
            SEND(library, RELATIONSHIP_DELETE, .asset = asset, .type = "t", .related = related);
    else
        step.id = SEND(library, RELATIONSHIP_PUT, .records = record);
    return step;
}

// `subtypes` are those that the identities must have, SUBTYPES where there is none.
static void
settle(struct library *library, const struct step *step, unsigned *subtypes)
{
    owned(message_destroy) struct message *answer = asker_answer(&library->asker, step->id);
    enum error error = answer->reply.fault.error;
    if (error != OK) {
        cr_assert(error == ERR_UNAVAILABLE || error == ERR_STORAGE_FULL, "%s",
                  answer->reply.fault.detail);
        return;
    }
    bool was = subtypes[step->identity] != SUBTYPES, puts = step->subtype != SUBTYPES;
    cr_assert_eq(answer->reply.count, puts || was);
    subtypes[step->identity] = step->subtype;
}

static void
check_all(struct library *library, const unsigned *subtypes)
{
    char words[MOST][WORD_SIZE], expected[MOST * WORD_SIZE];
    size_t count = 0;
    for (unsigned i = 0; i < IDENTITIES; i++)
        if (subtypes[i] != SUBTYPES)
            snprintf(words[count++], WORD_SIZE, "a%u.-t.%u-r%u", i % ENDS, subtypes[i], i / ENDS);
    snprintf(expected, sizeof expected, "%s", joined(words, count));
    HAS(expected, library);
}

LIBRARY_TEST(relationships, agree_with_a_model_whatever_fails)
{
    unsigned subtypes[IDENTITIES], seed = 11;
    struct step steps[BURST];
    for (unsigned i = 0; i < IDENTITIES; i++)
        subtypes[i] = SUBTYPES;
    for (unsigned round = 0; round < ROUNDS; round++) {
        library_set_faults(library,
                           plans[(unsigned)rand_r(&seed) % (sizeof plans / sizeof plans[0])]);
        for (unsigned i = 0; i < BURST; i++)
            steps[i] = send_step(library, &seed);
        for (unsigned i = 0; i < BURST; i++)
            settle(library, &steps[i], subtypes);
        check_all(library, subtypes);
        if (round % 6 == 5) {
            library_restart(library);
            check_all(library, subtypes);
        }
    }
}

// resource_test.c - what can be asked of every kind of record, by way of projects and collections:
// against a simple model with failing commits and restarts, who may do what, conditions, limits.
#include "actors/repository/resource.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/codec/etag.h"
#include "tests/support/library_service.h"

// --- any requests at the same time, failing commits, restarts ---

enum { SLOTS = 4, WORDS = 4, BURST = 24, ROUNDS = 24 };

// A project as it must be: which of the tags t0… and groups g0… it has.
struct model {
    struct library_id id;
    bool exists;
    bool tags[WORDS];
    bool groups[WORDS];
    // What this burst asked: a refusal may tell of a state that then never became durable.
    struct {
        bool end;
        bool groups[WORDS];
    } asked;
};

struct step {
    uint64_t id;
    struct model *model;
    enum operation operation;
    unsigned word;
};

static const enum operation operations[] = {
    PROJECT_ADD_TAG, PROJECT_DROP_TAG, GROUP_CREATE,   GROUP_DELETE,
    PROJECT_ADD_TAG, GROUP_CREATE,     PROJECT_UPDATE, PROJECT_DELETE,
};

static const char *const plans[] = {
    "", "unavailable=2", "full=3,latency=2", "unknown=2", "latency=3", "unavailable=3,unknown=4",
};

static unsigned seed;

static unsigned
draw(size_t count)
{
    return (unsigned)rand_r(&seed) % (unsigned)count;
}

static bool
is_about_store(enum error error)
{
    return error == ERR_UNAVAILABLE || error == ERR_STORAGE_FULL;
}

static void
check_model(const struct model *model, const struct project *project)
{
    uint32_t tags = 0, groups = 0;
    for (unsigned word = 0; word < WORDS; word++) {
        tags += model->tags[word];
        groups += model->groups[word];
    }
    cr_assert_eq(texts_count(project->tags), tags);
    for (size_t i = 0; i < texts_count(project->tags); i++)
        cr_assert(model->tags[project->tags->items[i]->data[1] - '0']);
    cr_assert_eq(project->groups ? project->groups->count : 0, groups);
    for (uint32_t i = 0; i < groups; i++)
        cr_assert(model->groups[record_text(project->groups->items[i], 0)->data[1] - '0']);
}

static struct step
send_step(struct library *library, struct model *model)
{
    struct step step = {.model = model,
                        .operation = operations[draw(sizeof operations / sizeof operations[0])],
                        .word = draw(WORDS)};
    char tag[3], group[3], record[16] = "{}";
    snprintf(tag, sizeof tag, "t%u", step.word % WORDS);
    snprintf(group, sizeof group, "g%u", step.word % WORDS);
    if (step.operation == GROUP_CREATE)
        snprintf(record, sizeof record, "{'name':'%s'}", group);
    bool has_body = operation_rows[step.operation].request != NULL;
    step.id = SEND(library, step.operation, .project = model->id.chars, .tag = tag, .group = group,
                   .records = has_body ? record : NULL);
    return step;
}

static void
apply(struct model *model, const struct step *step)
{
    switch (step->operation) {
    case PROJECT_ADD_TAG:
    case PROJECT_DROP_TAG:
        model->tags[step->word] = step->operation == PROJECT_ADD_TAG;
        break;
    case GROUP_CREATE:
    case GROUP_DELETE:
        cr_assert_neq(model->groups[step->word], step->operation == GROUP_CREATE);
        model->groups[step->word] = step->operation == GROUP_CREATE;
        break;
    case PROJECT_DELETE:
        model->exists = false;
        break;
    default:
        break;
    }
}

// Whether the refusal is true of a state that was, or was about to be.
static bool
is_explained(const struct model *model, const struct step *step, enum error error)
{
    bool has = model->groups[step->word], touched = model->asked.groups[step->word];
    if (error == ERR_NOT_FOUND && (model->asked.end || !model->exists))
        return true;
    if (error == ERR_NOT_FOUND)
        return step->operation == GROUP_DELETE && (!has || touched);
    return error == ERR_CONFLICT && step->operation == GROUP_CREATE && (has || touched);
}

static void
settle(struct library *library, const struct step *step)
{
    struct model *model = step->model;
    owned(message_destroy) struct message *answer = asker_answer(&library->asker, step->id);
    enum error error = answer->reply.fault.error;
    if (error == OK) {
        cr_assert(model->exists, "what is gone was changed");
        apply(model, step);
        if (step->operation != PROJECT_DELETE)
            check_model(model, reply_project(answer, 0));
    } else {
        cr_assert(is_about_store(error) || is_explained(model, step, error), "%s: %s",
                  operation_rows[step->operation].name, answer->reply.fault.detail);
    }
    model->asked.end |= step->operation == PROJECT_DELETE;
    model->asked.groups[step->word] |=
        step->operation == GROUP_CREATE || step->operation == GROUP_DELETE;
}

static void
revive(struct library *library, struct model *model)
{
    memset(&model->asked, 0, sizeof model->asked);
    if (model->exists)
        return;
    owned(message_destroy) struct message *answer =
        ASK(library, PROJECT_CREATE, .records = "{'sceneGroups':[{'name':'g0'}]}");
    if (is_about_store(answer->reply.fault.error))
        return;
    cr_assert_eq(answer->reply.fault.error, OK);
    *model = (struct model){.exists = true, .groups = {true}};
    snprintf(model->id.chars, sizeof model->id.chars, "%s",
             text_chars(reply_project(answer, 0)->id));
}

static void
check_all(struct library *library, const struct model *models)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (!models[i].id.chars[0])
            continue;
        owned(message_destroy) struct message *answer =
            ASK(library, PROJECT_GET, .project = models[i].id.chars);
        cr_assert_eq(answer->reply.fault.error, models[i].exists ? OK : ERR_NOT_FOUND);
        if (models[i].exists)
            check_model(&models[i], reply_project(answer, 0));
    }
}

static void
run_burst(struct library *library, struct model *models)
{
    struct step steps[BURST];
    bool is_ending[SLOTS] = {false};
    unsigned count = 0;
    for (unsigned i = 0; i < BURST; i++) {
        unsigned slot = draw(SLOTS);
        // A deletion may read what ends with the project first: what is sent behind it is then done
        // before it.
        if (!models[slot].exists || is_ending[slot])
            continue;
        steps[count] = send_step(library, &models[slot]);
        is_ending[slot] = steps[count++].operation == PROJECT_DELETE;
    }
    for (unsigned i = 0; i < count; i++)
        settle(library, &steps[i]);
}

LIBRARY_TEST(resource, agrees_with_a_model_whatever_fails)
{
    struct model models[SLOTS] = {0};
    seed = 7;
    for (unsigned round = 0; round < ROUNDS; round++) {
        library_set_faults(library, plans[draw(sizeof plans / sizeof plans[0])]);
        for (unsigned i = 0; i < SLOTS; i++)
            revive(library, &models[i]);
        run_burst(library, models);
        check_all(library, models);
        if (round % 4 == 3) {
            library_restart(library);
            check_all(library, models);
        }
    }
}

// --- who may do what ---

#define ANNA .role = CALLER_USER, .user = "aaaaaaaaaaaaaaaaaaaaaaaa"
#define BERT .role = CALLER_USER, .user = "bbbbbbbbbbbbbbbbbbbbbbbb"

LIBRARY_TEST(resource, what_is_new_belongs_to_its_maker_and_is_private)
{
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{'name':'p'}", ANNA);
    owned(message_destroy) struct message *answer =
        ASK(library, PROJECT_GET, .project = id.chars, ANNA);
    cr_assert(text_is(reply_project(answer, 0)->user, "aaaaaaaaaaaaaaaaaaaaaaaa"));
    cr_assert_not(reply_project(answer, 0)->is_public);
}

LIBRARY_TEST(resource, without_authentication_what_is_new_is_nobodys_and_public)
{
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{'user':'me'}");
    owned(message_destroy) struct message *answer = ASK(library, PROJECT_GET, .project = id.chars);
    cr_assert_eq(text_size(reply_project(answer, 0)->user), 0);
    cr_assert(reply_project(answer, 0)->is_public);
}

// What somebody else hears of a private and of a public project, and its owner and an administrator
// of the private one.
struct verdict {
    enum operation operation;
    enum error private, public, owner, admin;
};

static const struct verdict verdicts[] = {
    {PROJECT_GET, ERR_NOT_FOUND, OK, OK, OK},
    {PROJECT_UPDATE, ERR_NOT_FOUND, ERR_FORBIDDEN, OK, OK},
    {PROJECT_ADD_TAG, ERR_NOT_FOUND, ERR_FORBIDDEN, OK, OK},
    {PROJECT_DROP_TAG, ERR_NOT_FOUND, ERR_FORBIDDEN, OK, OK},
    {PROJECT_ADD_COLLECTION, ERR_NOT_FOUND, ERR_FORBIDDEN, OK, OK},
    {PROJECT_DROP_COLLECTION, ERR_NOT_FOUND, ERR_FORBIDDEN, OK, OK},
    {GROUP_UPDATE, ERR_NOT_FOUND, ERR_FORBIDDEN, OK, OK},
    {GROUP_ADD_SCENE, ERR_NOT_FOUND, ERR_FORBIDDEN, OK, OK},
    {GROUP_DROP_SCENE, ERR_NOT_FOUND, ERR_FORBIDDEN, OK, OK},
    {GROUP_DELETE, ERR_NOT_FOUND, ERR_FORBIDDEN, OK, ERR_NOT_FOUND}, // the owner did it
    {PROJECT_DELETE, ERR_NOT_FOUND, ERR_FORBIDDEN, OK, ERR_NOT_FOUND},
};

static enum error
try(struct library *library, enum operation operation, const char *project, enum caller_role role,
    const char *user)
{
    bool has_body = operation_rows[operation].request != NULL;
    return DO(library, operation, .project = project, .tag = "t", .group = "g", .scene = "s",
              .collection = "c", .records = has_body ? "{}" : NULL, .role = role, .user = user);
}

LIBRARY_TEST(resource, is_read_and_changed_by_the_access_table)
{
    struct library_id hidden =
        MAKE(library, PROJECT_CREATE, .records = "{'sceneGroups':[{'name':'g'}]}", ANNA);
    struct library_id shown = MAKE(library, PROJECT_CREATE,
                                   .records = "{'public':true,'sceneGroups':[{'name':'g'}]}", ANNA);
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        const struct verdict *row = &verdicts[i];
        const char *name = operation_rows[row->operation].name;
        cr_assert_eq(try(library, row->operation, hidden.chars, CALLER_USER, "bert"), row->private,
                     "%s", name);
        cr_assert_eq(try(library, row->operation, shown.chars, CALLER_USER, "bert"), row->public,
                     "%s", name);
        cr_assert_eq(
            try(library, row->operation, hidden.chars, CALLER_USER, "aaaaaaaaaaaaaaaaaaaaaaaa"),
            row->owner, "%s", name);
        cr_assert_eq(try(library, row->operation, hidden.chars, CALLER_ADMIN, "root"), row->admin,
                     "%s", name);
    }
}

LIBRARY_TEST(resource, what_may_not_be_read_is_refused_in_the_words_for_what_is_not_there)
{
    struct library_id hidden = MAKE(library, COLLECTION_CREATE, .records = "{}", ANNA);
    owned(message_destroy) struct message *answer =
        ASK(library, COLLECTION_GET, .collection = hidden.chars, BERT);
    char expected[sizeof answer->reply.fault.detail];
    snprintf(expected, sizeof expected, "there is no collection %s", hidden.chars);
    cr_assert_str_eq(answer->reply.fault.detail, expected);
}

static uint32_t
count_of(struct message *answer)
{
    uint32_t count = answer->reply.count;
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    message_destroy(&answer);
    return count;
}

LIBRARY_TEST(resource, lists_leave_out_what_may_not_be_read)
{
    char ids[80];
    struct library_id hidden = MAKE(library, COLLECTION_CREATE, .records = "{}", ANNA);
    struct library_id shown = MAKE(library, COLLECTION_CREATE, .records = "{'public':true}", ANNA);
    snprintf(ids, sizeof ids, "{'ids':['%s','none','%s']}", hidden.chars, shown.chars);
    cr_assert_eq(count_of(ASK(library, COLLECTION_LIST, .records = "{}", ANNA)), 2);
    cr_assert_eq(count_of(ASK(library, COLLECTION_LIST, .records = "{}", BERT)), 1);
    cr_assert_eq(count_of(ASK(library, COLLECTION_BULK, .records = ids, ANNA)), 2);
    cr_assert_eq(count_of(ASK(library, COLLECTION_BULK, .records = ids, BERT)), 1);
}

LIBRARY_TEST(resource, bulk_answers_each_record_once)
{
    char ids[160];
    struct library_id one = MAKE(library, COLLECTION_CREATE, .records = "{}");
    struct library_id two = MAKE(library, COLLECTION_CREATE, .records = "{}");
    snprintf(ids, sizeof ids, "{'ids':['%s','%s','%s','%s']}", two.chars, one.chars, two.chars,
             two.chars);
    cr_assert_eq(count_of(ASK(library, COLLECTION_BULK, .records = ids)), 2);
}

// --- pages, filters, updates ---

LIBRARY_TEST(resource, pages_of_a_list_have_every_record_once)
{
    enum { RECORDS = 25, PAGE = 4 };
    char last[GENERATED_KEY_SIZE + 1] = "";
    uint32_t seen = 0;
    for (int i = 0; i < RECORDS; i++)
        MAKE(library, PROJECT_CREATE, .records = i % 5 ? "{'name':'n'}" : "{'name':'other'}");
    for (int64_t start = 0; start < RECORDS; start += PAGE) {
        owned(message_destroy) struct message *page =
            ASK(library, PROJECT_LIST, .records = "{'name':'n'}", .num_records = PAGE,
                .start_record = start);
        for (uint32_t i = 0; i < page->reply.count; i++, seen++) {
            cr_assert_gt(strcmp(text_chars(reply_project(page, i)->id), last), 0);
            snprintf(last, sizeof last, "%s", text_chars(reply_project(page, i)->id));
        }
    }
    cr_assert_eq(seen, 20);
}

LIBRARY_TEST(resource, lists_find_by_name_category_description_and_all_tags)
{
    MAKE(library, PROJECT_CREATE,
         .records = "{'name':'n','category':'c','description':'d','tags':['a','b']}");
    MAKE(library, PROJECT_CREATE, .records = "{'name':'n','tags':['a']}");
    cr_assert_eq(count_of(ASK(library, PROJECT_LIST, .records = "{'name':'n'}")), 2);
    cr_assert_eq(count_of(ASK(library, PROJECT_LIST, .records = "{'category':'c'}")), 1);
    cr_assert_eq(count_of(ASK(library, PROJECT_LIST, .records = "{'description':'d'}")), 1);
    cr_assert_eq(count_of(ASK(library, PROJECT_LIST, .records = "{'tags':['a']}")), 2);
    cr_assert_eq(count_of(ASK(library, PROJECT_LIST, .records = "{'tag':['b','a']}")), 1);
    cr_assert_eq(count_of(ASK(library, PROJECT_LIST, .records = "{'tags':['c']}")), 0);
}

LIBRARY_TEST(resource, an_update_changes_what_its_kind_calls_basic)
{
    struct library_id id =
        MAKE(library, PROJECT_CREATE, .records = "{'name':'old','tags':['a'],'category':'c'}");
    owned(message_destroy) struct message *answer =
        ASK(library, PROJECT_UPDATE, .project = id.chars,
            .records = "{'name':'new','tags':['b'],'id':'x','user':'x'}");
    const struct project *project = reply_project(answer, 0);
    cr_assert(text_is(project->name, "new"));
    cr_assert(text_is(project->category, "c"));
    cr_assert(text_is(project->tags->items[0], "a"));
    cr_assert(text_is(project->id, id.chars));
    cr_assert_eq(text_size(project->user), 0);
}

// --- conditions and limits ---

LIBRARY_TEST(resource, preconditions_are_decided_by_the_state_that_get_shows)
{
    struct etag etag;
    char must[ETAG_SIZE + 2];
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{'name':'p'}");
    owned(message_destroy) struct message *answer = ASK(library, PROJECT_GET, .project = id.chars);
    etag_of_record(frozen_record(answer->reply.records[0]), &project_view_full, &etag);
    snprintf(must, sizeof must, "\"%s\"", etag.chars);
    cr_assert_eq(DO(library, PROJECT_ADD_TAG, .project = id.chars, .tag = "t", .if_match = must),
                 OK);
    cr_assert_eq(DO(library, PROJECT_ADD_TAG, .project = id.chars, .tag = "u", .if_match = must),
                 ERR_PRECONDITION);
    cr_assert_eq(DO(library, PROJECT_DELETE, .project = id.chars, .if_match = must),
                 ERR_PRECONDITION);
    cr_assert_eq(DO(library, PROJECT_DELETE, .project = id.chars, .if_match = "*"), OK);
}

LIBRARY_TEST(resource, no_record_has_more_than_64_tags)
{
    struct library_id id = MAKE(library, COLLECTION_CREATE, .records = "{}");
    for (int i = 0; i < LIMIT_TAGS; i++) {
        char tag[16];
        snprintf(tag, sizeof tag, "t%d", i);
        cr_assert_eq(DO(library, COLLECTION_ADD_TAG, .collection = id.chars, .tag = tag), OK);
    }
    cr_assert_eq(DO(library, COLLECTION_ADD_TAG, .collection = id.chars, .tag = "more"),
                 ERR_INVALID);
    cr_assert_eq(DO(library, COLLECTION_ADD_TAG, .collection = id.chars, .tag = "t0"), OK);
}

// One commit could not take a project of 256 groups with 1,000 scenes each.
LIBRARY_TEST(resource, a_record_that_grew_beyond_its_limit_is_refused)
{
    enum { SCENES = 1000, KEY = 100, GROUPS = 12 };
    static char record[SCENES * (KEY + 3) + 64];
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{}");
    enum error error = OK;
    int groups = 0;
    for (; groups < GROUPS && error == OK; groups++) {
        size_t size = (size_t)snprintf(record, sizeof record, "{'name':'g%d','scenes':[", groups);
        for (int i = 0; i < SCENES; i++)
            size += (size_t)snprintf(record + size, sizeof record - size, "%s'%0*d'", i ? "," : "",
                                     KEY, i);
        snprintf(record + size, sizeof record - size, "]}");
        error = DO(library, GROUP_CREATE, .project = id.chars, .records = record);
    }
    cr_assert_eq(error, ERR_TOO_LARGE);
    cr_assert_geq(groups, 8);
    cr_assert_eq(DO(library, GROUP_DELETE, .project = id.chars, .group = "g0"), OK);
}

// --- listings in slices ---

Test(listing, goes_on_with_its_page_behind_where_it_paused)
{
    static const actor_t tired = {.turn.slice_us = 1}, fresh;
    struct message *question = message_create(PROJECT_LIST);
    record_set_integer(&question->params->base, PARAMS_START_RECORD, 1);
    record_set_integer(&question->params->base, PARAMS_NUM_RECORDS, 2);
    const frozen_t *record = record_freeze(&params_schema, &question->params->base);
    struct listing *listing = listing_of(question);
    page_add(&listing->page, question, record);
    cr_assert_eq(question->reply.count, 0, "skipped");
    page_add(&listing->page, question, record);
    cr_assert_not(listing_must_pause(listing, &tired, 30, record), "the clock was not looked at");
    cr_assert_not(listing_must_pause(listing, &fresh, 31, record));
    cr_assert_null(listing->passed);
    cr_assert(listing_must_pause(listing, &tired, 31, record));
    cr_assert_eq(listing->passed, record);
    cr_assert_eq(listing_of(question), listing);
    page_add(&listing->page, question, record);
    page_add(&listing->page, question, record);
    cr_assert_eq(question->reply.count, 2, "the page is full");
    message_destroy(&question);
    record_unref(&record);
}

// relation_actor_test.c - relations of two scenes, and links and corrections of one, as answers.
#include "actors/alignment/relation_actor.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/records/correction.h"
#include "proto/records/relation.h"
#include "tests/support/asker.h"
#include "tests/support/stated.h"
#include "tests/support/worlds.h"

enum { HALL = 1, YARD = 2, EPOCH = 5 };

static atlas_t *atlas;
static relation_actor_t *actor;
static struct asker asker;
static struct arena arena;

// The hall's origin is at x = 3 in the yard: two devices said so.
static void
begin(void)
{
    evidence_t *evidence = evidence_create();
    atlas = atlas_create();
    stated_scene(atlas, &arena, HALL, true);
    stated_scene(atlas, &arena, YARD, false);
    for (uint64_t device = 1; device <= 2; device++)
        evidence_put_pair(evidence, device, HALL, YARD, 3);
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    atlas_publish(atlas, &solution, EPOCH);
    evidence_destroy(&evidence);
    asker_begin(&asker);
    cr_assert_eq(relation_actor_create(atlas, &actor), OK);
}

static void
end(void)
{
    relation_actor_destroy(&actor, asker.mailbox);
    asker_end(&asker);
    atlas_destroy(&atlas);
    arena_finish(&arena);
}

TestSuite(relation_actor, .init = begin, .fini = end);

// `user` NULL: an administrator.
static struct message *
request(enum operation operation, const char *user)
{
    struct message *message = message_create(operation);
    message->caller.role = user ? CALLER_USER : CALLER_ADMIN;
    snprintf(message->caller.user, sizeof message->caller.user, "%s", user ? user : "root");
    return message;
}

static struct message *
ask_relation(const char *user, const char *from, const char *to)
{
    struct message *message = request(ALIGNMENT_RELATE, user);
    asker_set_param(message, PARAMS_FROM, from);
    asker_set_param(message, PARAMS_TO, to);
    return asker_answer(&asker, asker_send(&asker, actor_mailbox(RELATION_ACTOR), message));
}

static void
assert_fails(enum error expected, const char *user, const char *from, const char *to)
{
    struct message *answer = ask_relation(user, from, to);
    cr_assert_eq(answer->reply.fault.error, expected);
    message_destroy(&answer);
}

Test(relation_actor, a_relation_has_its_path_and_the_epoch_of_the_solution)
{
    struct message *answer = ask_relation(NULL, "scene1", "scene2");
    cr_assert_eq(answer->reply.count, 1);
    const struct relation_record *relation =
        (const struct relation_record *)(const void *)reply_record(&answer->reply, 0);
    cr_assert(text_is(relation->from, "scene1"));
    cr_assert(text_is(relation->to, "scene2"));
    cr_assert(text_is(relation->status, "predicted"));
    cr_assert_eq(relation->observations, 2);
    cr_assert_eq(relation->devices, 2);
    cr_assert_eq(relation->path->count, 2);
    cr_assert_eq(relation->epoch, EPOCH);
    message_destroy(&answer);
}

Test(relation_actor, both_scenes_must_be_named)
{
    assert_fails(ERR_MISSING, NULL, "scene1", NULL);
    assert_fails(ERR_MISSING, NULL, NULL, "scene2");
}

Test(relation_actor, a_scene_that_the_caller_may_not_read_does_not_exist)
{
    assert_fails(ERR_NOT_FOUND, NULL, "scene1", "scene9");
    assert_fails(ERR_NOT_FOUND, "ben", "scene1", "scene2");
    assert_fails(OK, "ann", "scene1", "scene2");
}

// The report of the hall, which has one correction of a phone that is in no solution and an older
// one.
static struct message *
ask_report(const char *user)
{
    struct record_set corrections = {0};
    for (int64_t time_us = 1; time_us <= 2; time_us++) {
        const frozen_t *correction =
            stated_correction(&arena, &(struct stated){"phone", HALL, 0, .time_us = time_us});
        record_set_put(&corrections, correction);
        record_unref(&correction);
    }
    struct message *waiting = request(ALIGNMENT_GET, user);
    asker_set_param(waiting, PARAMS_SCENE, "scene1");
    struct relations_report *report = relations_report_create(HALL, &corrections, &waiting);
    record_set_finish(&corrections);
    cr_assert_null(waiting);
    struct message *question = message_create(RELATIONS_REPORT);
    question->parcel = &report->base;
    return asker_answer(&asker, asker_send(&asker, actor_mailbox(RELATION_ACTOR), question));
}

static const struct scene_alignment *
report_of(struct message *answer)
{
    cr_assert_eq(answer->operation, RELATIONS_REPORTED);
    const struct message *request = relations_report_of(answer)->request;
    cr_assert_eq(request->reply.count, 1);
    return (const struct scene_alignment *)(const void *)reply_record(&request->reply, 0);
}

Test(relation_actor, a_report_has_the_links_of_the_scene)
{
    struct message *answer = ask_report("ann");
    const struct scene_alignment *report = report_of(answer);
    cr_assert(text_is(report->scene, "scene1"));
    cr_assert_eq(report->epoch, EPOCH);
    cr_assert_eq(report->as_of_us, 1);
    cr_assert_eq(report->contrary_share, 0);
    cr_assert_eq(report->links->count, 1);
    const struct link_record *link =
        (const struct link_record *)(const void *)report->links->items[0];
    cr_assert(text_is(link->scene, "scene2"));
    cr_assert(text_is(link->status, "predicted"));
    message_destroy(&answer);
}

Test(relation_actor, a_report_leaves_out_scenes_that_the_caller_may_not_read)
{
    struct message *answer = ask_report("ben");
    const struct records *links = report_of(answer)->links; // a frozen list that is empty is NULL
    cr_assert(!links || links->count == 0);
    message_destroy(&answer);
}

Test(relation_actor, a_newer_correction_supersedes_the_older_one_before_the_next_solution)
{
    struct message *answer = ask_report(NULL);
    const struct scene_alignment *report = report_of(answer);
    cr_assert_eq(report->corrections->count, 2);
    cr_assert(correction_record_of(report->corrections->items[0])->is_superseded);
    cr_assert_not(correction_record_of(report->corrections->items[1])->is_superseded);
    cr_assert_eq(correction_record_of(report->corrections->items[1])->weight, 1);
    message_destroy(&answer);
}

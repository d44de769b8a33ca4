// alignment_graph_test.c - the scenes around one scene: how far, whose, how many, and in slices.
#include "actors/alignment/alignment_graph.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/limits.h"
#include "proto/records/device.h"
#include "proto/records/relation.h"
#include "tests/support/asker.h"
#include "tests/support/stated.h"
#include "tests/support/worlds.h"

enum { EPOCH = 5 };

static atlas_t *atlas;
static evidence_t *evidence;
static struct arena arena;
static struct actor actor; // never started: what it runs has no end of a slice

static void
begin(void)
{
    atlas = atlas_create();
    evidence = evidence_create();
    actor = (struct actor){0};
}

static void
end(void)
{
    evidence_destroy(&evidence);
    atlas_destroy(&atlas);
    arena_finish(&arena);
}

TestSuite(alignment_graph, .init = begin, .fini = end);

// Scenes of ann in a row: each is 3 m further along x than the next one.
static void
put_row(uint64_t count)
{
    for (uint64_t id = 1; id <= count; id++) {
        stated_scene(atlas, &arena, (int64_t)id, true);
        if (id > 1)
            evidence_put_pair(evidence, id, id - 1, id, 3);
    }
}

static void
solve(void)
{
    solution_t *solution = evidence_solve(evidence, NULL, 1);
    atlas_publish(atlas, &solution, EPOCH);
}

static struct message *
question(const char *user, const char *scene, int64_t hops)
{
    struct message *message = message_create(ALIGNMENT_GRAPH);
    message->caller.role = user ? CALLER_USER : CALLER_ADMIN;
    snprintf(message->caller.user, sizeof message->caller.user, "%s", user ? user : "root");
    asker_set_param(message, PARAMS_SCENE, scene);
    if (hops)
        record_set_integer(&message->params->base, PARAMS_HOPS, hops);
    return message;
}

static struct message *
ask(const char *user, const char *scene, int64_t hops)
{
    struct message *message = question(user, scene, hops);
    cr_assert_eq(alignment_graph_answer(&actor, atlas, message), OK);
    return message;
}

static const struct graph_record *
graph_of(const struct message *message)
{
    return (const struct graph_record *)(const void *)reply_record(&message->reply, 0);
}

static const struct graph_scene *
scene_at(const struct graph_record *graph, uint32_t place)
{
    return (const struct graph_scene *)(const void *)graph->scenes->items[place];
}

static const struct link_record *
link_at(const struct graph_record *graph, uint32_t place)
{
    return (const struct link_record *)(const void *)graph->links->items[place];
}

static void
assert_counts(uint32_t scenes, uint32_t links, int64_t corrections, const struct message *message)
{
    const struct graph_record *graph = graph_of(message);
    cr_assert_eq(graph->scenes->count, scenes);
    cr_assert_eq(graph->links ? graph->links->count : 0, links); // one that is empty is NULL
    cr_assert_eq(graph->corrections, corrections);
}

Test(alignment_graph, three_hops_are_the_scenes_that_three_links_lead_to)
{
    put_row(6);
    solve();
    struct message *answer = ask(NULL, "scene1", 0);
    assert_counts(4, 3, 7, answer);
    cr_assert_not(graph_of(answer)->is_cut);
    cr_assert_eq(graph_of(answer)->epoch, EPOCH);
    message_destroy(&answer);
    answer = ask(NULL, "scene1", 1);
    assert_counts(2, 1, 3, answer);
    message_destroy(&answer);
}

Test(alignment_graph, a_scene_is_placed_in_the_coordinates_of_the_first)
{
    put_row(3);
    solve();
    struct message *answer = ask(NULL, "scene1", 0);
    const struct graph_scene *first = scene_at(graph_of(answer), 0);
    const struct graph_scene *last = scene_at(graph_of(answer), 2);
    cr_assert(text_is(first->key, "scene1"));
    cr_assert_eq(first->sigma_t_m, 0);
    cr_assert(text_is(last->key, "scene3"));
    cr_assert(text_is(last->fragment, "scene1"));
    const struct pose *pose = (const struct pose *)(const void *)last->pose;
    cr_assert_float_eq(pose->translation[0], -6, 1e-6);
    cr_assert_gt(last->sigma_t_m, 0.05);
    message_destroy(&answer);
}

Test(alignment_graph, a_link_of_a_cycle_is_shown_once_with_both_its_ends)
{
    put_row(3);
    evidence_put_pair(evidence, 9, 1, 3, 6);
    solve();
    struct message *answer = ask(NULL, "scene2", 1);
    assert_counts(3, 3, 6, answer);
    const struct link_record *last = link_at(graph_of(answer), 2);
    cr_assert(text_is(last->from, "scene1"));
    cr_assert(text_is(last->scene, "scene3"));
    cr_assert_eq(last->observations, 1);
    message_destroy(&answer);
}

Test(alignment_graph, a_hidden_scene_is_neither_named_nor_passed)
{
    put_row(3);
    stated_scene(atlas, &arena, 2, false);
    solve();
    struct message *answer = ask("ben", "scene1", 0);
    assert_counts(1, 0, 1, answer);
    message_destroy(&answer);
    answer = ask("ann", "scene1", 0);
    assert_counts(3, 2, 4, answer);
    message_destroy(&answer);
}

Test(alignment_graph, the_scene_must_be_named_and_be_one_that_the_caller_may_read)
{
    stated_scene(atlas, &arena, 1, false);
    struct message *message = question(NULL, NULL, 0);
    cr_assert_eq(alignment_graph_answer(&actor, atlas, message), ERR_MISSING);
    message_destroy(&message);
    message = question("ben", "scene1", 0);
    cr_assert_eq(alignment_graph_answer(&actor, atlas, message), ERR_NOT_FOUND);
    message_destroy(&message);
}

Test(alignment_graph, before_the_first_solution_a_scene_stands_alone)
{
    put_row(2);
    struct message *answer = ask(NULL, "scene1", 0);
    assert_counts(1, 0, 0, answer);
    cr_assert_eq(graph_of(answer)->epoch, 0);
    message_destroy(&answer);
}

Test(alignment_graph, what_is_beyond_the_most_is_cut)
{
    stated_scene(atlas, &arena, 1, true);
    for (uint64_t id = 2; id <= LIMIT_GRAPH_SCENES + 1; id++) {
        stated_scene(atlas, &arena, (int64_t)id, true);
        evidence_put_pair(evidence, id, 1, id, 3);
    }
    solve();
    struct message *answer = ask(NULL, "scene1", 0);
    assert_counts(LIMIT_GRAPH_SCENES, LIMIT_GRAPH_SCENES - 1, 399, answer);
    cr_assert(graph_of(answer)->is_cut);
    message_destroy(&answer);
}

Test(alignment_graph, slices_give_the_answer_of_the_solution_that_it_began_with)
{
    put_row(3);
    solve();
    struct message *message = question(NULL, "scene1", 0);
    actor.turn.slice_us = 1; // long over
    cr_assert_eq(alignment_graph_answer(&actor, atlas, message), PARKED);
    evidence_remove_scene(evidence, 3);
    solution_t *newer = evidence_solve(evidence, NULL, 2);
    atlas_publish(atlas, &newer, EPOCH + 1);
    actor.turn.slice_us = 0;
    cr_assert_eq(alignment_graph_answer(&actor, atlas, message), OK);
    assert_counts(3, 2, 4, message);
    cr_assert_eq(graph_of(message)->epoch, EPOCH);
    cr_assert_null(message->work);
    message_destroy(&message);
}

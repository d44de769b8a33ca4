// alignment_graph.c - breadth first from one scene along links, then the relation of each scene
// that was found to the first (alignment_graph.h). The request keeps where it was between slices.
#include "actors/alignment/alignment_graph.h"

#include <stdlib.h>

#include "actors/alignment/scene_relations.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/records/relation.h"

enum { HOPS = 3 }; // where the request does not say

struct node {
    uint64_t scene_id;
    const struct text *key; // in the arena of the request
    int64_t hops;           // from the first
};

// The work of a request; its records are in the request's arena.
struct alignment_graph {
    struct parcel base;
    solution_t *solution; // one reference; NULL: there is none yet
    uint64_t epoch;
    int64_t hops;
    bool is_cut;
    size_t widened; // nodes whose links were looked at
    size_t link;    // of the next one: how many of its links were
    size_t placed;  // nodes whose relation is known
    int64_t corrections;
    struct records *scenes;
    struct records *links;
    size_t count;
    struct node nodes[LIMIT_GRAPH_SCENES];
};

static void
graph_release(struct parcel *parcel)
{
    struct alignment_graph *self = (struct alignment_graph *)(void *)parcel;
    solution_unref(&self->solution);
    free(self);
}

static void
add_node(struct alignment_graph *self, uint64_t scene_id, const struct text *key, int64_t hops)
{
    self->nodes[self->count++] = (struct node){scene_id, key, hops};
}

static fallible
graph_begin(const atlas_t *atlas, struct message *message)
{
    const struct params *params = message->params;
    if (text_size(params->scene) == 0)
        return fail(ERR_MISSING, "", "scene names the scene in the middle");
    uint64_t id = scene_relations_visible(atlas, &message->caller, params->scene);
    if (!id)
        return fail(ERR_NOT_FOUND, "", "there is no scene %s", text_chars(params->scene));
    struct alignment_graph *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = graph_release;
    self->solution = atlas_solution(atlas, &self->epoch);
    self->hops = record_has(&params->base, PARAMS_HOPS) ? params->hops : HOPS;
    self->scenes = records_new(&message->arena, LIMIT_GRAPH_SCENES);
    self->links = records_new(&message->arena, LIMIT_GRAPH_LINKS);
    add_node(self, id, params->scene, 0);
    message->work = &self->base;
    return OK;
}

// --- links ---

// The place of the scene, or `count`.
static size_t
place_of(const struct alignment_graph *self, uint64_t scene_id)
{
    size_t place = 0;
    while (place < self->count && self->nodes[place].scene_id != scene_id)
        place++;
    return place;
}

static void
show_link(struct alignment_graph *self, struct arena *arena, const struct node *from,
          const struct node *to, const struct link_state *link)
{
    if (self->links->count == LIMIT_GRAPH_LINKS) {
        self->is_cut = true;
        return;
    }
    struct record *shown = link_record_shown(arena, to->key, link);
    record_set_text(shown, LINK_FROM, from->key);
    self->links->items[self->links->count++] = shown;
}

// A link to a scene that the caller may read. One that was widened before has shown it.
static void
follow(struct alignment_graph *self, const atlas_t *atlas, struct message *message,
       const struct link_state *link)
{
    const struct node *from = &self->nodes[self->widened];
    size_t place = place_of(self, link->scene_id);
    if (place < self->widened || !atlas_sees(atlas, link->scene_id, &message->caller))
        return;
    if (place == self->count && from->hops == self->hops)
        return;
    if (place == LIMIT_GRAPH_SCENES) {
        self->is_cut = true;
        return;
    }
    const packed_t *scene = place == self->count ? atlas_scene(atlas, link->scene_id) : NULL;
    if (scene)
        add_node(self, link->scene_id, text_copy(&message->arena, packed_key(scene)),
                 from->hops + 1);
    packed_unref(&scene);
    if (place < self->count) // else it was deleted just now
        show_link(self, &message->arena, from, &self->nodes[place], link);
}

// Whether all links of all nodes were looked at.
static bool
widen(struct alignment_graph *self, actor_t *actor, const atlas_t *atlas, struct message *message)
{
    for (; self->solution && self->widened < self->count; self->widened++, self->link = 0) {
        const struct link_state *links = NULL;
        size_t count = solution_links(self->solution, self->nodes[self->widened].scene_id, &links);
        for (; self->link < count; self->link++) {
            if (actor_must_pause(actor))
                return false;
            follow(self, atlas, message, &links[self->link]);
        }
        const struct verdict *verdicts;
        self->corrections += (int64_t)solution_verdicts(
            self->solution, self->nodes[self->widened].scene_id, &verdicts);
    }
    return true;
}

// --- places ---

static void
place_node(struct alignment_graph *self, const atlas_t *atlas, struct message *message,
           const struct node *node)
{
    struct graph_scene *shown =
        (struct graph_scene *)(void *)record_new(&message->arena, &graph_scene_schema);
    record_set_text(&shown->base, GRAPH_SCENE_KEY, node->key);
    record_set_text(&shown->base, GRAPH_SCENE_FRAGMENT, self->nodes[0].key);
    struct relation relation = {.motion = rigid_identity};
    bool is_first = node == &self->nodes[0];
    if (!is_first)
        scene_relations_relate(self->solution, atlas, &message->caller, node->scene_id,
                               self->nodes[0].scene_id, &relation);
    if (is_first || relation.status != ALIGNMENT_NONE) { // the way there may be hidden by now
        RECORD_SET(shown, GRAPH_SCENE_POSE, pose, pose_record(&message->arena, &relation.motion));
        RECORD_SET(shown, GRAPH_SCENE_SIGMA_T, sigma_t_m, relation.sigma_t_m);
    }
    free(relation.path);
    self->scenes->items[self->scenes->count++] = &shown->base;
}

static bool
place_all(struct alignment_graph *self, actor_t *actor, const atlas_t *atlas,
          struct message *message)
{
    for (; self->placed < self->count; self->placed++) {
        if (actor_must_pause(actor))
            return false;
        place_node(self, atlas, message, &self->nodes[self->placed]);
    }
    return true;
}

static void
reply_with(const struct alignment_graph *self, struct message *message)
{
    struct graph_record *graph =
        (struct graph_record *)(void *)record_new(&message->arena, &graph_schema);
    RECORD_SET(graph, GRAPH_SCENES, scenes, self->scenes);
    RECORD_SET(graph, GRAPH_LINKS, links, self->links);
    RECORD_SET(graph, GRAPH_CORRECTIONS, corrections, self->corrections);
    RECORD_SET(graph, GRAPH_CUT, is_cut, self->is_cut);
    RECORD_SET(graph, GRAPH_EPOCH, epoch, (int64_t)self->epoch);
    reply_add_loose(message, &graph_schema, &graph->base);
}

enum error
alignment_graph_answer(actor_t *actor, const atlas_t *atlas, struct message *message)
{
    if (!message->work)
        TRY(graph_begin(atlas, message));
    struct alignment_graph *self = (struct alignment_graph *)(void *)message->work;
    if (!widen(self, actor, atlas, message) || !place_all(self, actor, atlas, message))
        return actor_pause(actor, message);
    reply_with(self, message);
    message_end_work(message);
    return OK;
}

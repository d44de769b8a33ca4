// viewer_links.c - the scenes around one as frames (viewer.h). A frame has one parent: of scenes
// that hang together the one that is followed first is the root, and the others stand in it where
// the solution of all links has them.
#include <stdlib.h>

#include "gateway/foxglove/messages.h"
#include "gateway/foxglove/viewer.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/records/relation.h"

void
viewer_drop_links(struct viewed_scene *scene)
{
    free(scene->links);
    scene->links = NULL;
    scene->link_count = 0;
    arena_finish(&scene->links_arena);
    scene->links_arena = (struct arena){0};
}

// The number of the followed scene of this key, or the count of all.
static unsigned
find_scene(const struct viewer *self, const struct text *key)
{
    unsigned i = 0;
    while (i < self->count && !text_equal(self->scenes[i].key, key))
        i++;
    return i;
}

static const struct graph_scene *
graph_scene(const struct graph_record *graph, uint32_t i)
{
    return (const struct graph_scene *)(const void *)graph->scenes->items[i];
}

// Whether another followed scene is the root of these.
static bool
hangs_elsewhere(const struct viewer *self, unsigned scene, const struct graph_record *graph)
{
    for (uint32_t i = 0; i < graph->scenes->count; i++)
        if (find_scene(self, graph_scene(graph, i)->key) < scene)
            return true;
    return false;
}

void
viewer_take_links(struct stream_form *form, unsigned scene, const struct record *record)
{
    struct viewer *self = viewer_of(form);
    struct viewed_scene *viewed = &self->scenes[scene];
    const struct graph_record *graph = (const struct graph_record *)(const void *)record;
    viewer_drop_links(viewed);
    if (!graph->scenes || hangs_elsewhere(self, scene, graph))
        return;
    viewed->links = memory_take(graph->scenes->count * sizeof *viewed->links);
    for (uint32_t i = 0; i < graph->scenes->count; i++) {
        const struct graph_scene *other = graph_scene(graph, i);
        bool is_followed = self->count == 1 || find_scene(self, other->key) < self->count;
        if (!is_followed || !other->pose || text_equal(other->key, viewed->key))
            continue;
        struct linked_scene *link = &viewed->links[viewed->link_count++];
        link->key = text_copy(&viewed->links_arena, other->key);
        message_pose_matrix(other->pose, link->matrix);
    }
    viewed->has_links = viewed->link_count > 0;
}

void
viewer_write_links(struct viewer *self, unsigned scene, struct stream_sink *sink)
{
    struct viewed_scene *viewed = &self->scenes[scene];
    const struct channel *channel = channels_of_scene(&self->channels, scene, MESSAGE_TRANSFORMS);
    viewed->has_links = false;
    if (!channel->is_subscribed)
        return;
    size_t begin = viewer_message_begin(channel, &sink->out);
    buffer_put_chars(&sink->out, "{\"transforms\":[");
    for (uint32_t i = 0; i < viewed->link_count; i++) {
        const struct frame frame = {.scene = viewed->links[i].key};
        message_put_transform(clock_calendar_us(), viewed->key, &frame, viewed->links[i].matrix,
                              &sink->out);
    }
    buffer_put_chars(&sink->out, "]}");
    viewer_message_end(&sink->out, begin);
}

// catalogue_form.c - the events of the catalogue of scenes (catalogue_form.h).
#include "gateway/events/catalogue_form.h"

#include <inttypes.h>

#include "proto/codec/json_text.h"
#include "proto/records/scene.h"

// As actors/runtime/access.h has it for scenes.
static bool
may_read(const struct caller *caller, const struct scene *scene)
{
    if (caller->role == CALLER_TRUSTED || caller->role == CALLER_ADMIN)
        return true;
    bool is_theirs = text_size(scene->user) && text_is(scene->user, caller->user);
    return caller->role == CALLER_USER && (scene->is_public || is_theirs);
}

void
catalogue_form_write_reset(const struct sse_place *place, struct stream_sink *sink)
{
    sse_begin("reset", place, 1, &sink->out);
    buffer_put_format(&sink->out, "{\"epoch\":%" PRIu64 ",\"seq\":%" PRIu64 "}", place->epoch,
                      place->seq);
    sse_end(&sink->out);
}

static void
put_hidden(const struct event *event, struct buffer *out)
{
    const struct text *scene = frozen_key(event->scene);
    buffer_put_format(out, "{\"msg_type\":%u,\"seq\":%" PRIu64 ",\"scene\":", EVENT_SCENE_DELETED,
                      event->seq);
    json_put_text(out, text_bytes(scene), text_size(scene));
    buffer_put_char(out, '}');
}

void
catalogue_form_write_change(const struct sse_place *place, const struct event *event,
                            const struct caller *caller, struct stream_sink *sink)
{
    bool is_hidden = !may_read(caller, scene_of(event_record(event)));
    bool was_read = event->reason == REASON_HIDDEN && caller->role == CALLER_USER;
    if (is_hidden && !was_read)
        return;
    sse_begin("change", place, 1, &sink->out);
    if (is_hidden)
        put_hidden(event, &sink->out);
    else
        sse_put_change(event, NULL, caller, &sink->out);
    sse_end(&sink->out);
}

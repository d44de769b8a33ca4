// log_page.c - see log_page.h.
#include "actors/replica/log_page.h"

#include "proto/base/clock.h"
#include "store/backup/log_frame.h"
#include "store/key.h"

struct filling {
    struct log_page *page;
    struct buffer *commits;
    uint64_t last; // that was put
    bool is_gap;   // the next one does not follow, or was written while no log was kept
};

static void
put_size(struct buffer *out, size_t size)
{
    unsigned char bytes[8];
    key_put_u64(bytes, size);
    buffer_put(out, bytes + sizeof bytes - LOG_SIZE_BYTES, LOG_SIZE_BYTES);
}

// About how much comes is the store's to bound: a reader that is not ended goes on where it stands.
static bool
put_change(void *context, const struct store_change *change)
{
    struct filling *self = context;
    struct buffer *body = &self->page->body;
    if (change->first != self->last + 1 || !change->time_us) {
        self->is_gap = true;
        return false;
    }
    buffer_clear(body);
    log_put_change(body, change);
    put_size(self->commits, body->size);
    buffer_put(self->commits, body->data, body->size);
    self->last = change->last;
    return true;
}

fallible
log_page_make(struct log_page *self, struct replica_place after, struct replica_answer *answer,
              struct buffer *commits)
{
    const struct timeline *timeline = self->timeline;
    struct filling filling = {self, commits, after.position, false};
    buffer_clear(commits);
    answer->time_us = clock_calendar_us(); // what was committed before is seen
    answer->place.epoch = timeline->starts[timeline->count - 1].epoch;
    TRY(store_error(store_position(self->store, &answer->place.position)));
    answer->outcome = REPLICA_GONE;
    if (!timeline_has(timeline, after.epoch, after.position, answer->place.position))
        return OK;
    enum store_result result =
        store_changes(self->store, after.position, REPLICA_CHUNK_BYTES, put_change, &filling);
    if (result != STORE_OK && result != STORE_ABSENT)
        return store_error(result);
    // What was put before a gap goes out; who asks behind it is told.
    bool is_gone = (result == STORE_ABSENT || filling.is_gap) && commits->size == 0;
    answer->outcome = is_gone ? REPLICA_GONE : REPLICA_OK;
    if (filling.last > answer->place.position)
        answer->place.position = filling.last;
    return OK;
}

void
log_page_finish(struct log_page *self)
{
    buffer_finish(&self->body);
}

// replay_window.c - a ring of bits (replay_window.h).

#include "proto/feed/replay_window.h"

#include <assert.h>
#include <string.h>

static uint64_t
bit_of(uint64_t counter)
{
    return UINT64_C(1) << (counter % 64);
}

static uint64_t
word_of(uint64_t counter)
{
    return counter % REPLAY_WINDOW / 64;
}

void
replay_window_begin(struct replay_window *self, uint64_t next)
{
    self->next = next;
    memset(self->seen, 0xff, sizeof self->seen);
}

bool
replay_window_takes(const struct replay_window *self, uint64_t counter)
{
    if (counter >= self->next)
        return true;
    return self->next - counter <= REPLAY_WINDOW &&
           !(self->seen[word_of(counter)] & bit_of(counter));
}

// The counters from the greatest up to a new one were not seen yet.
static void
advance(struct replay_window *self, uint64_t next)
{
    if (next - self->next >= REPLAY_WINDOW)
        memset(self->seen, 0, sizeof self->seen);
    else
        for (uint64_t counter = self->next; counter < next; counter++)
            self->seen[word_of(counter)] &= ~bit_of(counter);
    self->next = next;
}

void
replay_window_note(struct replay_window *self, uint64_t counter)
{
    assert(replay_window_takes(self, counter));
    if (counter >= self->next)
        advance(self, counter + 1);
    self->seen[word_of(counter)] |= bit_of(counter);
}

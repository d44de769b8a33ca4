// challenge_retries.c - two rings of challenges that wait for their time (challenge_retries.h).

#include "actors/streamer/admission/challenge_retries.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

// From one challenge to the next.
static const uint64_t waits_ms[CHALLENGE_RETRY_TIMES] = {1000, 3000};

void
challenge_retries_finish(struct challenge_retries *self)
{
    for (unsigned line = 0; line < CHALLENGE_RETRY_TIMES; line++)
        free(self->lines[line]);
    *self = (struct challenge_retries){0};
}

static void
line_up(struct challenge_retries *self, unsigned line, const struct challenge_retry *retry,
        uint64_t now_ms)
{
    if (self->count[line] == CHALLENGE_RETRIES_WAITING)
        return;
    if (!self->lines[line])
        self->lines[line] = memory_take(CHALLENGE_RETRIES_WAITING * sizeof self->lines[line][0]);
    unsigned place = (self->first[line] + self->count[line]++) % CHALLENGE_RETRIES_WAITING;
    self->lines[line][place] = *retry;
    self->lines[line][place].due_ms = now_ms + waits_ms[line];
}

void
challenge_retries_add(struct challenge_retries *self, const union udp_endpoint *endpoint,
                      const char token_hash[FEED_TOKEN_HASH_SIZE], uint64_t now_ms)
{
    struct challenge_retry retry = {.endpoint = *endpoint};
    memcpy(retry.token_hash, token_hash, sizeof retry.token_hash);
    line_up(self, 0, &retry, now_ms);
}

bool
challenge_retries_take(struct challenge_retries *self, uint64_t now_ms,
                       struct challenge_retry *ret_retry)
{
    for (unsigned line = 0; line < CHALLENGE_RETRY_TIMES; line++) {
        if (!self->count[line] || self->lines[line][self->first[line]].due_ms > now_ms)
            continue;
        *ret_retry = self->lines[line][self->first[line]];
        self->first[line] = (self->first[line] + 1) % CHALLENGE_RETRIES_WAITING;
        self->count[line]--;
        if (line + 1 < CHALLENGE_RETRY_TIMES)
            line_up(self, line + 1, ret_retry, now_ms);
        return true;
    }
    return false;
}

uint64_t
challenge_retries_due_ms(const struct challenge_retries *self)
{
    uint64_t due_ms = UINT64_MAX;
    for (unsigned line = 0; line < CHALLENGE_RETRY_TIMES; line++)
        if (self->count[line] && self->lines[line][self->first[line]].due_ms < due_ms)
            due_ms = self->lines[line][self->first[line]].due_ms;
    return due_ms;
}

// gaps.h - where datagrams are missing, and what is to be done about it (tools/sdk/README.md;
// diorama.h).
#ifndef DIORAMA_GAPS_H
#define DIORAMA_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DIO_ASK_AFTER_MS = 50,
    DIO_ASK_REST_MS = 200,
    DIO_READ_AFTER_MS = 1000,
    DIO_SILENCE_MS = 2000,
    DIO_PARTS = 1024 // behind holes; with more of them the scene is read
};

struct dio_part {
    uint64_t prev, seq;
};

struct dio_gaps {
    uint64_t got; // up to where everything is known
    struct dio_part parts[DIO_PARTS];
    size_t count;
    unsigned holes;
    uint64_t since_ms, asked_ms, heard_ms;
    bool is_sure; // that nothing is behind the last datagram
};

enum dio_wish { DIO_WISH_NOTHING, DIO_WISH_ASK, DIO_WISH_READ };

static void
dio_gaps_begin(struct dio_gaps *self)
{
    self->got = 0;
    self->count = 0;
    self->is_sure = true;
}

// Everything up to `seq` is known.
static void
dio_gaps_absorb(struct dio_gaps *self, uint64_t seq)
{
    self->got = seq > self->got ? seq : self->got;
    for (bool is_more = true; is_more;) { // until none of them goes on from `got`
        size_t left = 0;
        is_more = false;
        for (size_t i = 0; i < self->count; i++) {
            if (self->parts[i].prev > self->got) {
                self->parts[left++] = self->parts[i];
            } else if (self->parts[i].seq > self->got) {
                self->got = self->parts[i].seq;
                is_more = true;
            }
        }
        self->count = left;
    }
}

// A datagram says what was sent before it, and up to where it goes.
static void
dio_gaps_note(struct dio_gaps *self, uint64_t prev, uint64_t seq, uint64_t now_ms)
{
    self->heard_ms = now_ms;
    self->is_sure = prev == seq;
    if (prev <= self->got) {
        dio_gaps_absorb(self, seq);
        return;
    }
    if (self->count == 0) {
        self->since_ms = now_ms;
        self->holes++;
    }
    if (self->count < DIO_PARTS)
        self->parts[self->count++] = (struct dio_part){prev, seq};
}

// What to do now. `ret_to`: up to which seq to ask, from got + 1.
static enum dio_wish
dio_gaps_wish(struct dio_gaps *self, uint64_t now_ms, uint64_t *ret_to)
{
    if (self->count && (now_ms - self->since_ms > DIO_READ_AFTER_MS || self->count == DIO_PARTS)) {
        self->since_ms = now_ms;
        return DIO_WISH_READ;
    }
    if (self->count && now_ms - self->since_ms > DIO_ASK_AFTER_MS &&
        now_ms - self->asked_ms > DIO_ASK_REST_MS) {
        self->asked_ms = now_ms;
        *ret_to = UINT64_MAX;
        for (size_t i = 0; i < self->count; i++)
            *ret_to = self->parts[i].prev < *ret_to ? self->parts[i].prev : *ret_to;
        return DIO_WISH_ASK;
    }
    if (!self->is_sure && now_ms - self->heard_ms > DIO_SILENCE_MS) {
        self->is_sure = true;
        return DIO_WISH_READ;
    }
    return DIO_WISH_NOTHING;
}

#endif

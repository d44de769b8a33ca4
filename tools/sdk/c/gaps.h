// gaps.h - where datagrams are missing, and what is to be done about it (proto/feed/README.md,
// "Gaps"; diorama.h).
#ifndef DIORAMA_GAPS_H
#define DIORAMA_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DIO_ASK_AFTER_MS = 50,
    DIO_ASK_ON_MS = 25, // an answer came in part
    DIO_ASK_REST_MS = 200,
    DIO_READ_AFTER_MS = 1000,
    DIO_SILENCE_MS = 2000,
    DIO_PARTS = 1024 // behind holes; with more of them the scene is read
};

struct dio_part {
    uint64_t prev, seq, at_ms;
};

struct dio_gaps {
    uint64_t got; // up to where everything is known
    struct dio_part parts[DIO_PARTS];
    size_t count;
    unsigned holes;
    uint64_t asked_ms, asked_from, wished_ms, heard_ms;
    uint64_t newest, told; // the largest seq that came; the one behind which nothing is missing
};

enum dio_wish { DIO_WISH_NOTHING, DIO_WISH_ASK, DIO_WISH_READ };

static void
dio_gaps_begin(struct dio_gaps *self)
{
    self->got = self->newest = self->told = 0;
    self->count = 0;
}

static void
dio_gaps_close(struct dio_gaps *self, uint64_t seq)
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

// Everything up to `seq` is known, from a read of the scene.
static void
dio_gaps_absorb(struct dio_gaps *self, uint64_t seq)
{
    self->told = seq > self->told ? seq : self->told;
    dio_gaps_close(self, seq);
}

// A datagram says what was sent before it, and up to where it goes.
static void
dio_gaps_note(struct dio_gaps *self, uint64_t prev, uint64_t seq, uint64_t now_ms)
{
    self->heard_ms = now_ms;
    self->newest = seq > self->newest ? seq : self->newest;
    if (prev == seq && seq > self->told)
        self->told = seq;
    if (prev <= self->got) {
        dio_gaps_close(self, seq);
        return;
    }
    if (self->count == 0)
        self->holes++;
    if (self->count < DIO_PARTS)
        self->parts[self->count++] = (struct dio_part){prev, seq, now_ms};
}

// When the hole that is the first now was shown, by the first datagram behind it. `ret_to`: the
// largest prev, before which everything can be missing.
static uint64_t
dio_gaps_since(const struct dio_gaps *self, uint64_t *ret_to)
{
    uint64_t since = UINT64_MAX;
    *ret_to = 0;
    for (size_t i = 0; i < self->count; i++) {
        since = self->parts[i].at_ms < since ? self->parts[i].at_ms : since;
        *ret_to = self->parts[i].prev > *ret_to ? self->parts[i].prev : *ret_to;
    }
    return since;
}

// What to do now. `ret_to`: up to which seq to ask, from got + 1.
static enum dio_wish
dio_gaps_wish(struct dio_gaps *self, uint64_t now_ms, uint64_t *ret_to)
{
    uint64_t since = dio_gaps_since(self, ret_to);
    uint64_t rest = self->got == self->asked_from ? DIO_ASK_REST_MS : DIO_ASK_ON_MS;
    if (self->count && (self->count == DIO_PARTS || now_ms - since > DIO_READ_AFTER_MS) &&
        now_ms - self->wished_ms > DIO_READ_AFTER_MS) {
        self->wished_ms = now_ms;
        return DIO_WISH_READ;
    }
    if (self->count && now_ms - since > DIO_ASK_AFTER_MS && now_ms - self->asked_ms > rest) {
        self->asked_ms = now_ms;
        self->asked_from = self->got;
        return DIO_WISH_ASK;
    }
    if (self->told < self->newest && now_ms - self->heard_ms > DIO_SILENCE_MS) {
        self->told = self->newest;
        return DIO_WISH_READ;
    }
    return DIO_WISH_NOTHING;
}

#endif

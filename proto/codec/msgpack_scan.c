// msgpack_scan.c - walks the headers of msgpack without recursion, by the specification of the
// format (github.com/msgpack/msgpack, spec.md). Pure; any thread.
#include "proto/codec/msgpack_scan.h"

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/limits.h"

// What follows a first byte: `length` bytes of a big-endian count, then `body` bytes. The count is
// of bytes, or in arrays (1) and maps (2) of elements with so many `items` each.
struct form {
    uint8_t length;
    uint8_t body;
    uint8_t items;
    bool bad;
};

// clang-format off
static const struct form forms[] = { // of first bytes from 0xc0 to 0xdf
    {0},           {.bad = true}, {0},           {0},            // nil, (never used), false, true
    {.length = 1}, {.length = 2}, {.length = 4},                 // bin 8, 16, 32
    {.length = 1, .body = 1}, {.length = 2, .body = 1}, {.length = 4, .body = 1}, // ext 8, 16, 32
    {.body = 4},   {.body = 8},                                  // float 32, 64
    {.body = 1},   {.body = 2},   {.body = 4},   {.body = 8},    // uint 8 to 64
    {.body = 1},   {.body = 2},   {.body = 4},   {.body = 8},    // int 8 to 64
    {.body = 2},   {.body = 3},   {.body = 5},   {.body = 9},   {.body = 17}, // fixext 1 to 16
    {.length = 1}, {.length = 2}, {.length = 4},                 // str 8, 16, 32
    {.length = 2, .items = 1}, {.length = 4, .items = 1},        // array 16, 32
    {.length = 2, .items = 2}, {.length = 4, .items = 2},        // map 16, 32
};
// clang-format on

_Static_assert(sizeof forms / sizeof forms[0] == 0x20, "a form for each of 0xc0 to 0xdf");

struct scan {
    const uint8_t *next, *end;
    uint64_t
        open[LIMIT_JSON_DEPTH + 1]; // items that are still expected, the outermost container first
    size_t depth;
};

static fallible
bad(const char *reason)
{
    return fail(ERR_MALFORMED, "", "The msgpack %s.", reason);
}

static size_t
left(const struct scan *self)
{
    return (size_t)(self->end - self->next);
}

static fallible
scan_bytes(struct scan *self, uint64_t count)
{
    if (count > left(self))
        return bad("ends too early");
    self->next += count;
    return OK;
}

// A header may claim any number of items, but each takes at least a byte, so the walk ends with the
// bytes.
static fallible
scan_container(struct scan *self, uint64_t items)
{
    if (self->depth == LIMIT_JSON_DEPTH)
        return bad("is nested too deep");
    self->open[++self->depth] = items;
    return OK;
}

static fallible
scan_form(struct scan *self, const struct form *form)
{
    uint64_t count = 0;
    if (form->bad)
        return bad("has a byte that begins nothing");
    if (form->length > left(self))
        return bad("ends too early");
    for (unsigned i = 0; i < form->length; i++)
        count = count << 8 | *self->next++;
    if (form->items)
        return scan_container(self, count * form->items);
    return scan_bytes(self, count + form->body);
}

static fallible
scan_value(struct scan *self)
{
    if (left(self) == 0)
        return bad("ends too early");
    uint8_t first = *self->next++;
    if (first < 0x80 || first >= 0xe0)
        return OK; // small integers
    if (first < 0x90)
        return scan_container(self, (first & 0x0fu) * 2);
    if (first < 0xa0)
        return scan_container(self, first & 0x0fu);
    if (first < 0xc0)
        return scan_bytes(self, first & 0x1fu);
    return scan_form(self, &forms[first - 0xc0]);
}

fallible
msgpack_scan(const void *data, size_t size)
{
    struct scan self = {.next = data, .end = (const uint8_t *)data + size, .open = {1}};
    for (;;) {
        while (self.depth > 0 && self.open[self.depth] == 0)
            self.depth--;
        if (self.open[self.depth] == 0)
            break;
        self.open[self.depth]--;
        TRY(scan_value(&self));
    }
    return left(&self) == 0 ? OK : bad("is followed by something else");
}

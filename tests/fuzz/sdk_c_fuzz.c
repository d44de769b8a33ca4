// sdk_c_fuzz.c - the C client: what a stranger's datagrams, answers and streams may say to it. What
// it reads it writes as JSON that reads as the same; a joined client takes any datagram, and its
// changes can be taken.
#include <stdlib.h>

#define DIORAMA_IMPLEMENTATION
#include "tests/fuzz/fuzz.h"
#include "tools/sdk/c/diorama.h"

enum { LARGEST_DATAGRAM = 9000 };

// A tree as JSON, read, and as JSON again: the same text.
static void
check_again(struct diorama_arena *arena, const struct diorama_value *value)
{
    struct dio_text once = {0}, twice = {0};
    struct diorama_value again;
    dio_put_value(&once, value);
    must(diorama_read_json(arena, once.data, once.size, &again));
    dio_put_value(&twice, &again);
    must(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
    dio_text_free(&once);
    dio_text_free(&twice);
}

static void
check_readers(const uint8_t *data, size_t size)
{
    struct diorama_arena arena = {0};
    struct diorama_value value;
    struct diorama_packed packed;
    if (diorama_read_json(&arena, (const char *)data, size, &value))
        check_again(&arena, &value);
    if (diorama_read_packed(&arena, data, size, &packed))
        for (size_t i = 0; i < packed.changes.count; i++)
            must(diorama_find(&packed.changes.of.items[i], "key")->type == DIORAMA_TEXT);
    (void)diorama_read_msgpack(&arena, data, size, &value);
    diorama_arena_free(&arena);
}

static void
check_lines(const char *data, size_t size)
{
    struct diorama_sse events = {0};
    for (const char *at = data, *end = data + size; at < end;) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        line = line ? line : end;
        if (diorama_sse_line(&events, at, (size_t)(line - at)))
            must(events.data != NULL);
        at = line + 1;
    }
    diorama_sse_free(&events);
}

// The input is datagrams, each with its size (two bytes) in front.
static void
check_client(bool is_packed, const uint8_t *data, size_t size)
{
    const struct diorama_options options = {.form = is_packed ? DIORAMA_PACKED : DIORAMA_PLAIN};
    struct diorama *self = dio_new("http://127.0.0.1:1", "s", &options);
    struct diorama_event event;
    must(self != NULL);
    self->has_epoch = true;
    self->epoch = 3;
    while (size >= 2) {
        size_t part = (size_t)(data[0] << 8 | data[1]) % LARGEST_DATAGRAM;
        part = part < size - 2 ? part : size - 2;
        dio_take_datagram(self, (const char *)data + 2, part);
        while (dio_pop(self, &event))
            must(event.kind == DIORAMA_STATE || dio_store_find(&self->store, event.key) != NULL);
        data += 2 + part;
        size -= 2 + part;
    }
    for (const char *key = NULL; (key = diorama_each(self, key));)
        must(dio_store_find(&self->store, key)->exists);
    dio_free(self);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // Readers must not read beyond a datagram: it stands alone in its block.
    uint8_t *copy = malloc(size ? size : 1);
    must(copy != NULL);
    if (size)
        memcpy(copy, data, size);
    check_readers(copy, size);
    check_lines((const char *)copy, size);
    check_client(true, copy, size);
    check_client(false, copy, size);
    free(copy);
    return 0;
}

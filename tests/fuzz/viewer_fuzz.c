// viewer_fuzz.c - what a viewer's client may send: the head of its request, then frames. Whatever
// it is, little waits for the client, and what is accepted has a sub-protocol and a key.
#include <string.h>

#include "gateway/foxglove/handshake.h"
#include "gateway/foxglove/viewer.h"
#include "tests/fuzz/fuzz.h"

static void
check_head(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct handshake asked;
    struct buffer out = {0};
    size_t head_size = size ? handshake_head_size((const char *)data, size) : 0;
    if (head_size) {
        char *head = arena_copy(&arena, data, head_size);
        if (handshake_read(&arena, head, head_size, &asked) == OK) {
            must(asked.protocol && strlen(asked.accept) == HANDSHAKE_ACCEPT_SIZE - 1);
            must(asked.request.header_count < HTTP_HEADERS_MAX);
            handshake_put_accepted(&asked, &out);
        }
    }
    buffer_finish(&out);
    arena_finish(&arena);
}

static void
check_frames(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    static _Atomic unsigned viewers;
    struct stream_sink sink = {0};
    const struct text *scene = text_from(&arena, "hall");
    const struct viewer_plan plan = {
        .scenes = &scene, .count = 1, .assets = "", .viewers = &viewers};
    struct stream_form *form = viewer_create(&plan, 1);
    form->operations->hear(form, (const char *)data, size, 2);
    for (unsigned i = 0; i < 3; i++)
        (void)form->operations->wish(form, 0);
    while (form->operations->write_own(form, &sink))
        continue;
    must(form->operations->size(form) < 256 << 10);
    form->operations->destroy(&form);
    must(viewers == 0);
    buffer_finish(&sink.out);
    arena_finish(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_head(data, size);
    check_frames(data, size);
    return 0;
}

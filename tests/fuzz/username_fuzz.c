// username_fuzz.c - names as clients send them, any bytes. A name that is kept is UTF-8 without
// control characters, stays as it is when it comes again, and is one name with what it was made of;
// every name has a key.
#include "actors/user/username.h"
#include "tests/fuzz/fuzz.h"

static void
check_kept(struct arena *arena, const struct text *name, const struct text *kept)
{
    const struct text *again;
    must(text_size(kept) > 0 && utf8_is_valid(text_bytes(kept), text_size(kept)));
    for (size_t at = 0, size; at < text_size(kept); at += size) {
        size = utf8_sequence(text_bytes(kept) + at, text_size(kept) - at);
        must(size > 0 && !utf8_is_control(text_bytes(kept) + at, size));
    }
    must(username_prepare(arena, kept, &again) == OK && text_equal(kept, again));
    must(text_equal(username_key(arena, name), username_key(arena, kept)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    const struct text *name = text_new(&arena, (const char *)data, size), *kept;
    must(username_key(&arena, name) != NULL);
    if (username_prepare(&arena, name, &kept) == OK)
        check_kept(&arena, name, kept);
    else
        must(fault_last()->detail[0]);
    arena_finish(&arena);
    return 0;
}

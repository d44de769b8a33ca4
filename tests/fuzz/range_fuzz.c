// range_fuzz.c - parts of files. Lines: Range, If-Range, the file's size. A part lies in the file,
// and asking for just that part again finds it; a condition can only turn a part into the whole.
#include <inttypes.h>
#include <stdlib.h>

#include "gateway/http/range.h"
#include "proto/base/text.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct etag etag = {.chars = "bddd813c634239723171ef3fee98579b"};
    struct arena arena = {0};
    struct input input = input_of(data, size);
    const char *range = input_line(&input, &arena), *if_range = input_line(&input, &arena);
    uint64_t bytes = strtoull(input_line(&input, &arena), NULL, 10);
    struct range part = {0, 0}, again = {0, 0}, under = {0, 0};
    enum range_verdict verdict = range_decide(range, NULL, &etag, bytes, &part);
    if (verdict == RANGE_PART) {
        must(part.size > 0 && part.first < bytes && part.size <= bytes - part.first);
        const struct text *same = text_format(&arena, "bytes=%" PRIu64 "-%" PRIu64, part.first,
                                              part.first + part.size - 1);
        must(range_decide(text_chars(same), NULL, &etag, bytes, &again) == RANGE_PART);
        must(again.first == part.first && again.size == part.size);
    }
    enum range_verdict conditional = range_decide(range, if_range, &etag, bytes, &under);
    must(conditional == verdict || conditional == RANGE_WHOLE);
    arena_finish(&arena);
    return 0;
}

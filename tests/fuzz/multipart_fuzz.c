// multipart_fuzz.c - forms. The first line is the media type, the rest the form; its first byte
// says into how large pieces it is cut. However that is, the same parts come out and the same end.
#include <stdlib.h>
#include <string.h>

#include "gateway/request/multipart.h"
#include "proto/base/buffer.h"
#include "tests/fuzz/fuzz.h"

static enum error
begin_part(void *context, const struct multipart_part *part)
{
    buffer_put_format(context, "[%s|%s|%s]", text_chars(part->name), text_chars(part->filename),
                      text_chars(part->media_type));
    must(utf8_is_valid(text_bytes(part->name), text_size(part->name)));
    return OK;
}

static enum error
take_data(void *context, const char *data, size_t size)
{
    must(size > 0);
    buffer_put(context, data, size);
    return OK;
}

static enum error
end_part(void *context)
{
    buffer_put_char(context, '.');
    return OK;
}

static enum error
read_pieces(const char *media_type, const char *bytes, size_t size, size_t piece,
            struct buffer *seen)
{
    static const struct multipart_sink sink = {begin_part, take_data, end_part};
    struct arena arena = {0};
    struct multipart form;
    enum error error = multipart_init(&form, media_type, &sink, seen, &arena);
    while (error == OK && size > 0) {
        size_t room, taken = size < piece ? size : piece;
        char *to = multipart_room(&form, &room);
        must(room >= MULTIPART_ROOM_BYTES);
        memcpy(to, bytes, taken);
        bytes += taken;
        size -= taken;
        error = multipart_take(&form, taken);
    }
    if (error == OK)
        error = multipart_end(&form);
    arena_finish(&arena);
    return error;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct input input = input_of(data, size);
    struct buffer whole = {0}, cut = {0};
    const char *media_type = input_line(&input, &arena);
    size_t piece = input.size ? (unsigned char)input.data[0] % 31 + 1 : 1;
    enum error error =
        read_pieces(media_type, input.data, input.size, MULTIPART_ROOM_BYTES, &whole);
    enum error same = read_pieces(media_type, input.data, input.size, piece, &cut);
    // Where a form is refused, how much was read before may differ.
    must(error == same);
    must(error != OK || (whole.size == cut.size &&
                         (whole.size == 0 || memcmp(whole.data, cut.data, whole.size) == 0)));
    buffer_finish(&whole);
    buffer_finish(&cut);
    arena_finish(&arena);
    return 0;
}

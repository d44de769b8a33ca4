// websocket_fuzz.c - frames of a client, in pieces of any size: what comes whole is the same
// however it is cut, no larger than it may be, and text is UTF-8; nothing is taken for what is
// announced.
#include <string.h>

#include "gateway/foxglove/websocket.h"
#include "proto/base/text.h"
#include "tests/fuzz/fuzz.h"

// What was read, written one behind the other.
static enum websocket_status
read_in_pieces(const char *data, size_t size, size_t piece, struct buffer *told)
{
    struct websocket_reader reader = {0};
    struct websocket_message message;
    while (size && !reader.broken) {
        size_t left = piece < size ? piece : size;
        size -= left;
        while (websocket_read(&reader, &data, &left, &message)) {
            must(message.opcode != WEBSOCKET_MORE);
            must(message.size <= WEBSOCKET_MESSAGE_BYTES);
            must(message.opcode < WEBSOCKET_CLOSE || message.size <= WEBSOCKET_CONTROL_BYTES);
            must(message.opcode != WEBSOCKET_TEXT || utf8_is_valid(message.data, message.size));
            websocket_put(told, message.opcode, message.data, message.size);
        }
        must(left == 0 || reader.broken);
        data += left;
    }
    enum websocket_status broken = reader.broken;
    websocket_finish(&reader);
    return broken;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer whole = {0}, cut = {0};
    if (size == 0)
        return 0;
    size_t piece = 1 + data[0] % 16;
    enum websocket_status status = read_in_pieces((const char *)data + 1, size - 1, size, &whole);
    must(read_in_pieces((const char *)data + 1, size - 1, piece, &cut) == status);
    must(whole.size == cut.size);
    must(whole.size == 0 || memcmp(whole.data, cut.data, cut.size) == 0);
    buffer_finish(&whole);
    buffer_finish(&cut);
    return 0;
}

// websocket.c - reads and writes frames (websocket.h).
#include "gateway/foxglove/websocket.h"

#include "proto/base/text.h"

enum {
    FINAL = 0x80,
    RESERVED = 0x70,
    OPCODE = 0x0f,
    CONTROL = 0x08, // bit of the opcodes of control frames
    MASKED = 0x80,
    LENGTH = 0x7f,
    LENGTH_16 = 126, // two more bytes say it
    LENGTH_64 = 127, // eight more bytes say it
    SHORT_HEAD = 2,
    MASK_BYTES = 4,
    KEPT_BYTES = 0, // of a message, until the next: there are as many as clients
};

void
websocket_finish(struct websocket_reader *self)
{
    buffer_finish(&self->message);
}

// --- reading ---

// Bytes of the head, as far as its first two say it.
static unsigned
head_bytes(const struct websocket_reader *self)
{
    if (self->head_size < SHORT_HEAD)
        return SHORT_HEAD;
    unsigned length = self->head[1] & LENGTH;
    return SHORT_HEAD + MASK_BYTES + (length == LENGTH_16 ? 2 : length == LENGTH_64 ? 8 : 0);
}

static uint64_t
payload_bytes(const struct websocket_reader *self)
{
    unsigned length = self->head[1] & LENGTH;
    unsigned more = length == LENGTH_16 ? 2 : length == LENGTH_64 ? 8 : 0;
    uint64_t size = more ? 0 : length;
    for (unsigned i = 0; i < more; i++)
        size = size << 8 | self->head[SHORT_HEAD + i];
    return size;
}

static bool
is_control(const struct websocket_reader *self)
{
    return self->head[0] & CONTROL;
}

static bool
is_known(unsigned opcode)
{
    return opcode <= WEBSOCKET_BINARY || (opcode >= WEBSOCKET_CLOSE && opcode <= WEBSOCKET_PONG);
}

// What the first two bytes alone show to be wrong.
static enum websocket_status
check_beginning(const struct websocket_reader *self)
{
    unsigned opcode = self->head[0] & OPCODE;
    bool is_final = self->head[0] & FINAL;
    bool goes_on = opcode == WEBSOCKET_MORE;
    if ((self->head[0] & RESERVED) || !(self->head[1] & MASKED) || !is_known(opcode))
        return WEBSOCKET_PROTOCOL_ERROR;
    if (is_control(self))
        return is_final && (self->head[1] & LENGTH) <= WEBSOCKET_CONTROL_BYTES
                   ? WEBSOCKET_FINE
                   : WEBSOCKET_PROTOCOL_ERROR;
    if (goes_on != (self->frames > 0))
        return WEBSOCKET_PROTOCOL_ERROR;
    return self->frames == WEBSOCKET_FRAMES ? WEBSOCKET_TOO_LARGE : WEBSOCKET_FINE;
}

// The head is whole: what it announces.
static enum websocket_status
begin_payload(struct websocket_reader *self)
{
    self->left = payload_bytes(self);
    self->at = 0;
    if (is_control(self)) {
        self->control_size = 0;
        return WEBSOCKET_FINE;
    }
    if (self->left > WEBSOCKET_MESSAGE_BYTES - self->message.size)
        return WEBSOCKET_TOO_LARGE;
    if (self->frames++ == 0)
        self->opcode = self->head[0] & OPCODE;
    return WEBSOCKET_FINE;
}

static void
take_head(struct websocket_reader *self, const char **data, size_t *size)
{
    while (*size && self->head_size < head_bytes(self) && !self->broken) {
        self->head[self->head_size++] = (unsigned char)**data;
        (*data)++;
        (*size)--;
        if (self->head_size == SHORT_HEAD)
            self->broken = check_beginning(self);
        if (!self->broken && self->head_size == head_bytes(self))
            self->broken = begin_payload(self);
    }
}

// Removes the mask from what has come (5.3), and keeps it.
static void
take_payload(struct websocket_reader *self, const char **data, size_t *size)
{
    const unsigned char *mask = self->head + self->head_size - MASK_BYTES;
    size_t taken = *size < self->left ? *size : (size_t)self->left;
    if (!is_control(self))
        buffer_reserve(&self->message, taken);
    for (size_t i = 0; i < taken; i++) {
        char byte = (char)((unsigned char)(*data)[i] ^ mask[self->at++ % MASK_BYTES]);
        if (is_control(self))
            self->control[self->control_size++] = (unsigned char)byte;
        else
            buffer_put_char(&self->message, byte);
    }
    *data += taken;
    *size -= taken;
    self->left -= taken;
}

// A frame is whole; true if a message is.
static bool
end_frame(struct websocket_reader *self, struct websocket_message *ret_message)
{
    self->head_size = 0;
    if (is_control(self)) {
        *ret_message = (struct websocket_message){self->head[0] & OPCODE,
                                                  (const char *)self->control, self->control_size};
        return true;
    }
    if (!(self->head[0] & FINAL))
        return false;
    const char *data = self->message.data ? self->message.data : "";
    *ret_message = (struct websocket_message){self->opcode, data, self->message.size};
    self->frames = 0;
    if (self->opcode == WEBSOCKET_TEXT && !utf8_is_valid(ret_message->data, ret_message->size))
        self->broken = WEBSOCKET_NOT_UTF8;
    return !self->broken;
}

bool
websocket_read(struct websocket_reader *self, const char **data, size_t *size,
               struct websocket_message *ret_message)
{
    if (self->frames == 0 && self->head_size == 0)
        buffer_rest(&self->message, KEPT_BYTES); // the one that was told last
    while (*size && !self->broken) {
        if (self->head_size < head_bytes(self))
            take_head(self, data, size);
        if (self->broken || self->head_size < head_bytes(self))
            continue;
        take_payload(self, data, size);
        if (self->left == 0 && end_frame(self, ret_message))
            return true;
    }
    return false;
}

// --- writing ---

enum { COMMON_HEAD = 4 }; // of most messages: their size has two bytes

size_t
websocket_begin(struct buffer *out)
{
    static const char room[COMMON_HEAD];
    buffer_put(out, room, sizeof room);
    return out->size - sizeof room;
}

// Writes the head before a payload of `size` bytes; the shortest form is the only one (5.2).
static size_t
make_head(enum websocket_opcode opcode, size_t size, unsigned char *ret_head)
{
    size_t more = size < LENGTH_16 ? 0 : size <= UINT16_MAX ? 2 : 8;
    ret_head[0] = (unsigned char)(FINAL | opcode);
    ret_head[1] = (unsigned char)(more == 0 ? size : more == 2 ? LENGTH_16 : LENGTH_64);
    for (size_t i = 0; i < more; i++)
        ret_head[SHORT_HEAD + i] = (unsigned char)((uint64_t)size >> (8 * (more - 1 - i)));
    return SHORT_HEAD + more;
}

void
websocket_end(struct buffer *out, size_t begin, enum websocket_opcode opcode)
{
    unsigned char head[WEBSOCKET_HEAD_BYTES];
    size_t size = out->size - begin - COMMON_HEAD;
    size_t head_size = make_head(opcode, size, head);
    if (head_size > COMMON_HEAD)
        buffer_reserve(out, head_size - COMMON_HEAD);
    char *frame = out->data + begin;
    if (head_size != COMMON_HEAD)
        memmove(frame + head_size, frame + COMMON_HEAD, size);
    memcpy(frame, head, head_size);
    out->size = begin + head_size + size;
}

void
websocket_put(struct buffer *out, enum websocket_opcode opcode, const void *data, size_t size)
{
    size_t begin = websocket_begin(out);
    buffer_put(out, data, size);
    websocket_end(out, begin, opcode);
}

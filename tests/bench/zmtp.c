// zmtp.c - greeting, READY, one subscription, and frames without a look at what is in them.
#include "tests/bench/zmtp.h"

#include <string.h>
#include <sys/socket.h>

enum { GREETING = 64, FLAG_MORE = 1, FLAG_LONG = 2, FLAG_COMMAND = 4 };

static bool
send_all(int socket, const void *data, size_t size)
{
    return send(socket, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool
receive_all(int socket, void *data, size_t size)
{
    return recv(socket, data, size, MSG_WAITALL) == (ssize_t)size;
}

bool
zmtp_subscribe(int socket, const char *topic)
{
    static const unsigned char ready[] = "\4\31\5READY\13Socket-Type\0\0\0\3SUB";
    unsigned char greeting[GREETING] = {0xff}, answer[256], subscription[256] = {0};
    size_t size = strlen(topic);
    greeting[9] = 0x7f;
    greeting[10] = 3;
    memcpy(greeting + 12, "NULL", 4);
    if (!send_all(socket, greeting, GREETING) || !send_all(socket, ready, sizeof ready - 1) ||
        !receive_all(socket, greeting, GREETING) || !receive_all(socket, answer, 2) ||
        answer[0] != FLAG_COMMAND || !receive_all(socket, answer + 2, answer[1]))
        return false;
    subscription[1] = (unsigned char)(size + 1);
    subscription[2] = 1;
    memcpy(subscription + 3, topic, size);
    return send_all(socket, subscription, size + 3);
}

// Whether the frame's flags and size are all there.
static bool
head_is_whole(struct zmtp_reader *self)
{
    unsigned size_bytes = self->head[0] & FLAG_LONG ? 8 : 1;
    if (self->head_size == 0 || self->head_size < 1 + size_bytes)
        return false;
    self->left = 0;
    for (unsigned i = 1; i <= size_bytes; i++)
        self->left = self->left << 8 | self->head[i];
    return true;
}

unsigned
zmtp_read(struct zmtp_reader *self, const unsigned char *data, size_t size)
{
    const unsigned char *end = data + size;
    unsigned messages = 0;
    while (data < end) {
        if (self->left == 0) {
            self->head[self->head_size++] = *data++;
            if (!head_is_whole(self))
                continue;
            self->head_size = 0;
        }
        size_t now = self->left < (size_t)(end - data) ? (size_t)self->left : (size_t)(end - data);
        data += now;
        self->left -= now;
        messages += self->left == 0 && !(self->head[0] & (FLAG_MORE | FLAG_COMMAND));
    }
    return messages;
}

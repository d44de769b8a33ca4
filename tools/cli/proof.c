// proof.c - sends HELLO and returns challenges. The next HELLO makes up for a lost datagram.
#include "tools/cli/proof.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "tools/cli/device.h"
#include "tools/cli/json_value.h"
#include "tools/cli/udp_socket.h"

enum { HELLO_BYTES = 256, CHALLENGE_BYTES = 128 };

enum { MSG_HELLO = 60, MSG_CHALLENGE = 61, MSG_ECHO = 62, MSG_REPEAT = 63 };

fallible
proof_begin(struct proof *self, int udp, const struct json *answer, struct sealed_link *link)
{
    const char *state = device_feed_state(answer), *token = device_feed_token(answer);
    *self = (struct proof){.udp = udp};
    if (!link && (!*token || strlen(token) >= sizeof self->token))
        return OK; // the server has no tokens
    TRY(udp_socket_resolve(udp, json_value_chars(answer, "event_destination_host", ""),
                           (uint16_t)json_value_unsigned(answer, "event_destination_port", 0),
                           &self->server, &self->server_size));
    if (!link)
        memcpy(self->token, token, strlen(token) + 1);
    self->link = link;
    self->wait_ms = PROOF_FIRST_WAIT_MS;
    if (strcmp(state, "active") != 0)
        self->due_ms = clock_now_ms();
    return OK;
}

void
proof_begin_again(struct proof *self, uint64_t now_ms)
{
    if (self->due_ms && self->wait_ms < PROOF_LAST_WAIT_MS)
        return; // it is said already
    self->due_ms = now_ms;
    self->wait_ms = PROOF_FIRST_WAIT_MS;
}

static bool
is_able(const struct proof *self)
{
    return self->link || self->token[0];
}

// {"msg_type":N,"token":"…" without the end; what is sealed needs no token.
static int
write_start(const struct proof *self, int msg_type, char *ret_text, size_t size)
{
    if (self->link)
        return snprintf(ret_text, size, "{\"msg_type\":%d", msg_type);
    return snprintf(ret_text, size, "{\"msg_type\":%d,\"token\":\"%s\"", msg_type, self->token);
}

static void
send_text(const struct proof *self, const char *text, size_t size)
{
    if (self->link) {
        const struct buffer *sealed = sealed_link_seal(self->link, text, size);
        text = sealed->data;
        size = sealed->size;
    }
    // A lost datagram is sent again.
    (void)!sendto(self->udp, text, size, 0, (const struct sockaddr *)&self->server,
                  self->server_size);
}

void
proof_turn(struct proof *self, uint64_t now_ms)
{
    char hello[HELLO_BYTES + 1];
    if (!self->due_ms || now_ms < self->due_ms)
        return;
    int size = write_start(self, MSG_HELLO, hello, sizeof hello);
    if (self->link)
        size += snprintf(hello + size, sizeof hello - (size_t)size, ",\"nonce\":\"%s\"",
                         sealed_link_draw_nonce(self->link));
    hello[size++] = '}';
    memset(hello + size, ' ', HELLO_BYTES - (size_t)size);
    send_text(self, hello, HELLO_BYTES);
    self->due_ms = now_ms + self->wait_ms;
    self->wait_ms *= 2;
    if (self->wait_ms > PROOF_LAST_WAIT_MS)
        self->wait_ms = PROOF_LAST_WAIT_MS;
}

int
proof_timeout_ms(const struct proof *self, uint64_t now_ms, int most_ms)
{
    if (!self->due_ms || self->due_ms > now_ms + (uint64_t)most_ms)
        return most_ms;
    return self->due_ms > now_ms ? (int)(self->due_ms - now_ms) : 0;
}

bool
proof_take(const struct proof *self, const void *datagram, size_t size)
{
    owned(arena_finish) struct arena arena = {0};
    const struct json *json;
    char echo[256];
    if (size > CHALLENGE_BYTES || !is_able(self) ||
        json_parse(&arena, datagram, size, &json) != OK ||
        json_value_unsigned(json, "msg_type", 0) != MSG_CHALLENGE)
        return false;
    int length = write_start(self, MSG_ECHO, echo, sizeof echo);
    length += snprintf(echo + length, sizeof echo - (size_t)length, ",\"challenge\":\"%s\"}",
                       json_value_chars(json, "challenge", ""));
    send_text(self, echo, (size_t)length);
    return true;
}

void
proof_ask_again(const struct proof *self, uint64_t from, uint64_t to)
{
    char text[256];
    if (!is_able(self))
        return;
    int size = write_start(self, MSG_REPEAT, text, sizeof text);
    size += snprintf(text + size, sizeof text - (size_t)size, ",\"from\":%llu,\"to\":%llu}",
                     (unsigned long long)from, (unsigned long long)to);
    send_text(self, text, (size_t)size);
}

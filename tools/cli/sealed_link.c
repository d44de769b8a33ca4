// sealed_link.c - both directions of a sealed device (sealed_link.h).
#include "tools/cli/sealed_link.h"

#include "proto/base/owned.h"
#include "proto/base/token.h"
#include "tools/cli/json_value.h"

enum { MSG_CHALLENGE = 61 };

fallible
sealed_link_begin(struct sealed_link *self, const struct json *answer)
{
    const struct json *feed = answer ? json_find(answer, "udp") : NULL;
    const struct json *key = feed ? json_find(feed, "seal_key") : NULL;
    unsigned char id[SEAL_ID_BYTES], bytes[SEAL_KEY_BYTES];
    if (!key || key->type != JSON_TEXT || !feed_seal_read_key(key->text, bytes) ||
        !feed_seal_read_id(json_value_chars(feed, "seal_id", ""), id))
        return fail(ERR_CONFLICT, "", "the server gave no key: it does not seal datagrams");
    feed_sealer_init(&self->sealer, id, bytes, SEAL_TO_SERVER);
    feed_seal_derive(bytes, SEAL_TO_DEVICE, self->key);
    return OK;
}

void
sealed_link_finish(struct sealed_link *self)
{
    feed_sealer_finish(&self->sealer);
    buffer_finish(&self->sealed);
    buffer_finish(&self->opened);
}

const struct buffer *
sealed_link_seal(struct sealed_link *self, const void *data, size_t size)
{
    buffer_clear(&self->sealed);
    feed_sealer_put(&self->sealer, data, size, &self->sealed);
    return &self->sealed;
}

// Whether what was opened answers the newest HELLO.
static bool
answers_hello(struct sealed_link *self)
{
    owned(arena_finish) struct arena arena = {0};
    const struct json *json;
    bool answers = self->nonce[0] && self->opened.size &&
                   json_parse(&arena, self->opened.data, self->opened.size, &json) == OK &&
                   json_value_unsigned(json, "msg_type", 0) == MSG_CHALLENGE &&
                   strcmp(json_value_chars(json, "nonce", ""), self->nonce) == 0;
    if (answers)
        self->nonce[0] = '\0';
    return answers;
}

static void
begin_session(struct sealed_link *self, uint64_t session, uint64_t next)
{
    self->has_session = true;
    self->session = session;
    self->is_strange = false;
    replay_window_begin(&self->window, next);
}

const struct buffer *
sealed_link_open(struct sealed_link *self, const void *data, size_t size)
{
    struct seal_head head;
    if (!feed_seal_read_head(data, size, &head) ||
        memcmp(head.id, self->sealer.id, sizeof head.id) != 0)
        return NULL;
    bool is_of_now = self->has_session && head.session == self->session;
    if (is_of_now && !replay_window_takes(&self->window, head.counter))
        return NULL;
    buffer_clear(&self->opened);
    if (!feed_seal_open(self->key, data, size, &self->opened))
        return NULL;
    if (!self->has_session) {
        begin_session(self, head.session, 0);
    } else if (!is_of_now && answers_hello(self)) {
        begin_session(self, head.session, head.counter);
    } else if (!is_of_now) {
        self->is_strange = true;
        return NULL;
    }
    replay_window_note(&self->window, head.counter);
    return &self->opened;
}

const char *
sealed_link_draw_nonce(struct sealed_link *self)
{
    char random[FEED_TOKEN_SIZE];
    token_draw(random, sizeof random);
    token_digest(random, sizeof random - 1, NULL, self->nonce, sizeof self->nonce);
    return self->nonce;
}

// feed_controls.c - reads control datagrams and limits how many messages of them are under way
// (feed_controls.h).

#include "actors/udp/feed_controls.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

static atomic_uint under_way;

bool
feed_control_is(int64_t msg_type)
{
    return msg_type == CONTROL_HELLO || msg_type == CONTROL_ECHO || msg_type == CONTROL_REPEAT;
}

static bool
token_read(const struct json *json, struct feed_control *control)
{
    const struct json *token = json_find(json, "token");
    return token && token->type == JSON_TEXT && feed_token_hash(token->text, control->token_hash);
}

static bool
digits_read(const struct json *json, const char *name, char ret_digits[CHALLENGE_SIZE])
{
    const struct json *digits = json_find(json, name);
    if (!digits || digits->type != JSON_TEXT || text_size(digits->text) != CHALLENGE_SIZE - 1 ||
        strspn(digits->text->data, "0123456789abcdef") != CHALLENGE_SIZE - 1)
        return false;
    memcpy(ret_digits, digits->text->data, CHALLENGE_SIZE);
    return true;
}

static bool
number_read(const struct json *json, const char *name, uint64_t *ret_number)
{
    const struct json *number = json_find(json, name);
    if (!number || number->type != JSON_INTEGER || number->integer < 0)
        return false;
    *ret_number = (uint64_t)number->integer;
    return true;
}

// The members that only datagrams of this type have.
static bool
rest_read(const struct json *json, size_t size, struct feed_control *control)
{
    switch (control->type) {
    case CONTROL_HELLO:
        return size >= CONTROL_HELLO_BYTES &&
               (!control->is_sealed || digits_read(json, "nonce", control->nonce));
    case CONTROL_ECHO:
        return digits_read(json, "challenge", control->challenge);
    default:
        return number_read(json, "from", &control->from) && number_read(json, "to", &control->to) &&
               control->from <= control->to;
    }
}

bool
feed_control_read(const struct json *json, size_t size, const struct sealed_sender *sender,
                  struct feed_control *ret_control, enum metric_cell *ret_reason)
{
    struct feed_control control = {.type =
                                       (enum feed_control_type)json_find(json, "msg_type")->integer,
                                   .size = (uint32_t)size};
    *ret_reason = COUNT_UDP_DROP_TOKEN;
    if (sender) {
        control.is_sealed = true;
        control.sender = *sender;
        memcpy(control.token_hash, sender->token_hash, sizeof control.token_hash);
    } else if (!token_read(json, &control)) {
        return false;
    }
    *ret_reason = COUNT_UDP_DROP_VALUE;
    if (!rest_read(json, size, &control))
        return false;
    *ret_control = control;
    return true;
}

static void
feed_controls_destroy(struct parcel *parcel)
{
    atomic_fetch_sub(&under_way, 1);
    free(parcel);
}

struct feed_controls *
feed_controls_create(void)
{
    if (atomic_fetch_add(&under_way, 1) >= CONTROLS_UNDER_WAY) {
        atomic_fetch_sub(&under_way, 1);
        return NULL;
    }
    struct feed_controls *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = feed_controls_destroy;
    return self;
}

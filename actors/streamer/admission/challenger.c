// challenger.c - datagrams 61, and what 62 says (challenger.h).

#include "actors/streamer/admission/challenger.h"

#include <string.h>

#include "actors/streamer/admission/control_sender.h"
#include "proto/base/owned.h"
#include "proto/base/token.h"

void
challenger_init(struct challenger *self, int udp_socket, sealed_intake_t *intake)
{
    *self = (struct challenger){
        .socket = udp_socket, .intake = intake, .challenges = address_challenges_create()};
}

void
challenger_finish(struct challenger *self)
{
    address_challenges_destroy(&self->challenges);
}

bool
challenger_spend(struct challenger *self, const union udp_endpoint *endpoint, uint64_t now_ms)
{
    return address_challenges_spend(self->challenges, endpoint, now_ms);
}

// What the challenge of a HELLO is about: the registration, and, of a sealed one, that its session
// shall follow the one of now. So an old ECHO, whose session has ended, brings it back no more.
static void
subject_of(const struct challenger *self, const struct feed_control *control,
           char ret_subject[CHALLENGE_SIZE])
{
    memcpy(ret_subject, control->token_hash, CHALLENGE_SIZE);
    if (!control->is_sealed)
        return;
    struct {
        uint64_t now, next;
        char token_hash[FEED_TOKEN_HASH_SIZE];
    } about;
    memset(&about, 0, sizeof about); // the padding is hashed too
    about.now = sealed_intake_session(self->intake, control->token_hash);
    about.next = control->sender.session;
    memcpy(about.token_hash, control->token_hash, sizeof about.token_hash);
    token_digest(&about, sizeof about, NULL, ret_subject, CHALLENGE_SIZE);
}

void
challenger_write(const char *challenge, const char *nonce, struct buffer *out)
{
    buffer_put_format(out, "{\"msg_type\":%d,\"challenge\":\"%s\"%s%s%s}", CONTROL_CHALLENGE,
                      challenge, *nonce ? ",\"nonce\":\"" : "", nonce, *nonce ? "\"" : "");
}

// `nonce`: what a sealed HELLO wants to hear again, or "".
static void
send_about(const struct challenger *self, const union udp_endpoint *endpoint,
           struct device_sealer *sealer, const char *subject, const char *nonce, uint64_t now_ms)
{
    char challenge[CHALLENGE_SIZE];
    owned(buffer_finish) struct buffer datagram = {0};
    address_challenges_make(self->challenges, endpoint, subject, now_ms, challenge);
    challenger_write(challenge, nonce, &datagram);
    bool is_sent = control_send(self->socket, sealer, datagram.data, datagram.size, endpoint);
    counter_add(is_sent ? COUNT_UDP_CHALLENGES : COUNT_UDP_OUT_FAILED, 1);
}

void
challenger_send(const struct challenger *self, const struct registered_device *device,
                const union udp_endpoint *endpoint, uint64_t now_ms)
{
    struct opened room;
    send_about(self, endpoint, device->subscriber.sealer,
               text_chars(registered_open(device, &room)->token), "", now_ms);
}

void
challenger_answer(const struct challenger *self, const struct registered_device *device,
                  const struct feed_control *hello, uint64_t now_ms)
{
    char subject[CHALLENGE_SIZE];
    subject_of(self, hello, subject);
    send_about(self, &hello->source, device->subscriber.sealer, subject, hello->nonce, now_ms);
}

bool
challenger_check(const struct challenger *self, const struct feed_control *echo, uint64_t now_ms)
{
    char subject[CHALLENGE_SIZE];
    subject_of(self, echo, subject);
    if (address_challenges_check(self->challenges, &echo->source, subject, now_ms,
                                 echo->challenge)) {
        if (echo->is_sealed)
            sealed_intake_admit(self->intake, &echo->sender);
        return true;
    }
    return echo->is_sealed && echo->sender.is_admitted &&
           address_challenges_check(self->challenges, &echo->source, echo->token_hash, now_ms,
                                    echo->challenge);
}

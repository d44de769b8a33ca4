// golden_devices.c - golden datagrams between devices and the server: sealed ones, controls (60 to
// 65) and updates (golden.h). What devices send is read by the server's parser.
#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "actors/streamer/admission/challenger.h"
#include "actors/udp/udp_parser.h"
#include "proto/feed/feed_seal.h"
#include "tests/golden/golden.h"
#include "tools/cli/proof.h"

#define CHALLENGE "00112233445566778899aabbccddeeff"
#define NONCE "ffeeddccbbaa99887766554433221100"
#define SEALED_HELLO "{\"msg_type\":60,\"nonce\":\"" NONCE "\"}"
#define MOVE(key)                                                                                  \
    "{\"msg_type\":1,\"key\":\"" key "\",\"transform\":[1.0,0.0,0.0,5.0,0.0,"                      \
    "1.0,0.0,6.0,0.0,0.0,1.0,7.0,0.0,0.0,0.0,1.0]}"
#define UPDATE MOVE("5b98880a270698496c36e392")

static void
put_chars(const char *chars, struct buffer *out)
{
    buffer_clear(out);
    buffer_put_chars(out, chars);
}

// --- what the server's parser takes ---

static void
put_read(struct golden *self, const char *name, const struct buffer *datagram)
{
    struct udp_parsed parsed;
    enum metric_cell reason;
    if (!udp_parse(&self->arena, datagram->data, datagram->size, NULL, &parsed, &reason)) {
        fprintf(stderr, "%s: the server does not take it (%d)\n", name, (int)reason);
        abort();
    }
    golden_text(self, name, datagram);
}

void
golden_make_updates(struct golden *self)
{
    static const struct {
        const char *name, *text;
    } updates[] = {
        {"move an object", MOVE("0018880a270698496c36e392")},
        {"move an object with a token",
         "{\"msg_type\":1,\"key\":\"0018880a270698496c36e392\",\"token\":\"" GOLDEN_TOKEN "\","
         "\"transform\":[0.8660254037844387,-0.5,0,0.1,0.5,0.8660254037844387,0,1e-7,0,0,1,-7e300,"
         "0,0,0,1]}"},
        {"move an object with the fence of its lock",
         "{\"msg_type\":1,\"key\":\"0018880a270698496c36e392\",\"fence\":17,\"translation\":[1,2,3]"
         "}"},
        {"name an object",
         "{\"msg_type\":1,\"key\":\"0018880a270698496c36e392\",\"name\":\"Würfel\"}"},
        {"set a property of a key that a client chose",
         "{\"msg_type\":9,\"key\":\"gravity\",\"scene\":\"s1\",\"values\":[9.81]}"},
        {"set a keyframe of an object",
         "{\"msg_type\":16,\"key\":\"0018880a270698496c36e392\",\"actions\":[{\"name\":\"walk\","
         "\"keyframes\":[{\"frame\":1,\"transform\":[1,0,0,1,0,1,0,1,0,0,1,1,0,0,0,1]}]}]}"},
        {"set a keyframe of a property",
         "{\"msg_type\":24,\"key\":\"gravity\",\"scene\":\"s1\",\"actions\":[{\"name\":\"swing\","
         "\"keyframes\":[{\"frame\":1,\"values\":[1.5]}]}]}"},
        {"describe an action",
         "{\"msg_type\":20,\"key\":\"0018880a270698496c36e392\",\"actions\":[{\"name\":\"walk\","
         "\"description\":\"on\"}]}"},
    };
    for (size_t i = 0; i < sizeof updates / sizeof updates[0]; i++) {
        put_chars(updates[i].text, &self->bytes);
        put_read(self, updates[i].name, &self->bytes);
    }
}

// --- controls ---

// What the command line sends arrives at its own socket.
static struct proof
proof_to_itself(void)
{
    struct proof proof = {
        .udp = socket(AF_INET, SOCK_DGRAM, 0), .token = GOLDEN_TOKEN, .due_ms = 1};
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert(bind(proof.udp, (const struct sockaddr *)&address, sizeof address) == 0);
    proof.server_size = sizeof proof.server;
    assert(getsockname(proof.udp, (struct sockaddr *)&proof.server, &proof.server_size) == 0);
    return proof;
}

static void
put_sent(struct golden *self, const char *name, const struct proof *proof)
{
    char datagram[1024];
    ssize_t size = recv(proof->udp, datagram, sizeof datagram, 0);
    assert(size > 0);
    buffer_clear(&self->bytes);
    buffer_put(&self->bytes, datagram, (size_t)size);
    put_read(self, name, &self->bytes);
}

static void
put_challenge(struct golden *self, const char *name, const char *nonce)
{
    buffer_clear(&self->bytes);
    challenger_write(CHALLENGE, nonce, &self->bytes);
    golden_text(self, name, &self->bytes);
}

void
golden_make_controls(struct golden *self)
{
    static const char challenge[] = "{\"msg_type\":61,\"challenge\":\"" CHALLENGE "\"}";
    struct proof proof = proof_to_itself();
    proof_turn(&proof, 1);
    put_sent(self, "60 HELLO", &proof);
    put_challenge(self, "61 challenge", "");
    put_challenge(self, "61 challenge of a sealed HELLO", NONCE);
    assert(proof_take(&proof, challenge, sizeof challenge - 1));
    put_sent(self, "62 ECHO", &proof);
    proof_ask_again(&proof, 1842, 1850);
    put_sent(self, "63 ask again", &proof);
    proof_ask_again(&proof, 1, UINT64_C(9007199254740991));
    put_sent(self, "63 ask again for a lot", &proof);
    close(proof.udp);
}

// --- sealed ---

static const unsigned char session_bytes[] = {0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18};
static const char token_hash[FEED_TOKEN_HASH_SIZE] = "8e110a858144a2f81f7c9fbbd3d28777";

// A sealer with the key 00 01 … 1f and that session.
static struct feed_sealer
sealer_of(enum seal_direction direction, uint64_t counter)
{
    unsigned char key[SEAL_KEY_BYTES], id[SEAL_ID_BYTES];
    struct feed_sealer sealer;
    struct seal_head head;
    for (unsigned i = 0; i < SEAL_KEY_BYTES; i++)
        key[i] = (unsigned char)i;
    feed_seal_id(token_hash, id);
    feed_sealer_init(&sealer, id, key, direction);
    memcpy(&sealer.session, session_bytes, sizeof session_bytes);
    memcpy(head.id, id, sizeof head.id);
    head.session = sealer.session;
    feed_seal_session_key(sealer.key, &head, sealer.session_key);
    sealer.counter = counter;
    return sealer;
}

static void
put_sealed(struct golden *self, const char *name, enum seal_direction direction, uint64_t counter,
           const struct buffer *content)
{
    struct feed_sealer sealer = sealer_of(direction, counter);
    struct buffer opened = {0};
    buffer_clear(&self->bytes);
    feed_sealer_put(&sealer, content->data, content->size, &self->bytes);
    assert(feed_seal_open(sealer.key, self->bytes.data, self->bytes.size, &opened));
    assert(opened.size == content->size && memcmp(opened.data, content->data, opened.size) == 0);
    buffer_clear(&self->json);
    buffer_put_format(&self->json,
                      "{\"seal_key\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\","
                      "\"seal_id\":\"8e110a858144a2f8\",\"direction\":%d,"
                      "\"session\":\"1112131415161718\",\"counter\":%llu,\"content\":\"",
                      (int)direction, (unsigned long long)counter);
    for (size_t i = 0; i < opened.size; i++)
        buffer_put_format(&self->json, "%02x", (unsigned char)opened.data[i]);
    buffer_put_chars(&self->json, "\"}");
    golden_begin(self, name);
    golden_hex(self, &self->bytes);
    golden_end(self, &self->json);
    buffer_finish(&opened);
    feed_sealer_finish(&sealer);
}

static void
put_sealed_chars(struct golden *self, const char *name, enum seal_direction direction,
                 uint64_t counter, const char *content, size_t padded)
{
    struct buffer text = {0};
    buffer_put_chars(&text, content);
    while (text.size < padded)
        buffer_put_char(&text, ' ');
    put_sealed(self, name, direction, counter, &text);
    buffer_finish(&text);
}

void
golden_make_sealed(struct golden *self)
{
    static const unsigned char packed[] = {0x96, 1, 3, 0xcd, 7, 0x3b, 0xcd, 7, 0x3b, 0, 0x90};
    struct buffer content = {0};
    put_sealed_chars(self, "update", SEAL_TO_SERVER, 5, UPDATE, 0);
    put_sealed_chars(self, "HELLO", SEAL_TO_SERVER, 0, SEALED_HELLO, CONTROL_HELLO_BYTES);
    put_sealed_chars(self, "ECHO", SEAL_TO_SERVER, 1,
                     "{\"msg_type\":62,\"challenge\":\"" CHALLENGE "\"}", 0);
    put_sealed_chars(self, "ask again", SEAL_TO_SERVER, 256,
                     "{\"msg_type\":63,\"from\":1842,\"to\":1850}", 0);
    put_sealed_chars(self, "last counter of a device", SEAL_TO_SERVER, SEAL_COUNTER_END - 1, UPDATE,
                     0);
    challenger_write(CHALLENGE, NONCE, &content);
    put_sealed(self, "challenge", SEAL_TO_DEVICE, 0, &content);
    buffer_clear(&content);
    buffer_put(&content, packed, sizeof packed);
    put_sealed(self, "packed datagram", SEAL_TO_DEVICE, 1, &content);
    put_sealed(self, "packed datagram with the last counter", SEAL_TO_DEVICE, SEAL_COUNTER_END - 1,
               &content);
    buffer_clear(&content);
    put_sealed(self, "nothing", SEAL_TO_DEVICE, 2, &content);
    buffer_finish(&content);
}

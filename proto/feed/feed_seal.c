// feed_seal.c - seals and opens datagrams (feed_seal.h). XChaCha20 is HChaCha20, which makes a key
// of the start of the nonce, and ChaCha20 with it: the first half is done once a session. Pure: any
// thread.

#include "proto/feed/feed_seal.h"

#include <assert.h>
#include <sodium.h>

enum {
    VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
    NONCE_BYTES = crypto_aead_chacha20poly1305_ietf_NPUBBYTES,
    SESSION_PLACE = 1 + SEAL_ID_BYTES,
    COUNTER_PLACE = SESSION_PLACE + SEAL_SESSION_BYTES,
};
_Static_assert((int)SEAL_KEY_BYTES == (int)crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
               "the size of a key in libsodium");
_Static_assert((int)SEAL_TAG_BYTES == (int)crypto_aead_xchacha20poly1305_ietf_ABYTES,
               "the size of a tag in libsodium");

void
feed_seal_draw_key(char ret_key[SEAL_KEY_SIZE])
{
    unsigned char key[SEAL_KEY_BYTES];
    randombytes_buf(key, sizeof key);
    sodium_bin2base64(ret_key, SEAL_KEY_SIZE, key, sizeof key, VARIANT);
    sodium_memzero(key, sizeof key);
}

bool
feed_seal_read_key(const struct text *text, unsigned char ret_key[SEAL_KEY_BYTES])
{
    unsigned char key[SEAL_KEY_BYTES];
    size_t size = 0;
    const char *end = NULL;
    bool is_key = text_size(text) == SEAL_KEY_SIZE - 1 &&
                  sodium_base642bin(key, sizeof key, text_bytes(text), text_size(text), NULL, &size,
                                    &end, VARIANT) == 0 &&
                  size == sizeof key && end == text_bytes(text) + text_size(text);
    if (is_key)
        memcpy(ret_key, key, sizeof key);
    sodium_memzero(key, sizeof key);
    return is_key;
}

bool
feed_seal_read_id(const char *hex, unsigned char ret_id[SEAL_ID_BYTES])
{
    unsigned char id[SEAL_ID_BYTES];
    size_t size = 0;
    if (strlen(hex) != SEAL_ID_SIZE - 1 ||
        sodium_hex2bin(id, sizeof id, hex, SEAL_ID_SIZE - 1, NULL, &size, NULL) != 0 ||
        size != sizeof id)
        return false;
    memcpy(ret_id, id, sizeof id);
    return true;
}

void
feed_seal_id(const char token_hash[FEED_TOKEN_HASH_SIZE], unsigned char ret_id[SEAL_ID_BYTES])
{
    char half[SEAL_ID_SIZE];
    memcpy(half, token_hash, sizeof half - 1);
    half[sizeof half - 1] = '\0';
    memset(ret_id, 0, SEAL_ID_BYTES);
    bool is_hash = feed_seal_read_id(half, ret_id);
    assert(is_hash);
    (void)is_hash;
}

void
feed_seal_derive(const unsigned char key[SEAL_KEY_BYTES], enum seal_direction direction,
                 unsigned char ret_key[SEAL_KEY_BYTES])
{
    crypto_kdf_derive_from_key(ret_key, SEAL_KEY_BYTES, (uint64_t)direction, "DioSeal1", key);
}

// --- the bytes ---

bool
feed_seal_is(const void *data, size_t size)
{
    return size > 0 && *(const unsigned char *)data == SEAL_FIRST_BYTE;
}

bool
feed_seal_read_head(const void *data, size_t size, struct seal_head *ret_head)
{
    const unsigned char *bytes = data;
    struct seal_head head = {.counter = 0};
    if (size < SEAL_BYTES || !feed_seal_is(data, size))
        return false;
    memcpy(head.id, bytes + 1, sizeof head.id);
    memcpy(&head.session, bytes + SESSION_PLACE, sizeof head.session);
    for (size_t i = 0; i < SEAL_COUNTER_BYTES; i++)
        head.counter = head.counter << 8 | bytes[COUNTER_PLACE + i];
    *ret_head = head;
    return true;
}

// The end of the nonce, as ChaCha20 takes it with the key of the session.
static void
nonce_of(const unsigned char *head, unsigned char ret_nonce[NONCE_BYTES])
{
    memset(ret_nonce, 0, NONCE_BYTES);
    memcpy(ret_nonce + NONCE_BYTES - SEAL_COUNTER_BYTES, head + COUNTER_PLACE, SEAL_COUNTER_BYTES);
}

void
feed_seal_session_key(const unsigned char key[SEAL_KEY_BYTES], const struct seal_head *head,
                      unsigned char ret_key[SEAL_KEY_BYTES])
{
    unsigned char start[crypto_core_hchacha20_INPUTBYTES];
    _Static_assert(sizeof start == SEAL_ID_BYTES + SEAL_SESSION_BYTES, "the start of the nonce");
    memcpy(start, head->id, SEAL_ID_BYTES);
    memcpy(start + SEAL_ID_BYTES, &head->session, SEAL_SESSION_BYTES);
    crypto_core_hchacha20(ret_key, start, key, NULL);
}

bool
feed_seal_open_in_session(const unsigned char session_key[SEAL_KEY_BYTES], const void *data,
                          size_t size, struct buffer *out)
{
    const unsigned char *head = data;
    unsigned char nonce[NONCE_BYTES];
    unsigned long long length = 0;
    if (size < SEAL_BYTES || !feed_seal_is(data, size))
        return false;
    nonce_of(head, nonce);
    buffer_reserve(out, size - SEAL_BYTES + 1); // never NULL
    if (crypto_aead_chacha20poly1305_ietf_decrypt(
            (unsigned char *)out->data + out->size, &length, NULL, head + SEAL_HEAD_BYTES,
            size - SEAL_HEAD_BYTES, head, SEAL_HEAD_BYTES, nonce, session_key) != 0)
        return false;
    out->size += (size_t)length;
    return true;
}

bool
feed_seal_open(const unsigned char key[SEAL_KEY_BYTES], const void *data, size_t size,
               struct buffer *out)
{
    struct seal_head head;
    unsigned char session_key[SEAL_KEY_BYTES];
    if (!feed_seal_read_head(data, size, &head))
        return false;
    feed_seal_session_key(key, &head, session_key);
    bool is_open = feed_seal_open_in_session(session_key, data, size, out);
    sodium_memzero(session_key, sizeof session_key);
    return is_open;
}

// --- sealing ---

static void
begin_session(struct feed_sealer *self)
{
    struct seal_head head;
    randombytes_buf(&self->session, sizeof self->session);
    self->counter = 0;
    memcpy(head.id, self->id, sizeof head.id);
    head.session = self->session;
    feed_seal_session_key(self->key, &head, self->session_key);
}

void
feed_sealer_init(struct feed_sealer *self, const unsigned char id[SEAL_ID_BYTES],
                 const unsigned char key[SEAL_KEY_BYTES], enum seal_direction direction)
{
    memcpy(self->id, id, sizeof self->id);
    feed_seal_derive(key, direction, self->key);
    begin_session(self);
}

void
feed_sealer_finish(struct feed_sealer *self)
{
    sodium_memzero(self, sizeof *self);
}

static void
write_head(const struct feed_sealer *self, unsigned char *ret_head)
{
    uint64_t counter = self->counter;
    ret_head[0] = SEAL_FIRST_BYTE;
    memcpy(ret_head + 1, self->id, SEAL_ID_BYTES);
    memcpy(ret_head + SESSION_PLACE, &self->session, SEAL_SESSION_BYTES);
    for (size_t i = SEAL_COUNTER_BYTES; i-- > 0; counter >>= 8)
        ret_head[COUNTER_PLACE + i] = (unsigned char)counter;
}

void
feed_sealer_put(struct feed_sealer *self, const void *data, size_t size, struct buffer *out)
{
    unsigned char nonce[NONCE_BYTES];
    buffer_reserve(out, SEAL_BYTES + size);
    unsigned char *head = (unsigned char *)out->data + out->size;
    if (self->counter == SEAL_COUNTER_END)
        begin_session(self);
    write_head(self, head);
    nonce_of(head, nonce);
    crypto_aead_chacha20poly1305_ietf_encrypt(head + SEAL_HEAD_BYTES, NULL, data, size, head,
                                              SEAL_HEAD_BYTES, NULL, nonce, self->session_key);
    self->counter++;
    out->size += SEAL_BYTES + size;
}

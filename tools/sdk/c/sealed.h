// sealed.h - sealed datagrams, by libsodium (diorama.h).
#ifndef DIORAMA_SEALED_H
#define DIORAMA_SEALED_H

#include "tools/sdk/c/api.h"

#ifdef DIORAMA_SODIUM

#include <sodium.h>
#include <string.h>

enum { DIO_SEAL_HEAD = 23, DIO_SEAL_TAG = 16, DIO_SEAL_FIRST = 0xd1 };

bool
diorama_seal_key(const char *seal_key, int direction, unsigned char ret_key[32])
{
    unsigned char key[32], salt[16] = {(unsigned char)direction}, person[16] = "DioSeal1";
    size_t size;
    if (sodium_init() < 0 ||
        sodium_base642bin(key, sizeof key, seal_key, strlen(seal_key), NULL, &size, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
        size != sizeof key)
        return false;
    return crypto_generichash_blake2b_salt_personal(ret_key, 32, NULL, 0, key, sizeof key, salt,
                                                    person) == 0;
}

static void
dio_seal_nonce(const unsigned char *head, unsigned char nonce[24])
{
    memset(nonce, 0, 24);
    memcpy(nonce, head + 1, 16);
    memcpy(nonce + 18, head + 17, 6);
}

size_t
diorama_seal(const unsigned char key[32], const unsigned char head[23], const void *content,
             size_t size, unsigned char *out)
{
    unsigned char nonce[24];
    dio_seal_nonce(head, nonce);
    memmove(out, head, DIO_SEAL_HEAD);
    crypto_aead_xchacha20poly1305_ietf_encrypt(out + DIO_SEAL_HEAD, NULL, content, size, head,
                                               DIO_SEAL_HEAD, NULL, nonce, key);
    return DIO_SEAL_HEAD + size + DIO_SEAL_TAG;
}

bool
diorama_unseal(const unsigned char key[32], const void *datagram, size_t size, unsigned char *out,
               size_t *ret_size)
{
    const unsigned char *head = datagram;
    unsigned char nonce[24];
    if (size < DIO_SEAL_HEAD + DIO_SEAL_TAG || head[0] != DIO_SEAL_FIRST)
        return false;
    dio_seal_nonce(head, nonce);
    *ret_size = size - DIO_SEAL_HEAD - DIO_SEAL_TAG;
    return crypto_aead_xchacha20poly1305_ietf_decrypt(out, NULL, NULL, head + DIO_SEAL_HEAD,
                                                      size - DIO_SEAL_HEAD, head, DIO_SEAL_HEAD,
                                                      nonce, key) == 0;
}

#else

bool
diorama_seal_key(const char *seal_key, int direction, unsigned char ret_key[32])
{
    (void)seal_key, (void)direction, (void)ret_key;
    return false;
}

size_t
diorama_seal(const unsigned char key[32], const unsigned char head[23], const void *content,
             size_t size, unsigned char *out)
{
    (void)key, (void)head, (void)content, (void)size, (void)out;
    return 0;
}

bool
diorama_unseal(const unsigned char key[32], const void *datagram, size_t size, unsigned char *out,
               size_t *ret_size)
{
    (void)key, (void)datagram, (void)size, (void)out, (void)ret_size;
    return false;
}

#endif

#endif

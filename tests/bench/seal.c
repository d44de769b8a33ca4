// seal.c - what a seal costs a datagram: microseconds of one core to seal it, and to open it, by
// its size; beside it the two ciphers alone, below which no seal of this form can be. Usage: seal.

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/feed/sealed_intake.h"

#define TOKEN_HASH "8e110a858144a2f81f7c9fbbd3d28777"

enum { MEASURED = 200000, ROUNDS = 5, BATCH = 1000 };

static double
now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

// Seals and opens so many datagrams as a device does and as the receiver does.
static void
measure(sealed_intake_t *intake, struct feed_sealer *sealer, size_t size, double *ret_seal_us,
        double *ret_open_us)
{
    static char content[1200];
    static struct buffer sealed[BATCH];
    struct buffer out = {0};
    double seal_us = 0, open_us = 0;
    for (unsigned done = 0; done < MEASURED; done += BATCH) {
        double begin_us = now_us();
        for (unsigned i = 0; i < BATCH; i++) {
            buffer_clear(&sealed[i]);
            feed_sealer_put(sealer, content, size, &sealed[i]);
        }
        double middle_us = now_us();
        for (unsigned i = 0; i < BATCH; i++) {
            struct sealed_sender sender;
            enum metric_cell reason;
            if (!sealed_intake_open(intake, sealed[i].data, sealed[i].size, &out, &sender, &reason))
                exit(1);
        }
        seal_us += middle_us - begin_us;
        open_us += now_us() - middle_us;
    }
    buffer_finish(&out);
    *ret_seal_us = seal_us / MEASURED;
    *ret_open_us = open_us / MEASURED;
}

// The least that a seal of so many bytes can cost with these ciphers: the stream over the content,
// the tag over the sealed content.
static double
ciphers_alone(size_t size)
{
    static unsigned char content[1200], sealed[1200], tag[crypto_onetimeauth_poly1305_BYTES];
    static const unsigned char key[crypto_stream_chacha20_ietf_KEYBYTES];
    unsigned char nonce[crypto_stream_chacha20_ietf_NONCEBYTES] = {0};
    double begin_us = now_us();
    for (unsigned i = 0; i < MEASURED; i++) {
        nonce[i % sizeof nonce]++;
        crypto_stream_chacha20_ietf_xor_ic(sealed, content, size, nonce, 1, key);
        crypto_onetimeauth_poly1305(tag, sealed, size, key);
    }
    return (now_us() - begin_us) / MEASURED;
}

int
main(void)
{
    static const size_t sizes[] = {60, 125, 200, 400, 1161};
    struct arena arena = {0};
    char key[SEAL_KEY_SIZE];
    unsigned char bytes[SEAL_KEY_BYTES], id[SEAL_ID_BYTES];
    struct feed_sealer sealer;
    if (sodium_init() < 0) // which chooses the fastest code for this processor
        return 1;
    sealed_intake_t *intake = sealed_intake_create();
    struct record *device = record_new(&arena, &device_schema);
    feed_seal_draw_key(key);
    record_set_text(device, DEVICE_TOKEN, text_from(&arena, TOKEN_HASH));
    record_set_text(device, DEVICE_SEAL_KEY, text_from(&arena, key));
    sealed_intake_put(intake, device_of(device), false);
    if (!feed_seal_read_key(device_rare_of(device_of(device))->seal_key, bytes))
        return 1;
    feed_seal_id(TOKEN_HASH, id);
    feed_sealer_init(&sealer, id, bytes, SEAL_TO_SERVER);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        double seal_us = 1e9, open_us = 1e9, alone_us = 1e9;
        for (unsigned round = 0; round < ROUNDS; round++) {
            double seal, open;
            measure(intake, &sealer, sizes[i], &seal, &open);
            seal_us = seal < seal_us ? seal : seal_us;
            open_us = open < open_us ? open : open_us;
            double alone = ciphers_alone(sizes[i]);
            alone_us = alone < alone_us ? alone : alone_us;
        }
        printf("%zu bytes: seal %.2f us, open %.2f us, ciphers alone %.2f us, %d bytes more\n",
               sizes[i], seal_us, open_us, alone_us, (int)SEAL_BYTES);
    }
    sealed_intake_destroy(&intake);
    arena_finish(&arena);
    return 0;
}

// seal_fuzz.c - what claims to be a sealed datagram: without the key nothing is opened and no
// session begins; what was sealed with it is opened once. The input is a datagram of a stranger,
// then what a device says.
#include <string.h>

#include "proto/feed/sealed_intake.h"
#include "tests/fuzz/fuzz.h"

#define TOKEN_HASH "8e110a858144a2f81f7c9fbbd3d28777"

// An intake with one registration, and what its device seals with.
static sealed_intake_t *
open_intake(struct arena *arena, bool is_old, struct feed_sealer *ret_sealer)
{
    char key[SEAL_KEY_SIZE];
    unsigned char bytes[SEAL_KEY_BYTES], id[SEAL_ID_BYTES];
    sealed_intake_t *intake = sealed_intake_create();
    struct record *device = record_new(arena, &device_schema);
    feed_seal_draw_key(key);
    record_set_text(device, DEVICE_TOKEN, text_from(arena, TOKEN_HASH));
    record_set_text(device, DEVICE_SEAL_KEY, text_from(arena, key));
    sealed_intake_put(intake, device_of(device), is_old);
    must(feed_seal_read_key(device_rare_of(device_of(device))->seal_key, bytes));
    feed_seal_id(TOKEN_HASH, id);
    feed_sealer_init(ret_sealer, id, bytes, SEAL_TO_SERVER);
    return intake;
}

static void
check_stranger(sealed_intake_t *intake, const uint8_t *data, size_t size, struct buffer *out)
{
    struct sealed_sender sender;
    enum metric_cell reason = METRIC_CELLS;
    must(!sealed_intake_open(intake, data, size, out, &sender, &reason));
    must(reason == COUNT_UDP_DROP_JSON || reason == COUNT_UDP_DROP_TOKEN ||
         reason == COUNT_UDP_DROP_FORGED);
    must(out->size == 0 && sealed_intake_session(intake, TOKEN_HASH) == 0);
}

static void
check_device(sealed_intake_t *intake, bool is_old, struct feed_sealer *sealer, const uint8_t *data,
             size_t size, struct buffer *out)
{
    struct sealed_sender sender;
    enum metric_cell reason = METRIC_CELLS;
    struct buffer sealed = {0};
    feed_sealer_put(sealer, data, size, &sealed);
    must(sealed_intake_open(intake, sealed.data, sealed.size, out, &sender, &reason));
    must(sender.is_admitted == !is_old);
    must(out->size == size && (size == 0 || memcmp(out->data, data, size) == 0));
    if (is_old)
        sealed_intake_admit(intake, &sender);
    must(!sealed_intake_open(intake, sealed.data, sealed.size, out, &sender, &reason));
    must(reason == COUNT_UDP_DROP_REPLAYED);
    buffer_finish(&sealed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct buffer out = {0};
    struct feed_sealer sealer;
    bool is_old = size % 2;
    sealed_intake_t *intake = open_intake(&arena, is_old, &sealer);
    check_stranger(intake, data, size, &out);
    check_device(intake, is_old, &sealer, data, size, &out);
    sealed_intake_destroy(&intake);
    feed_sealer_finish(&sealer);
    buffer_finish(&out);
    arena_finish(&arena);
    return 0;
}

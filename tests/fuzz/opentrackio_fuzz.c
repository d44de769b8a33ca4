// opentrackio_fuzz.c - datagrams of a tracked camera, one after the other: with a good header, or
// as they are. Whatever they are, what comes of them are edits that a record may hold, nobody can
// make the intake allocate much, and CBOR becomes a tree that JSON can say.
#include <string.h>

#include "actors/track/track_target.h"
#include "actors/track/tracked_camera.h"
#include "proto/codec/cbor_tree.h"
#include "proto/codec/json_tree.h"
#include "proto/message/partition.h"
#include "proto/record/record_check.h"
#include "tests/fuzz/fuzz.h"

enum {
    LARGEST_ALLOCATION = 512 << 10, // a tree of JSON, 16 KiB of commas
    PART_BYTES = 7,
    IS_RAW = 1,
    IS_LAST = 2,
    IS_CBOR = 4,
    STEP_US = 10000,
};

// What an input has before each datagram: how it is made, its number, offset and size.
struct part {
    unsigned how;
    struct opentrackio_header header;
};

static unsigned
get16(const char *data)
{
    return (unsigned)((uint8_t)data[0] << 8 | (uint8_t)data[1]);
}

static bool
part_read(struct input *input, struct part *ret_part)
{
    if (input->size < PART_BYTES)
        return false;
    const char *data = input->data;
    ret_part->how = (uint8_t)data[0];
    ret_part->header = (struct opentrackio_header){
        .encoding = ret_part->how & IS_CBOR ? OPENTRACKIO_CBOR : OPENTRACKIO_JSON,
        .sequence = (uint16_t)get16(data + 1),
        .offset = get16(data + 3),
        .size = (uint16_t)(get16(data + 5) & OPENTRACKIO_SEGMENT_BYTES),
        .is_last = (ret_part->how & IS_LAST) != 0};
    input->data += PART_BYTES;
    input->size -= PART_BYTES;
    if (ret_part->header.size > input->size)
        ret_part->header.size = (uint16_t)input->size;
    return true;
}

// The datagram in the arena.
static char *
datagram_of(struct arena *arena, const struct part *part, const char *bytes, size_t *ret_size)
{
    size_t size = part->header.size;
    char *datagram = arena_alloc(arena, OPENTRACKIO_HEADER_BYTES + size);
    if (part->how & IS_RAW) {
        memcpy(datagram, bytes, size);
        *ret_size = size;
        return datagram;
    }
    memcpy(datagram + OPENTRACKIO_HEADER_BYTES, bytes, size);
    opentrackio_header_write(&part->header, datagram);
    *ret_size = OPENTRACKIO_HEADER_BYTES + size;
    return datagram;
}

static void
check_edits(struct shard_updates *updates, unsigned count)
{
    unsigned found = 0;
    for (unsigned shard = 0; shard < updates->shards; shard++) {
        struct message *message = updates->messages[shard];
        for (uint32_t i = 0; message && i < message->records->count; i++, found++)
            must(record_check(message->records->items[i], "") == OK);
        message_destroy(&updates->messages[shard]);
    }
    must(found == count);
}

static void
read_sample(const struct whole_sample *whole, struct tracked_camera *camera, uint64_t now_us,
            const struct track_target *target, struct shard_updates *updates)
{
    struct arena arena = {0};
    const struct json *json;
    struct opentrackio_sample sample;
    bool is_cbor = whole->encoding == OPENTRACKIO_CBOR;
    must(whole->size > 0 && whole->size <= SAMPLE_BYTES_MOST);
    enum error error = is_cbor ? cbor_parse(&arena, whole->data, whole->size, &json)
                               : json_parse(&arena, whole->data, whole->size, &json);
    if (error == OK && is_cbor)
        must(json_tree_is_json(&arena, json));
    if (error == OK && opentrackio_sample_read(json, &sample) == SAMPLE_GOOD) {
        tracked_camera_pace_lens(camera, now_us, &sample);
        check_edits(updates, track_target_update(target, &arena, &sample, updates));
    }
    arena_finish(&arena);
}

// What the thread's JSON parser keeps is taken before anything comes.
static void
warm_up(void)
{
    static bool is_warm;
    struct arena arena = {0};
    const struct json *json;
    if (!is_warm)
        is_warm = json_parse(&arena, "{}", 2, &json) == OK;
    arena_finish(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct input input = input_of(data, size);
    const struct track_source source = {.scene = "s", .object = "0018880a270698496c36e392"};
    const struct sockaddr_in from = {.sin_family = AF_INET, .sin_port = 1};
    struct tracked_camera camera;
    struct track_target target;
    struct shard_updates updates;
    struct whole_sample whole;
    struct part part;
    uint64_t now_us = 1;
    warm_up();
    fuzz_limit_allocations(LARGEST_ALLOCATION);
    tracked_camera_init(&camera, &source);
    track_target_init(&target, &arena, &source);
    shard_updates_init(&updates, 3, TARGET_UPDATES_MOST);
    while (part_read(&input, &part)) {
        size_t bytes;
        const char *datagram = datagram_of(&arena, &part, input.data, &bytes);
        input.data += part.header.size;
        input.size -= part.header.size;
        now_us += (part.how >> 3) * STEP_US;
        if (tracked_camera_take(&camera, &from, datagram, bytes, now_us, &whole))
            read_sample(&whole, &camera, now_us, &target, &updates);
    }
    shard_updates_finish(&updates);
    tracked_camera_finish(&camera);
    fuzz_limit_allocations(0);
    arena_finish(&arena);
    return 0;
}

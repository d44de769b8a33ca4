// upload_bounds.c - opens an uploaded model and reads its JSON (upload_bounds.h).
#include "gateway/request/upload_bounds.h"

#include <errno.h>
#include <unistd.h>

#include "gateway/request/model_bounds.h"
#include "proto/base/owned.h"
#include "proto/codec/json_text.h"
#include "proto/records/asset.h"

// The JSON of a model while it is read, and the memory that it has a share of.
struct reading {
    struct arena arena;
    struct parse_share text, tree;
};

static void
reading_finish(struct reading *self)
{
    arena_finish(&self->arena);
    parse_share_release(&self->text);
    parse_share_release(&self->tree);
}

// Reads `size` bytes at `first`; returns how many there were.
static size_t
read_at(int file, uint64_t first, char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t count = pread(file, bytes + done, size - done, (off_t)(first + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        done += (size_t)count;
    }
    return done;
}

static bool
read_sphere(int file, uint64_t file_size, const struct parse_payer *payer, uint64_t deadline_ms,
            double *ret_sphere)
{
    char head[MODEL_HEAD_BYTES];
    uint64_t first;
    size_t size;
    owned(reading_finish) struct reading reading = {.text.size = 0};
    size_t known = read_at(file, 0, head, sizeof head);
    if (!model_json_find(head, known, file_size, &first, &size) ||
        parse_share_take(payer, PARSE_ARRIVING, size, deadline_ms, &reading.text) != OK)
        return false;
    char *json = arena_alloc(&reading.arena, size);
    if (read_at(file, first, json, size) != size)
        return false;
    size_t cost = json_cost(json, size, 0) + MODEL_WORK_BYTES;
    return parse_share_take(payer, PARSE_READING, cost, deadline_ms, &reading.tree) == OK &&
           model_bounds_read(&reading.arena, json, size, ret_sphere);
}

void
upload_bounds_note(struct message *message, blobs_t *blobs, const struct parse_payer *payer,
                   uint64_t deadline_ms)
{
    int file;
    uint64_t size;
    struct record *record = message->records->items[0];
    const struct blob_pin *pin = (const struct blob_pin *)(const void *)message->parcel;
    struct asset *asset = (struct asset *)(void *)record;
    record->present &= ~FIELD_BIT(ASSET_BOUNDS);
    if (!asset_model_name(asset) || blob_open(blobs, &pin->hash, &file, &size) != OK)
        return;
    if (read_sphere(file, size, payer, deadline_ms, asset->bounds))
        record_mark(record, ASSET_BOUNDS);
    close(file);
}

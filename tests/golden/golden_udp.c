// golden_udp.c - golden datagrams to devices: packed, plain (golden.h).
#include <assert.h>

#include "proto/feed/feed_notes.h"
#include "proto/feed/feed_packed.h"
#include "proto/feed/feed_plain.h"
#include "proto/records/object.h"
#include "tests/golden/golden.h"

// --- packed ---

// What the datagram in `self->bytes` says, as the server's own reader has it. `note`: its seventh
// item, or NULL.
static void
put_packed(struct golden *self, const char *name, const char *note)
{
    struct feed_packed_datagram datagram;
    struct buffer changes = {0};
    assert(feed_packed_read(&self->arena, self->bytes.data, self->bytes.size, &datagram) == OK);
    golden_put_tree(datagram.changes, &changes);
    buffer_clear(&self->json);
    buffer_put_format(&self->json, "{\"epoch\":%llu,\"prev\":%llu,\"seq\":%llu,\"changes\":",
                      (unsigned long long)datagram.epoch, (unsigned long long)datagram.prev,
                      (unsigned long long)datagram.seq);
    buffer_put(&self->json, changes.data, changes.size);
    if (note)
        buffer_put_format(&self->json, ",\"note\":%s", note);
    buffer_put_char(&self->json, '}');
    golden_begin(self, name);
    golden_hex(self, &self->bytes);
    golden_end(self, &self->json);
    buffer_finish(&changes);
}

static const struct packed_name by_key = {0};

static void
add_sample(struct golden *self, struct feed_packed *packed, const struct golden_sample *sample,
           unsigned index, const struct packed_name *name)
{
    const struct schema *schema = golden_schema(sample->msg_type);
    struct event event = golden_event(self, sample, index);
    const frozen_t *before = sample->before ? golden_record(self, schema, sample->before) : NULL;
    uint64_t members =
        feed_packed_difference(before ? frozen_record(before) : NULL, event_record(&event));
    if (event_is_of_actions(sample->msg_type))
        members = 0; // as the feed has it: actions come apart
    assert(feed_packed_add_named(packed, &event, members, name));
}

// As proto/feed/README.md has it.
static void
make_removed(struct golden *self, struct feed_packed *packed)
{
    static const struct golden_sample samples[] = {
        {"", EVENT_OBJECT_DELETED, 0, "{\"key\":\"5b98880a270698496c36e392\"}", NULL},
        {"", EVENT_PROPERTY_UPDATED, 0,
         "{\"key\":\"gravity\",\"values\":[9.81,{\"value\":1.0,\"left_type\":\"vector\","
         "\"left_x\":0.25}]}",
         "{\"key\":\"gravity\"}"},
        {"", EVENT_OBJECT_UPDATED, 0, "{\"key\":\"k2\"}",
         "{\"key\":\"k2\",\"owner\":\"d\",\"frame\":7,\"assets\":[\"a\"]}"},
    };
    for (unsigned i = 0; i < 3; i++)
        add_sample(self, packed, &samples[i], i, &by_key);
    feed_packed_close(packed, GOLDEN_EPOCH, 1843, 1850, &self->bytes);
    put_packed(self, "a delete, values, and what went", NULL);
}

// A datagram of one change whose record is too large: what of it fits, and 63.
static void
make_truncated(struct golden *self, struct feed_packed *packed)
{
    struct buffer json = {0};
    buffer_put_chars(&json, "{\"key\":\"k\",\"type\":\"Mesh\",\"frame\":7,\"name\":\"");
    for (int i = 0; i < 1500; i++)
        buffer_put_char(&json, 'x');
    buffer_put(&json, "\"}", 3);
    const struct golden_sample large = {"", EVENT_OBJECT_UPDATED, 0, json.data, "{\"key\":\"k\"}"};
    add_sample(self, packed, &large, 0, &by_key);
    feed_packed_close(packed, GOLDEN_EPOCH, 1841, 1842, &self->bytes);
    put_packed(self, "object whose name is too large", NULL);
    buffer_finish(&json);
}

// Nothing of the actions fits: 63 alone.
static void
make_without_actions(struct golden *self, struct feed_packed *packed)
{
    struct buffer json = {0};
    buffer_put_chars(&json, "{\"key\":\"k2\",\"actions\":[{\"name\":\"w\",\"keyframes\":[");
    for (int i = 0; i < 500; i++)
        buffer_put_format(&json, "%s{\"frame\":%d}", i ? "," : "", i);
    buffer_put(&json, "]}]}", 5);
    const struct golden_sample large = {"", EVENT_OBJECT_ACTION_UPDATED, 0, json.data, NULL};
    add_sample(self, packed, &large, 0, &by_key);
    feed_packed_close(packed, GOLDEN_EPOCH, 1850, 1851, &self->bytes);
    put_packed(self, "actions that are too large", NULL);
    buffer_finish(&json);
}

static void
make_places(struct golden *self, struct feed_packed *packed)
{
    static const struct {
        const char *name;
        uint64_t epoch, prev, seq;
    } places[] = {
        {"nothing new", GOLDEN_EPOCH, 1851, 1851},
        {"tail of a long epoch", UINT64_C(1795644000123) << 10, 0, 0},
        {"places that need each size of number", UINT64_C(1) << 52, 127, 128},
        {"places of a byte and of two", 255, 255, 256},
        {"places of two bytes and of four", 65535, 65535, 65536},
        {"places of four bytes and of eight", 4294967295, 4294967295, 4294967296},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        feed_packed_close(packed, places[i].epoch, places[i].prev, places[i].seq, &self->bytes);
        put_packed(self, places[i].name, NULL);
    }
}

static void
make_packed_notes(struct golden *self)
{
    const struct feed_place place = {text_from(&self->arena, "s1"), GOLDEN_EPOCH, 1842};
    feed_note_tail(FEED_PACKED, &place, &self->bytes);
    put_packed(self, "tail", NULL);
    feed_note_refusal(FEED_PACKED, &place, 7, REFUSAL_TOO_OLD, &self->bytes);
    put_packed(self, "refused as too old", "[64,7,0]");
    feed_note_refusal(FEED_PACKED, &place, 1800, REFUSAL_BUSY, &self->bytes);
    put_packed(self, "refused as the server is busy", "[64,1800,1]");
}

void
golden_make_packed(struct golden *self)
{
    struct feed_packed packed = {0};
    for (unsigned i = 0; i < golden_entities_count; i++) {
        add_sample(self, &packed, &golden_entities[i], i, &by_key);
        feed_packed_close(&packed, GOLDEN_EPOCH, GOLDEN_FIRST_SEQ + i, GOLDEN_FIRST_SEQ + 1 + i,
                          &self->bytes);
        put_packed(self, golden_entities[i].name, NULL);
    }
    for (unsigned i = 0; i < 12; i++)
        add_sample(self, &packed, &golden_entities[0], i, &by_key);
    feed_packed_close(&packed, GOLDEN_EPOCH, 1841, 1853, &self->bytes);
    put_packed(self, "twelve changes", NULL);
    make_removed(self, &packed);
    make_truncated(self, &packed);
    make_without_actions(self, &packed);
    make_places(self, &packed);
    make_packed_notes(self);
    feed_packed_finish(&packed);
}

// --- packed, with indices in the place of keys ---

// So many changes of `golden_entities[sample]`, each named so, as one datagram.
struct indexed {
    const char *name;
    uint64_t prev, seq;
    struct {
        unsigned sample;
        struct packed_name name;
    } changes[3];
    unsigned count;
};

void
golden_make_indexed(struct golden *self)
{
    const unsigned created = golden_find("object created"), moved = golden_find("object moved"),
                   turned = golden_find("object turned and scaled"),
                   renamed = golden_find("object renamed"), deleted = golden_find("object deleted"),
                   values = golden_find("property created");
    const struct indexed datagrams[] = {
        {"a creation without an index", 1841, 1842, {{created, {0}}}, 1},
        {"a creation tells an index", 1842, 1843, {{created, {1843, true}}}, 1},
        {"a move by the index", 1843, 1844, {{moved, {1843, false}}}, 1},
        {"a move that tells the index again", 1844, 1845, {{turned, {1843, true}}}, 1},
        {"three kinds of names in a datagram",
         1845,
         1848,
         {{renamed, {0}}, {values, {1847, true}}, {turned, {1843, false}}},
         3},
        {"another index of the same object", 1848, 1849, {{moved, {1849, true}}}, 1},
        {"the older index is as true", 1849, 1850, {{moved, {1843, false}}}, 1},
        {"an index that was not told", 4294967295, 4294967296, {{moved, {4294967296, false}}}, 1},
        {"a delete tells the index", 4294967296, 4294967297, {{deleted, {1843, true}}}, 1},
    };
    struct feed_packed packed = {0};
    for (size_t i = 0; i < sizeof datagrams / sizeof datagrams[0]; i++) {
        const struct indexed *of = &datagrams[i];
        for (unsigned k = 0; k < of->count; k++)
            add_sample(self, &packed, &golden_entities[of->changes[k].sample], k,
                       &of->changes[k].name);
        feed_packed_close(&packed, GOLDEN_EPOCH, of->prev, of->seq, &self->bytes);
        put_packed(self, of->name, NULL);
    }
    feed_packed_finish(&packed);
}

// --- plain ---

// Many keyframes: more than 8 KiB of them.
static void
make_plain_truncated(struct golden *self)
{
    struct buffer json = {0};
    buffer_put_chars(&json, "{\"key\":\"k\",\"actions\":[{\"name\":\"w\",\"keyframes\":[");
    for (int i = 0; i < 500; i++)
        buffer_put_format(&json, "%s{\"frame\":%d,\"transform\":[1,0,0,5,0,1,0,6,0,0,1,7,0,0,0,1]}",
                          i ? "," : "", i);
    buffer_put(&json, "]}]}", 5);
    const struct golden_sample large = {"", EVENT_OBJECT_ACTION_UPDATED, 0, json.data, NULL};
    const struct event event = golden_event(self, &large, 0);
    feed_plain_write(&event, GOLDEN_FIRST_SEQ, false, &self->bytes);
    golden_text(self, "action that is too large", &self->bytes);
    buffer_finish(&json);
}

static void
make_plain_notes(struct golden *self)
{
    struct feed_place place = {text_from(&self->arena, "s1"), GOLDEN_EPOCH, 1842};
    feed_note_tail(FEED_PLAIN, &place, &self->bytes);
    golden_text(self, "tail", &self->bytes);
    feed_note_refusal(FEED_PLAIN, &place, 1800, REFUSAL_TOO_OLD, &self->bytes);
    golden_text(self, "refused as too old", &self->bytes);
    place.scene = NULL;
    feed_note_refusal(FEED_PLAIN, &place, 1800, REFUSAL_BUSY, &self->bytes);
    golden_text(self, "refused as the server is busy, without the scene", &self->bytes);
}

void
golden_make_plain(struct golden *self)
{
    for (unsigned i = 0; i < golden_entities_count; i++) {
        const struct event event = golden_event(self, &golden_entities[i], i);
        feed_plain_write(&event, GOLDEN_FIRST_SEQ + i, false, &self->bytes);
        golden_text(self, golden_entities[i].name, &self->bytes);
    }
    const struct event event = golden_event(self, &golden_entities[0], 0);
    feed_plain_write(&event, GOLDEN_FIRST_SEQ, true, &self->bytes);
    golden_text(self, "object created, filled up for base64", &self->bytes);
    make_plain_truncated(self);
    make_plain_notes(self);
}

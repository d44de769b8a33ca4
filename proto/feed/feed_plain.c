// feed_plain.c - the bytes that listeners receive (feed.h; live-feed, "UDP out, plain form" and
// "ZeroMQ PUB"). Pure: any thread.

#include "proto/feed/feed_plain.h"
#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/records/scene.h"

// What is written empty, one more at each attempt, until a datagram fits. Actions go first, then
// assets, as live-feed says; but texts of 4 KiB each can still be too much together, so they
// follow, the least useful one first. Key, scene and transform always fit.
struct feed_sacrifice {
    unsigned id;
    const char *empty;
};

// The plain form of one kind of record.
struct feed_form {
    const struct schema *schema;
    const struct view *view;
    const struct view *view_with_actions;
    struct feed_sacrifice sacrifices[7]; // the actions first; ends with one that has no text
};

// clang-format off
static const struct feed_form feed_forms[] = {
    {&object_schema, &object_view_fed, &object_view_fed_actions, {
        {OBJECT_ACTIONS, "\"actions\":[],"},
        {OBJECT_ASSETS,  "\"assets\":[],"},
        {OBJECT_SUBTYPE, "\"subtype\":\"\","},
        {OBJECT_TYPE,    "\"type\":\"\","},
        {OBJECT_PARENT,  "\"parent\":\"\","},
        {OBJECT_OWNER,   "\"owner\":\"\","},
        {OBJECT_NAME,    "\"name\":\"\","},
    }},
    {&property_schema, &property_view_fed, &property_view_fed_actions, {
        {PROPERTY_ACTIONS,      "\"actions\":[],"},
        {PROPERTY_ASSET_SUB_ID, "\"asset_sub_id\":\"\","},
        {PROPERTY_PARENT,       "\"parent\":\"\","},
        {PROPERTY_VALUES,       "\"values\":[],"},
        {PROPERTY_NAME,         "\"name\":\"\","},
    }},
};
// clang-format on

enum {
    FORMS = sizeof feed_forms / sizeof feed_forms[0],
    SACRIFICES = sizeof feed_forms[0].sacrifices / sizeof feed_forms[0].sacrifices[0],
    FILLER_BYTES = sizeof(",\"_\":\"AAA\"") - 1,
    // In memory; as JSON the smallest keyframes take a tenth of that, so these never fit.
    HOPELESS_BYTES = 16 * LIMIT_DATAGRAM_BYTES,
};

static const struct feed_form *
feed_form_of(const struct record *record)
{
    const struct feed_form *form = feed_forms;
    while (form < feed_forms + FORMS - 1 && form->schema != record->schema)
        form++;
    return form;
}

// How many members a form can do without.
static unsigned
feed_sacrifices_of(const struct record *record)
{
    const struct feed_form *form = feed_form_of(record);
    unsigned count = 0;
    while (count < SACRIFICES && form->sacrifices[count].empty)
        count++;
    return count;
}

static void
feed_put_number(const char *name, uint64_t value, struct buffer *out)
{
    buffer_put_chars(out, name);
    json_put_integer(out, (int64_t)value);
}

static void
feed_write(const struct event *event, uint64_t prev, unsigned sacrifices, struct buffer *out)
{
    const struct feed_form *form = feed_form_of(event->record);
    bool has_actions = event_is_of_actions(event->msg_type);
    struct view view = has_actions ? *form->view_with_actions : *form->view;
    for (unsigned i = 0; i < sacrifices; i++)
        view.fields &= ~FIELD_BIT(form->sacrifices[i].id);
    feed_put_number("{\"msg_type\":", event->msg_type, out);
    buffer_put_char(out, ',');
    record_members_to_json(event->record, &view, out);
    for (unsigned i = 0; i < sacrifices || (i == 0 && !has_actions); i++)
        buffer_put_chars(out, form->sacrifices[i].empty);
    feed_put_number("\"seq\":", event->seq, out);
    feed_put_number(",\"prev\":", prev, out);
    if (sacrifices > 0)
        buffer_put_chars(out, ",\"truncated\":true");
}

static bool
is_base64(char byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
           (byte >= '0' && byte <= '9') || byte == '+' || byte == '/';
}

static void
feed_put_filler(struct buffer *out)
{
    size_t count = 0;
    for (size_t i = 0; i < out->size; i++)
        count += is_base64(out->data[i]);
    buffer_put_chars(out, ",\"_\":\"");
    buffer_put(out, "AAA", (4 - count % 4) % 4);
    buffer_put_char(out, '"');
}

void
feed_plain(const struct event *event, uint64_t prev, bool base64_filler, struct buffer *out)
{
    size_t room = LIMIT_DATAGRAM_BYTES - 1 - (base64_filler ? FILLER_BYTES : 0);
    bool is_hopeless = event_is_of_actions(event->msg_type) &&
                       record_size(event->record) > HOPELESS_BYTES; // not to write megabytes first
    unsigned sacrifices = is_hopeless ? 1 : 0, most = feed_sacrifices_of(event->record);
    do {
        buffer_clear(out);
        feed_write(event, prev, sacrifices, out);
    } while (out->size > room && sacrifices++ < most);
    if (base64_filler)
        feed_put_filler(out);
    buffer_put_char(out, '}');
}

static const struct text *
event_scene_key(const struct event *event)
{
    return scene_of(event->scene)->key;
}

void
feed_topic(const struct event *event, struct buffer *out)
{
    static const char hex[] = "0123456789ABCDEF";
    const struct text *key = event_scene_key(event);
    buffer_put_chars(out, "scene.");
    for (size_t i = 0; i < text_size(key); i++) {
        unsigned char byte = (unsigned char)key->data[i];
        if (byte == '.' || byte == '%' || byte < 0x20 || byte == 0x7f)
            buffer_put(out, (char[]){'%', hex[byte >> 4], hex[byte & 15]}, 3);
        else
            buffer_put_char(out, (char)byte);
    }
    buffer_put_format(out, ".%s.%u", event_noun(event->msg_type), event->msg_type);
}

static void
feed_put_name(const char *name, struct buffer *out)
{
    msgpack_put_text(out, name, strlen(name));
}

void
feed_header(const struct event *event, uint64_t epoch, struct buffer *out)
{
    const struct text *key = event_scene_key(event);
    msgpack_put_map(out, 5);
    feed_put_name("epoch", out);
    msgpack_put_unsigned(out, epoch);
    feed_put_name("seq", out);
    msgpack_put_unsigned(out, event->seq);
    feed_put_name("time_us", out);
    msgpack_put_unsigned(out, event->time_us);
    feed_put_name("scene", out);
    msgpack_put_text(out, text_chars(key), text_size(key));
    feed_put_name("type", out);
    msgpack_put_unsigned(out, event->msg_type);
}

void
feed_body(const struct event *event, struct buffer *out)
{
    static const struct view everything = {.with_private = true};
    record_to_published(event->record, &everything, out);
}

void
feed_heartbeat_header(uint64_t epoch, uint64_t time_us, struct buffer *out)
{
    msgpack_put_map(out, 2);
    feed_put_name("epoch", out);
    msgpack_put_unsigned(out, epoch);
    feed_put_name("time_us", out);
    msgpack_put_unsigned(out, time_us);
}

void
feed_heartbeat_body(struct buffer *out)
{
    msgpack_put_map(out, 0);
}

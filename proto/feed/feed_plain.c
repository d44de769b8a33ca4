// feed_plain.c - the plain UDP datagram. Pure: any thread.
#include "proto/feed/feed_plain.h"

#include "proto/base/limits.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/records/object.h"
#include "proto/records/property.h"

// A member that is written empty where the datagram would be too large; "" is for those that are
// left out when they are absent.
struct omission {
    unsigned id;
    const char *empty;
};

// The plain form of one kind of record. One more omission is made at each attempt, until the
// datagram fits: first the actions, then the assets; then texts, the least useful one first, since
// several texts of 4 KiB are too large together. Key, scene, transform and visible always fit.
struct form {
    const struct schema *schema;
    const struct view *view;
    const struct view *view_with_actions;
    struct omission omissions[9]; // the actions first; a row without text ends the list
};

// clang-format off
static const struct form forms[] = {
    {&object_schema, &object_view_fed, &object_view_fed_actions, {
        {OBJECT_ACTIONS, "\"actions\":[],"},
        {OBJECT_EXTRAS,  ""},
        {OBJECT_ASSETS,  "\"assets\":[],"},
        {OBJECT_TAGS,    ""},
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
    FORMS = sizeof forms / sizeof forms[0],
    OMISSIONS = sizeof forms[0].omissions / sizeof forms[0].omissions[0],
    FILLER_BYTES = sizeof(",\"_\":\"AAA\"") - 1,
    // A record of this size in memory never fits: as JSON the smallest keyframes take a tenth of
    // it.
    NEVER_FITS_BYTES = 16 * LIMIT_DATAGRAM_BYTES,
};

static const struct form *
form_of(const struct record *record)
{
    const struct form *form = forms;
    while (form < forms + FORMS - 1 && form->schema != record->schema)
        form++;
    return form;
}

// How many members the form of this record can leave empty.
static unsigned
omissions_of(const struct record *record)
{
    const struct form *form = form_of(record);
    unsigned count = 0;
    while (count < OMISSIONS && form->omissions[count].empty)
        count++;
    return count;
}

static void
put_number(const char *name, uint64_t value, struct buffer *out)
{
    buffer_put_chars(out, name);
    json_put_integer(out, (int64_t)value);
}

static void
write_members(const struct event *event, uint64_t prev, unsigned omissions, struct buffer *out)
{
    const struct form *form = form_of(event_record(event));
    bool has_actions = event_is_of_actions(event->msg_type);
    struct view view = has_actions ? *form->view_with_actions : *form->view;
    for (unsigned i = 0; i < omissions; i++)
        view.fields &= ~FIELD_BIT(form->omissions[i].id);
    put_number("{\"msg_type\":", event->msg_type, out);
    buffer_put_char(out, ',');
    record_members_to_json(event_record(event), &view, out);
    for (unsigned i = 0; i < omissions || (i == 0 && !has_actions); i++)
        buffer_put_chars(out, form->omissions[i].empty);
    put_number("\"seq\":", event->seq, out);
    put_number(",\"prev\":", prev, out);
    if (omissions > 0)
        buffer_put_chars(out, ",\"truncated\":true");
}

static bool
is_base64(char byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
           (byte >= '0' && byte <= '9') || byte == '+' || byte == '/';
}

static void
put_filler(struct buffer *out)
{
    size_t count = 0;
    for (size_t i = 0; i < out->size; i++)
        count += is_base64(out->data[i]);
    buffer_put_chars(out, ",\"_\":\"");
    buffer_put(out, "AAA", (4 - count % 4) % 4);
    buffer_put_char(out, '"');
}

void
feed_plain_write(const struct event *event, uint64_t prev, bool base64_filler, struct buffer *out)
{
    size_t room = LIMIT_DATAGRAM_BYTES - 1 - (base64_filler ? FILLER_BYTES : 0);
    // Megabytes of actions are not written first to see that they are too large.
    bool never_fits =
        event_is_of_actions(event->msg_type) && record_size(event->record) > NEVER_FITS_BYTES;
    unsigned omissions = never_fits ? 1 : 0, most = omissions_of(event_record(event));
    do {
        buffer_clear(out);
        write_members(event, prev, omissions, out);
    } while (out->size > room && omissions++ < most);
    if (base64_filler)
        put_filler(out);
    buffer_put_char(out, '}');
}

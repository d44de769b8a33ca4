// delta_form.c - writes the delta form of a stream (delta_form.h).
#include "gateway/events/delta_form.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/records/object.h"
#include "proto/records/property.h"
#include "proto/spatial/transform.h"

enum {
    DIGITS_OF_METRES = 4,    // 0.1 mm
    DIGITS_OF_ROTATIONS = 6, // of the parts of a unit quaternion
    DIGITS_OF_SCALES = 6,
    DIGITS_MOST = 17,
    KEPT_STEPS = 64,
};

void
delta_form_finish(struct delta_form *self)
{
    delta_state_finish(&self->state);
    free(self->steps);
}

// --- numbers ---

// With at most `digits` behind the point, without zeros at the end.
static void
put_rounded(double value, unsigned digits, struct buffer *out)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    double scaled = digits < sizeof powers / sizeof powers[0] ? nearbyint(value * powers[digits])
                                                              : (double)INFINITY;
    if (!(fabs(scaled) < 0x1p53)) {
        json_put_number(out, value);
        return;
    }
    int64_t number = (int64_t)scaled, unit = (int64_t)powers[digits];
    int64_t whole = llabs(number) / unit, rest = llabs(number) % unit;
    if (number < 0)
        buffer_put_char(out, '-');
    json_put_integer(out, whole);
    if (rest == 0)
        return;
    buffer_put_char(out, '.');
    for (; rest; rest %= unit) {
        unit /= 10;
        buffer_put_char(out, (char)('0' + rest / unit));
    }
}

static void
put_all(const double *numbers, unsigned count, unsigned digits, struct buffer *out)
{
    for (unsigned i = 0; i < count; i++) {
        buffer_put_char(out, ',');
        put_rounded(numbers[i], digits, out);
    }
}

// So many digits that a tenth of a millimetre is seen, whatever the units of the client.
static unsigned
digits_of_positions(const struct convention *convention)
{
    unsigned digits = DIGITS_OF_METRES;
    for (double units = convention ? convention->units : 1; units >= 10 && digits; units /= 10)
        digits--;
    return digits;
}

// --- poses ---

static bool
is_scaled(const double scale[3])
{
    const double least = 0.5e-6; // what rounds to 1 is 1
    return fabs(scale[0] - 1) > least || fabs(scale[1] - 1) > least || fabs(scale[2] - 1) > least;
}

// [i,x,y,z,qw,qx,qy,qz] and, where it is not 1, the scale.
static void
put_pose(const struct delta_wish *wish, uint32_t index, const struct object *object,
         struct buffer *out)
{
    double matrix[16], translation[3] = {0}, rotation[9], scale[3] = {1, 1, 1};
    double quaternion[4] = {1, 0, 0, 0};
    memcpy(matrix, object->transform, sizeof matrix);
    const struct convention *convention = convention_by_rows(wish->convention);
    if (convention)
        convention_turn(convention, CONVENTION_OUT, AXES_MATRIX, matrix);
    if (transform_decompose(matrix, translation, rotation, scale))
        quaternion_of_rotation(rotation, quaternion);
    unsigned most = wish->is_exact ? DIGITS_MOST : 0;
    buffer_put_char(out, '[');
    json_put_integer(out, index);
    put_all(translation, 3, most ? most : digits_of_positions(wish->convention), out);
    put_all(quaternion, 4, most ? most : DIGITS_OF_ROTATIONS, out);
    if (wish->is_exact ? scale[0] != 1 || scale[1] != 1 || scale[2] != 1 : is_scaled(scale))
        put_all(scale, 3, most ? most : DIGITS_OF_SCALES, out);
    buffer_put_char(out, ']');
}

// --- records ---

static void
end_members(struct buffer *out)
{
    if (out->data[out->size - 1] == ',')
        out->size--;
    buffer_put_char(out, '}');
}

// A member that is absent now, which no answer would show, is null.
static void
put_absent(const struct record *record, uint64_t members, struct buffer *out)
{
    for (uint32_t i = 0; i < record->schema->count; i++) {
        const struct field *field = &record->schema->fields[i];
        bool is_hidden = field->flags & (FIELD_HIDDEN | FIELD_PRIVATE | FIELD_SECRET | FIELD_INPUT);
        if (!(members & FIELD_BIT(field->id)) || is_hidden || record_has(record, field->id) ||
            !(field->flags & FIELD_OPTIONAL))
            continue;
        buffer_put(out, field->label, field->label_size);
        buffer_put_chars(out, "null,");
    }
}

// {"i":…} and these members (NULL = all) of the record as the client sees it.
static void
put_record(const struct delta_wish *wish, uint32_t index, const frozen_t *record,
           const struct view *view, struct buffer *out)
{
    const frozen_t *shown = convention_shown(wish->convention, record);
    buffer_put_chars(out, "{\"i\":");
    json_put_integer(out, index);
    buffer_put_char(out, ',');
    record_members_to_json(frozen_record(shown), view, out);
    if (view)
        put_absent(frozen_record(shown), view->fields, out);
    end_members(out);
    record_unref(&shown);
}

// --- the snapshot ---

enum { HEAD, OBJECTS, DEVICES, PROPERTIES }; // of a snapshot

static void
put_known(struct delta_form *self, const frozen_t *thing, struct stream_cursor *cursor,
          struct stream_sink *sink)
{
    if (cursor->has_items)
        buffer_put_char(&sink->out, ',');
    cursor->has_items = true;
    put_record(&self->wish, delta_state_add(&self->state, thing), thing, NULL, &sink->out);
}

static bool
write_entities(struct delta_form *self, enum delta_part part, const struct schema *kind,
               struct reply *reply, struct stream_cursor *cursor, struct stream_sink *sink)
{
    for (; cursor->next < reply->count && reply_record(reply, cursor->next)->schema == kind;
         cursor->next++) {
        if (stream_sink_is_full(sink))
            return false;
        if (self->wish.parts & part)
            put_known(self, reply_frozen(reply, cursor->next), cursor, sink);
    }
    return true;
}

static bool
write_devices(struct delta_form *self, const struct records *devices, struct stream_sink *sink)
{
    struct stream_cursor *cursor = &self->devices;
    for (; devices && cursor->next < devices->count; cursor->next++) {
        if (stream_sink_is_full(sink))
            return false;
        const struct record *loose = devices->items[cursor->next];
        const frozen_t *device = record_freeze(loose->schema, loose);
        put_known(self, device, cursor, sink);
        record_unref(&device);
    }
    return true;
}

static void
write_head(struct delta_form *self, const struct sse_place *place, struct buffer *out)
{
    delta_state_clear(&self->state);
    self->devices = (struct stream_cursor){0};
    buffer_put_chars(out, "event: snapshot\ndata: {\"scene\":");
    json_put_text(out, text_bytes(place->scene), text_size(place->scene));
    buffer_put_format(
        out, ",\"epoch\":%" PRIu64 ",\"seq\":%" PRIu64 ",\"server_us\":%" PRIu64 ",\"objects\":[",
        place->epoch, place->seq, clock_calendar_us());
}

static void
begin_part(struct stream_cursor *cursor, unsigned part, const char *name, struct buffer *out)
{
    buffer_put_chars(out, name);
    cursor->part = part;
    cursor->has_items = false;
}

bool
delta_form_write_snapshot(struct delta_form *self, const struct sse_place *place,
                          struct reply *entities, const struct records *devices,
                          struct stream_cursor *cursor, struct stream_sink *sink)
{
    struct buffer *out = &sink->out;
    if (cursor->part == HEAD) {
        write_head(self, place, out);
        begin_part(cursor, OBJECTS, "", out);
    }
    if (cursor->part == OBJECTS) {
        if (!write_entities(self, DELTA_OBJECTS, &object_schema, entities, cursor, sink))
            return false;
        begin_part(cursor, DEVICES, "],\"devices\":[", out);
    }
    if (cursor->part == DEVICES) {
        if (!write_devices(self, devices, sink))
            return false;
        begin_part(cursor, PROPERTIES, "],\"properties\":[", out);
    }
    if (!write_entities(self, DELTA_PROPERTIES, &property_schema, entities, cursor, sink))
        return false;
    buffer_put_chars(out, "]}");
    sse_end(out);
    return true;
}

// --- changes ---

static void
classify(struct delta_form *self, const struct event_batch *batch)
{
    if (batch->count > self->capacity) {
        self->capacity = batch->count;
        free(self->steps);
        self->steps = memory_take(batch->count * sizeof *self->steps);
    }
    for (uint32_t i = 0; i < batch->count; i++)
        self->steps[i] = delta_state_take(&self->state, self->wish.parts, &batch->events[i]);
}

// There are as many streams as clients: what one tick needed does not stay with each.
static void
forget_steps(struct delta_form *self)
{
    if (self->capacity <= KEPT_STEPS)
        return;
    free(self->steps);
    self->steps = NULL;
    self->capacity = 0;
}

// What stands in a list of the event.
struct delta_list {
    const char *name;
    bool (*has)(const struct delta_step *step);
    void (*put)(const struct delta_form *self, const struct delta_step *step,
                const struct event *event, const struct caller *caller, struct buffer *out);
};

static bool
is_pose(const struct delta_step *step)
{
    return step->change == DELTA_POSE;
}

static void
put_pose_of(const struct delta_form *self, const struct delta_step *step, const struct event *event,
            const struct caller *caller, struct buffer *out)
{
    (void)caller;
    put_pose(&self->wish, step->index, object_of(event_record(event)), out);
}

static bool
has_members(const struct delta_step *step)
{
    return step->change == DELTA_MEMBERS || (step->change == DELTA_POSE && step->members);
}

static void
put_members_of(const struct delta_form *self, const struct delta_step *step,
               const struct event *event, const struct caller *caller, struct buffer *out)
{
    struct view view = sse_view(event_record(event), caller);
    view.fields = view.fields ? view.fields & step->members : step->members;
    put_record(&self->wish, step->index, event->record, &view, out);
    const char *reason = event_reason_name(event->reason);
    if (!reason)
        return;
    out->size--; // why it is not locked any more
    buffer_put_format(out, ",\"reason\":\"%s\"}", reason);
}

static bool
is_new(const struct delta_step *step)
{
    return step->change == DELTA_NEW;
}

static void
put_new(const struct delta_form *self, const struct delta_step *step, const struct event *event,
        const struct caller *caller, struct buffer *out)
{
    const struct view view = sse_view(event_record(event), caller);
    put_record(&self->wish, step->index, event->record, &view, out);
    out->size--; // what it is, as clients of several parts must know
    buffer_put_format(out, ",\"kind\":\"%s\"}", event_record(event)->schema->name);
}

static bool
is_gone(const struct delta_step *step)
{
    return step->change == DELTA_GONE;
}

static void
put_gone(const struct delta_form *self, const struct delta_step *step, const struct event *event,
         const struct caller *caller, struct buffer *out)
{
    (void)self, (void)event, (void)caller;
    json_put_integer(out, step->index);
}

static bool
is_other(const struct delta_step *step)
{
    return step->change == DELTA_OTHER;
}

static void
put_other(const struct delta_form *self, const struct delta_step *step, const struct event *event,
          const struct caller *caller, struct buffer *out)
{
    (void)step;
    struct event shown = *event;
    shown.record = convention_shown(self->wish.convention, event->record);
    sse_put_change(&shown, NULL, caller, out);
    record_unref(&shown.record);
}

static const struct delta_list lists[] = {
    {"n", is_new, put_new}, // first: others may speak of what is new
    {"p", is_pose, put_pose_of}, {"r", has_members, put_members_of},
    {"x", is_gone, put_gone},    {"e", is_other, put_other},
};

enum { LISTS = sizeof lists / sizeof lists[0] };

// Writes what stands in a list, from the cursor on; false if the sink is full before its end.
static bool
write_list(const struct delta_form *self, const struct delta_list *list,
           const struct event_batch *batch, const struct caller *caller,
           struct stream_cursor *cursor, struct stream_sink *sink)
{
    for (; cursor->next < batch->count; cursor->next++) {
        const struct delta_step *step = &self->steps[cursor->next];
        if (!list->has(step))
            continue;
        if (stream_sink_is_full(sink))
            return false;
        if (cursor->has_items)
            buffer_put_char(&sink->out, ',');
        else
            buffer_put_format(&sink->out, ",\"%s\":[", list->name);
        cursor->has_items = true;
        list->put(self, step, &batch->events[cursor->next], caller, &sink->out);
    }
    if (cursor->has_items)
        buffer_put_char(&sink->out, ']');
    return true;
}

static void
write_changes_head(const struct event *last, uint64_t prev, struct buffer *out)
{
    const struct text *scene = frozen_key(last->scene);
    buffer_put_chars(out, "event: changes\ndata: {\"scene\":");
    json_put_text(out, text_bytes(scene), text_size(scene));
    buffer_put_format(out, ",\"prev\":%" PRIu64 ",\"seq\":%" PRIu64 ",\"time_us\":%" PRIu64, prev,
                      last->seq, last->time_us);
}

bool
delta_form_write_changes(struct delta_form *self, const struct event_batch *batch, uint64_t prev,
                         const struct caller *caller, struct stream_cursor *cursor,
                         struct stream_sink *sink)
{
    if (batch->count == 0)
        return true;
    if (cursor->part == 0) {
        classify(self, batch);
        write_changes_head(&batch->events[batch->count - 1], prev, &sink->out);
        cursor->part = 1;
    }
    for (; cursor->part <= LISTS; *cursor = (struct stream_cursor){.part = cursor->part + 1})
        if (!write_list(self, &lists[cursor->part - 1], batch, caller, cursor, sink))
            return false;
    buffer_put_char(&sink->out, '}');
    sse_end(&sink->out);
    forget_steps(self);
    if (batch->events[batch->count - 1].msg_type == EVENT_SCENE_DELETED)
        delta_state_clear(&self->state); // no event of it follows; other scenes may
    return true;
}

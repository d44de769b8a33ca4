// mover.c - creates objects in batches by HTTP, sends updates by UDP or HTTP, and settles them.
#include "tools/cli/mover.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "proto/spatial/transform.h"
#include "tools/cli/json_value.h"
#include "tools/cli/request_text.h"
#include "tools/cli/stop.h"
#include "tools/cli/udp_socket.h"

enum { BATCH_OBJECTS = 1000, SETTLE_PAUSE_US = 100000, SETTLE_ROUNDS = 100 };

struct moving {
    char *key;              // NULL until created
    const double *position; // sent last; NULL = not added yet
    const double *rotation; // sent last; NULL = none
    uint64_t stamp_us;      // of what was sent last
};

struct mover {
    const struct mover_addresses *addresses;
    http_client_t *http;
    int udp; // -1 if moves go by HTTP
    struct moving *objects;
    size_t count;
    size_t added[BATCH_OBJECTS]; // indexes of those that the next mover_make creates
    size_t added_count;
    struct buffer path;
    struct buffer body;
    struct buffer datagram;
    struct mover_counts counts;
};

fallible
mover_create(const struct mover_addresses *addresses, size_t count, mover_t **ret_mover)
{
    int udp = -1;
    if (addresses->by_udp)
        TRY(udp_socket_connect(addresses->udp, &udp));
    mover_t *self = memory_take_zeroed(sizeof *self);
    self->addresses = addresses;
    self->http = addresses->http;
    self->udp = udp;
    self->objects = memory_take_zeroed(count * sizeof *self->objects);
    self->count = count;
    *ret_mover = self;
    return OK;
}

void
mover_destroy(mover_t **self)
{
    mover_t *mover = *self;
    if (!mover)
        return;
    if (mover->udp >= 0)
        close(mover->udp);
    for (size_t i = 0; i < mover->count; i++)
        free(mover->objects[i].key);
    free(mover->objects);
    buffer_finish(&mover->path);
    buffer_finish(&mover->body);
    buffer_finish(&mover->datagram);
    free(mover);
    *self = NULL;
}

bool
mover_knows(const mover_t *self, size_t index)
{
    return self->objects[index].position != NULL;
}

bool
mover_is_at(const mover_t *self, size_t index, const double *position)
{
    return self->objects[index].position == position;
}

static void
make_matrix(const double *position, const double *rotation, double ret_matrix[16])
{
    double turned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (rotation)
        rotation_of_quaternion(rotation, turned);
    transform_identity(ret_matrix);
    for (int row = 0; row < 3; row++) {
        memcpy(&ret_matrix[row * 4], &turned[row * 3], 3 * sizeof *turned);
        ret_matrix[row * 4 + 3] = position[row];
    }
}

static void
put_transform(struct buffer *out, const double *position, const double *rotation)
{
    double matrix[16];
    make_matrix(position, rotation, matrix);
    buffer_put_chars(out, "\"transform\":");
    json_value_put_matrix(out, matrix);
}

fallible
mover_add(mover_t *self, size_t index, const char *name, const double *position,
          const double *rotation)
{
    if (self->added_count == BATCH_OBJECTS)
        TRY(mover_make(self));
    if (self->added_count == 0) {
        buffer_clear(&self->body);
        buffer_put_chars(&self->body, "{\"objects\":[");
    } else {
        buffer_put_char(&self->body, ',');
    }
    buffer_put_chars(&self->body, "{\"name\":");
    json_value_put_chars(&self->body, name);
    buffer_put_char(&self->body, ',');
    put_transform(&self->body, position, rotation);
    buffer_put_char(&self->body, '}');
    self->objects[index].position = position;
    self->objects[index].rotation = rotation;
    self->added[self->added_count++] = index;
    return OK;
}

static fallible
take_keys(mover_t *self, const struct json *answer)
{
    for (size_t i = 0; i < self->added_count; i++) {
        const struct json *object = json_value_item(answer, "objects", i);
        const char *key = json_value_chars(object, "key", NULL);
        if (!key)
            return fail(ERR_MALFORMED, "", "the server sent %zu keys for %zu objects", i,
                        self->added_count);
        self->objects[self->added[i]].key = strdup(key);
        self->counts.objects++;
    }
    return OK;
}

fallible
mover_make(mover_t *self)
{
    if (self->added_count == 0)
        return OK;
    const struct json *answer;
    buffer_put_chars(&self->body, "]}");
    request_scene_path(&self->path, self->addresses->scene, "object", NULL);
    TRY(http_client_post_once(self->http, &self->path, &self->body, &answer));
    TRY(take_keys(self, answer));
    self->added_count = 0;
    return OK;
}

static void
put_datagram(mover_t *self, const struct moving *object)
{
    struct buffer *out = &self->datagram;
    buffer_clear(out);
    buffer_put_chars(out, "{\"msg_type\":1,\"key\":");
    json_value_put_chars(out, object->key);
    if (self->addresses->token) {
        buffer_put_chars(out, ",\"token\":");
        json_value_put_chars(out, self->addresses->token);
    }
    if (object->stamp_us)
        buffer_put_format(out, ",\"timestamp\":%llu", (unsigned long long)object->stamp_us);
    buffer_put_char(out, ',');
    put_transform(out, object->position, object->rotation);
    buffer_put_char(out, '}');
}

static void
send_datagram(mover_t *self, struct moving *object)
{
    if (self->addresses->stamped)
        object->stamp_us = clock_calendar_us();
    put_datagram(self, object);
    const struct buffer *datagram = &self->datagram;
    if (self->addresses->link)
        datagram = sealed_link_seal(self->addresses->link, datagram->data, datagram->size);
    if (write(self->udp, datagram->data, datagram->size) < 0)
        self->counts.unsent++;
    else
        self->counts.updates++;
}

static fallible
send_request(mover_t *self, const struct moving *object)
{
    buffer_clear(&self->body);
    buffer_put_char(&self->body, '{');
    put_transform(&self->body, object->position, object->rotation);
    buffer_put_char(&self->body, '}');
    request_scene_path(&self->path, self->addresses->scene, "object", object->key);
    return http_client_call(self->http, "POST", &self->path, &self->body, NULL);
}

fallible
mover_move(mover_t *self, size_t index, const double *position, const double *rotation)
{
    struct moving *object = &self->objects[index];
    object->position = position;
    object->rotation = rotation;
    if (self->udp >= 0) {
        send_datagram(self, object);
        return OK;
    }
    TRY(send_request(self, object));
    self->counts.updates++;
    return OK;
}

const char *
mover_key(const mover_t *self, size_t index)
{
    return self->objects[index].key;
}

uint64_t
mover_stamp_us(const mover_t *self, size_t index)
{
    return self->objects[index].stamp_us;
}

// Whether the server has the object where it was sent last. Printed numbers read back as the same
// double, so == is right.
static fallible
is_in_place(mover_t *self, const struct moving *object, bool *ret_in_place)
{
    const struct json *answer;
    double matrix[16], expected[16];
    make_matrix(object->position, object->rotation, expected);
    request_scene_path(&self->path, self->addresses->scene, "object", object->key);
    TRY(http_client_call(self->http, "GET", &self->path, NULL, &answer));
    *ret_in_place =
        json_value_numbers(json_value_item(answer, "objects", 0), "transform", 16, matrix);
    for (int i = 0; i < 16; i++)
        *ret_in_place = *ret_in_place && matrix[i] == expected[i];
    return OK;
}

// Sends the last position of the object, unless it is there already; with `all` in any case.
static fallible
put_in_place(mover_t *self, const struct moving *object, bool all, size_t *moved)
{
    bool in_place = false;
    if (!object->key)
        return OK;
    if (!all)
        TRY(is_in_place(self, object, &in_place));
    if (in_place)
        return OK;
    TRY(send_request(self, object));
    ++*moved;
    return OK;
}

// While older datagrams are being applied, some object is where they put it. So a round that finds
// nothing moved shows that the server's socket held no datagram of this scene for the length of a
// pause.
fallible
mover_settle(mover_t *self)
{
    for (int round = 0; round < SETTLE_ROUNDS; round++) {
        size_t moved = 0;
        for (size_t i = 0; i < self->count; i++)
            TRY(put_in_place(self, &self->objects[i], round == 0, &moved));
        if (round == 0)
            self->counts.settled = moved;
        if (moved == 0 || stop_wait_until(clock_now_us() + SETTLE_PAUSE_US))
            return OK;
    }
    return fail(ERR_CONFLICT, "",
                "objects do not stay where they were sent; something else moves them");
}

struct mover_counts
mover_counts(const mover_t *self)
{
    return self->counts;
}

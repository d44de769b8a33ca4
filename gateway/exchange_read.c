// exchange_read.c - how the body of a request becomes its message: the memory that it waits for,
// the bytes, records or a file, parameters. The worker's thread.
#include "gateway/exchange_read.h"

#include "gateway/http/entity_tags.h"
#include "gateway/request/axes.h"
#include "gateway/request/body.h"
#include "gateway/request/idempotency.h"
#include "gateway/request/params.h"
#include "gateway/request/upload_bounds.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"

void
exchange_drop_body(struct exchange *self)
{
    buffer_rest(&self->body, EXCHANGE_KEPT_BYTES);
    parse_share_release(&self->arriving);
}

fallible
exchange_check_ready(const struct exchange *self)
{
    if (self->edge->stands_by)
        return fail(ERR_UNAVAILABLE, "",
                    "this server stands by: another one is in charge of the database");
    if (!atomic_load(&self->edge->ready))
        return fail(ERR_UNAVAILABLE, "", "the server is not ready");
    return OK;
}

// Begins a phase. Fails if the watchdog has cut the connection.
static fallible
enter(struct exchange *self, enum client_deadline_phase phase)
{
    if (!watch_enter(self->watch, phase))
        return fail(ERR_TOO_SLOW, "", "the request did not arrive in time");
    return OK;
}

// Waits for room in the memory for bodies, at most as long as an actor may take to answer.
static fallible
await_memory(struct exchange *self, enum parse_phase phase, size_t size,
             struct parse_share *ret_share)
{
    TRY(enter(self, CLIENT_DEADLINE_WORK));
    uint64_t deadline_ms = clock_deadline_ms((uint64_t)self->edge->deadline_ms);
    return parse_share_take(&self->payer, phase, size, deadline_ms, ret_share);
}

// Reads the body until it ends or has `size` bytes. If the watchdog has cut the client, the failure
// is that it was too slow, whatever the connection reported.
static fallible
take_until(struct exchange *self, struct mg_connection *connection, size_t limit, size_t size)
{
    TRY(enter(self, self->arriving.size ? CLIENT_DEADLINE_REST : CLIENT_DEADLINE_BODY));
    enum error error = http_body_take(connection, &self->request, limit, size, &self->body);
    TRY(enter(self, CLIENT_DEADLINE_WORK));
    return error;
}

// Reads the body. What fits into the buffer of the worker needs no other memory; the rest has its
// place when this has arrived, all of it at once: who only announces a body holds nothing, and no
// two bodies wait for each other's memory.
static fallible
take_body(struct exchange *self, struct mg_connection *connection)
{
    const struct route *route = self->route;
    size_t limit = route->body_limit ? route->body_limit : LIMIT_BODY_BYTES;
    size_t expected = http_body_expected(&self->request, limit);
    TRY(take_until(self, connection, limit, EXCHANGE_KEPT_BYTES));
    if (self->request.body_read)
        return OK;
    if (expected > EXCHANGE_KEPT_BYTES)
        TRY(await_memory(self, PARSE_ARRIVING, expected, &self->arriving));
    return take_until(self, connection, limit, SIZE_MAX);
}

static fallible
receive_file(struct exchange *self, struct mg_connection *connection)
{
    blobs_t *blobs = self->edge->facts.blobs;
    size_t image_most = self->route->image_most;
    if (image_most)
        return upload_read_image(&self->upload, connection, &self->request, image_most, &self->file,
                                 blobs, &self->arena);
    return upload_read(&self->upload, connection, &self->request, &self->file, blobs, &self->arena);
}

// Reads a file into a blob. The time that the disk takes is not counted as the client's.
static fallible
take_upload(struct exchange *self, struct mg_connection *connection)
{
    TRY(exchange_check_ready(self));
    TRY(enter(self, CLIENT_DEADLINE_BODY));
    enum error error = receive_file(self, connection);
    budget_hold_end(&self->file); // the asset pays for itself
    TRY(enter(self, CLIENT_DEADLINE_WORK));
    TRY(error);
    TRY(upload_settle(&self->upload, self->message));
    if (!self->route->image_most)
        upload_bounds_note(self->message, self->edge->facts.blobs, &self->payer,
                           clock_deadline_ms((uint64_t)self->edge->deadline_ms));
    const struct blob_pin *pin = (const struct blob_pin *)(void *)self->message->parcel;
    return idempotency_take(&self->request, self->route, pin->hash.bytes, sizeof pin->hash.bytes,
                            self->message);
}

// Reads the body into the message, which keeps its share of the memory for as long as it lives.
static fallible
read_body(struct exchange *self)
{
    const struct route *route = self->route;
    struct message *message = self->message;
    size_t cost = body_cost(route, self->body.data, self->body.size);
    if (body_is_json(route->body) && self->body.size)
        TRY(body_check_media(&self->request));
    struct parse_share share = {0};
    if (cost)
        TRY(await_memory(self, PARSE_READING, cost, &share));
    enum error error =
        body_read(route, self->request.query, self->body.data, self->body.size, message);
    parse_share_settle(&share, message->arena.size);
    message->share = parse_share_move(&share);
    return error;
}

fallible
exchange_read(struct exchange *self, struct mg_connection *connection)
{
    const struct route *route = self->route;
    bool is_upload = route->body == BODY_UPLOAD;
    if (!is_upload)
        TRY(take_body(self, connection));
    struct message *message = message_create((enum operation)route->operation);
    self->message = message;
    if (route->takes & FIELD_BIT(PARAMS_LAYOUT)) // it must be known before matrices are read
        TRY(params_from_query(&message->arena, self->request.query, FIELD_BIT(PARAMS_LAYOUT),
                              message->params));
    TRY(read_body(self));
    TRY(params_check_names(&message->arena, self->request.query, route));
    TRY(params_from_query(&message->arena, self->request.query, params_of_query(route),
                          message->params));
    TRY(params_from_path(&message->arena, &self->match, message->params));
    TRY(params_from_header(&self->request, message->params));
    TRY(params_settle(&message->arena, message->params, route));
    TRY(body_check_keys(route, message));
    TRY(body_check_strict(message));
    TRY(entity_tags_take(&self->request, message));
    TRY(axes_take(message, &self->convention));
    if (is_upload)
        return take_upload(self, connection);
    TRY(idempotency_take(&self->request, route, self->body.data, self->body.size, message));
    exchange_drop_body(self);
    return OK;
}

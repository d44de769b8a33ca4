// feed.h - a joined scene: its socket, its datagrams, the reading of its state (diorama.h).
#ifndef DIORAMA_FEED_H
#define DIORAMA_FEED_H

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include "tools/sdk/c/gaps.h"
#include "tools/sdk/c/http.h"
#include "tools/sdk/c/sealed.h"
#include "tools/sdk/c/store.h"

enum {
    DIO_HELLO_FIRST_MS = 500,
    DIO_HELLO_LAST_MS = 20000,
    DIO_READ_REST_MS = 1000,
    DIO_BACKOFF_FIRST_MS = 500,
    DIO_BACKOFF_LAST_MS = 15000,
    DIO_UNHEARD_MS = 65000,
    DIO_PURGE_MS = 10000,
    DIO_DATAGRAM = 9216
};

// What a plain datagram says, and what a whole record says.
#define DIO_PLAIN_OBJECT                                                                           \
    (DIORAMA_NAME | DIORAMA_SCENE | DIORAMA_PARENT | DIORAMA_TYPE | DIORAMA_SUBTYPE |              \
     DIORAMA_OWNER | DIORAMA_FRAME | DIORAMA_TIMESTAMP | DIORAMA_TRANSFORM | DIORAMA_ASSETS |      \
     DIORAMA_TAGS | DIORAMA_EXTRAS | DIORAMA_VISIBLE)
#define DIO_PLAIN_PROPERTY                                                                         \
    (DIORAMA_NAME | DIORAMA_SCENE | DIORAMA_PARENT | DIORAMA_FRAME | DIORAMA_TIMESTAMP |           \
     DIORAMA_VALUES)
#define DIO_NOT_PLAIN (DIORAMA_ASSET_SUB_ID | DIORAMA_ACTIONS)

struct diorama {
    struct dio_http http;
    struct dio_store store;
    struct dio_gaps gaps;
    struct diorama_arena arena; // of the datagram that is read
    char *scene, *device, *convention, *connection;
    char *path; // /v1/scene/…
    bool is_packed;
    int socket;
    struct sockaddr_storage server;
    socklen_t server_size;
    char feed_token[64];
    bool has_epoch, must_read, must_register, must_prove;
    uint64_t epoch;
    uint64_t hello_ms, hello_wait_ms, heard_ms, read_ms, purge_ms;
    unsigned failures, reads;
    enum diorama_state state, told_state;
    void *curl;
};

static void
dio_become(struct diorama *self, enum diorama_state state)
{
    self->state = state;
}

// --- sending ---

static void
dio_send(const struct diorama *self, const char *data, size_t size)
{
    // What is lost is sent again, or asked for.
    (void)!sendto(self->socket, data, size, 0, (const struct sockaddr *)&self->server,
                  self->server_size);
}

static void
dio_say_hello(struct diorama *self, uint64_t now_ms)
{
    char hello[DIO_HELLO_BYTES];
    if (now_ms < self->hello_ms || !*self->feed_token)
        return;
    dio_send(self, hello, diorama_write_hello(hello, self->feed_token));
    self->hello_ms = now_ms + (self->must_prove ? self->hello_wait_ms : DIO_HELLO_LAST_MS);
    self->hello_wait_ms =
        self->hello_wait_ms >= DIO_HELLO_LAST_MS / 2 ? DIO_HELLO_LAST_MS : 2 * self->hello_wait_ms;
}

// --- registering ---

static bool
dio_resolve(const char *host, uint64_t port, struct sockaddr_storage *ret_address,
            socklen_t *ret_size)
{
    char service[24];
    struct addrinfo *found = NULL;
    const struct addrinfo wanted = {.ai_socktype = SOCK_DGRAM};
    snprintf(service, sizeof service, "%llu", (unsigned long long)port);
    if (getaddrinfo(host, service, &wanted, &found) != 0 || !found)
        return false;
    memcpy(ret_address, found->ai_addr, found->ai_addrlen);
    *ret_size = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

static void
dio_put_registration(const struct diorama *self, struct dio_text *body)
{
    dio_put_chars(body, "{\"scenes\":[{\"key\":");
    dio_put_json_text(body, self->scene, strlen(self->scene));
    dio_put_chars(body, ",\"devices\":[{\"key\":");
    dio_put_json_text(body, self->device, strlen(self->device));
    dio_put_chars(body, ",\"connection_string\":");
    dio_put_json_text(body, self->connection, strlen(self->connection));
    if (self->convention) {
        dio_put_chars(body, ",\"convention\":");
        dio_put_json_text(body, self->convention, strlen(self->convention));
    }
    dio_put_chars(body, "}]}]}");
}

// A path below the scene; its query has the convention, and the device if `names_device`.
static void
dio_put_path(const struct diorama *self, struct dio_text *out, const char *noun, const char *key,
             const char *rest, bool names_device)
{
    dio_put_chars(out, self->path);
    if (noun) {
        dio_put_chars(out, "/");
        dio_put_chars(out, noun);
    }
    if (key) {
        dio_put_chars(out, "/");
        dio_put_part(out, key);
    }
    dio_put_chars(out, rest);
    const char *mark = strchr(rest, '?') ? "&" : "?";
    if (self->convention) {
        dio_put_chars(out, mark);
        dio_put_chars(out, "convention=");
        dio_put_part(out, self->convention);
        mark = "&";
    }
    if (names_device) {
        dio_put_chars(out, mark);
        dio_put_chars(out, "device=");
        dio_put_part(out, self->device);
    }
}

static bool
dio_take_registration(struct diorama *self, const char *body)
{
    struct diorama_value answer;
    diorama_arena_free(&self->arena);
    if (!diorama_read_json(&self->arena, body, strlen(body), &answer))
        return dio_fail(&self->http, "The answer is no JSON.", "register");
    const struct diorama_value *udp = diorama_find(&answer, "udp");
    dio_note_chars(self->feed_token, sizeof self->feed_token, dio_find_text(udp, "token"));
    if (!dio_resolve(dio_find_text(&answer, "event_destination_host"),
                     dio_find_count(&answer, "event_destination_port"), &self->server,
                     &self->server_size))
        return dio_fail(&self->http, "The server says no address for datagrams.", "register");
    self->must_prove = strcmp(dio_find_text(udp, "state"), "active") != 0;
    self->hello_wait_ms = DIO_HELLO_FIRST_MS;
    self->heard_ms = dio_now_ms();
    self->hello_ms = self->must_prove ? 0 : self->heard_ms + DIO_HELLO_LAST_MS;
    self->must_register = false;
    return true;
}

static bool
dio_register(struct diorama *self, const char *verb)
{
    struct dio_text body = {0}, path = {0};
    char *answer = NULL;
    dio_put_registration(self, &body);
    dio_put_chars(&path, self->path);
    dio_put_chars(&path, verb);
    bool is_done = !body.failed && !path.failed &&
                   dio_call(&self->http, "POST", path.data, body.data, DIO_SAFE, 0, &answer) &&
                   answer &&
                   (strcmp(verb, "/register") != 0 || dio_take_registration(self, answer));
    free(answer);
    dio_text_free(&body);
    dio_text_free(&path);
    return is_done;
}

// --- the state ---

struct dio_place {
    uint64_t epoch, seq;
    bool is_set;
};

// The members that a whole record tells of.
static unsigned
dio_whole(bool is_property)
{
    return (is_property ? DIO_PLAIN_PROPERTY : DIO_PLAIN_OBJECT) | DIO_NOT_PLAIN;
}

// One page of records. `start` becomes that of the next page, 0 behind the last.
static bool
dio_read_page(struct diorama *self, bool is_property, uint64_t *start, struct dio_place *place)
{
    struct dio_text path = {0};
    struct diorama_arena arena = {0};
    struct diorama_value page;
    char *body = NULL, rest[80];
    snprintf(rest, sizeof rest, "/query?num_records=1000&start_record=%llu",
             (unsigned long long)*start);
    dio_put_path(self, &path, is_property ? "property" : "object", NULL, rest, false);
    bool is_done =
        !path.failed && dio_call(&self->http, "POST", path.data, "{}", DIO_SAFE, 0, &body);
    if (is_done && (!body || !diorama_read_json(&arena, body, strlen(body), &page)))
        is_done = dio_fail(&self->http, "The answer is no JSON.", path.data);
    const struct diorama_value *records =
        is_done ? diorama_find(&page, is_property ? "properties" : "objects") : NULL;
    if (is_done && !place->is_set) {
        *place =
            (struct dio_place){dio_find_count(&page, "epoch"), dio_find_count(&page, "seq"), true};
        if (!self->has_epoch || place->epoch != self->epoch) {
            self->must_register = self->must_read = self->has_epoch;
            dio_store_forget_numbers(&self->store);
            dio_gaps_begin(&self->gaps);
        }
        self->epoch = place->epoch;
        self->has_epoch = true;
    }
    for (size_t i = 0; records && records->type == DIORAMA_ARRAY && i < records->count; i++) {
        const char *key = dio_find_text(&records->of.items[i], "key");
        dio_store_take(&self->store, is_property ? 8 : 0, key, &records->of.items[i],
                       dio_whole(is_property), self->gaps.got, place->seq);
        struct dio_entity *entity = dio_store_find(&self->store, key);
        if (entity)
            entity->is_found = true;
    }
    *start = is_done ? dio_find_count(&page, "next_start_record") : 0;
    diorama_arena_free(&arena);
    dio_text_free(&path);
    free(body);
    return is_done;
}

// All records of a noun: what is not there was deleted.
static bool
dio_read_noun(struct diorama *self, bool is_property, struct dio_place *ret_place)
{
    uint64_t start = 0;
    *ret_place = (struct dio_place){0};
    for (size_t i = 0; i < self->store.room; i++)
        if (self->store.entities[i])
            self->store.entities[i]->is_found = false;
    do {
        if (!dio_read_page(self, is_property, &start, ret_place))
            return false;
    } while (start);
    for (size_t i = 0; i < self->store.room; i++) {
        struct dio_entity *entity = self->store.entities[i];
        if (entity && entity->is_property == is_property && !entity->is_found)
            dio_store_take(&self->store, is_property ? 11 : 3, entity->key, NULL, 0, self->gaps.got,
                           ret_place->seq);
    }
    return true;
}

// Reads the scene; what arrives meanwhile waits in the socket.
static bool
dio_read(struct diorama *self)
{
    struct dio_place objects, properties;
    dio_become(self, DIORAMA_CATCHING_UP);
    self->must_read = false;
    bool is_done = (!self->must_register || dio_register(self, "/register")) &&
                   dio_read_noun(self, false, &objects) && dio_read_noun(self, true, &properties);
    if (!is_done) {
        self->must_read = true;
        return false;
    }
    if (objects.epoch != properties.epoch)
        self->must_read = true;
    else
        dio_gaps_absorb(&self->gaps, objects.seq < properties.seq ? objects.seq : properties.seq);
    self->reads++;
    return true;
}

static void
dio_read_guarded(struct diorama *self)
{
    if (dio_read(self)) {
        self->read_ms = dio_now_ms() + DIO_READ_REST_MS;
        self->failures = 0;
        return;
    }
    int status = self->http.error.status;
    if (status == 401 || status == 403 || status == 404) {
        dio_become(self, status == 404 ? DIORAMA_GONE : DIORAMA_SIGNED_OUT);
        return;
    }
    uint64_t wait = (uint64_t)DIO_BACKOFF_FIRST_MS << (self->failures < 5 ? self->failures : 5);
    wait = wait > DIO_BACKOFF_LAST_MS ? DIO_BACKOFF_LAST_MS : wait;
    self->failures++;
    self->read_ms = dio_now_ms() + wait / 2 + (dio_now_ms() * 2654435761U % (wait / 2));
    dio_become(self, DIORAMA_RECONNECTING);
}

// --- what arrives ---

static void
dio_note(struct diorama *self, bool is_same_start, uint64_t prev, uint64_t seq)
{
    // The plain form has no epoch: numbers that begin again are those of another start.
    if (!is_same_start || (!self->is_packed && self->gaps.got > seq + 1024))
        self->must_read = self->must_register = true;
    else
        dio_gaps_note(&self->gaps, prev, seq, dio_now_ms());
}

static void
dio_take_packed(struct diorama *self, const char *data, size_t size)
{
    struct diorama_packed packed;
    if (!diorama_read_packed(&self->arena, data, size, &packed))
        return; // broken on the way: a gap shows it
    bool is_same = self->has_epoch && packed.epoch == self->epoch;
    if (is_same && packed.is_refusal)
        self->must_read |= packed.refusal == 0 && packed.refused_from > self->gaps.got;
    for (size_t i = 0; is_same && i < packed.changes.count; i++) {
        const struct diorama_value *change = &packed.changes.of.items[i];
        dio_store_take(&self->store, dio_find_number(change, "msg_type"),
                       dio_find_text(change, "key"), change, 0, packed.prev, packed.seq);
        self->must_read |= diorama_find(change, "truncated") != NULL;
    }
    dio_note(self, is_same, packed.prev, packed.seq);
}

static void
dio_take_plain_event(struct diorama *self, const struct diorama_value *event, double type)
{
    bool is_cut = diorama_find(event, "truncated") != NULL;
    unsigned wanted = dio_is_of_property(type) ? DIO_PLAIN_PROPERTY : DIO_PLAIN_OBJECT;
    wanted |= type >= 15 ? DIORAMA_ACTIONS : 0U;
    for (int i = 0; is_cut && i < DIORAMA_MEMBERS; i++)
        if (!diorama_find(event, dio_member_names[i]) ||
            (1U << i & (DIORAMA_ASSETS | DIORAMA_ACTIONS | DIORAMA_TAGS)))
            wanted &= ~(1U << i);
    self->must_read |= is_cut;
    uint64_t prev = dio_find_count(event, "prev"), seq = dio_find_count(event, "seq");
    dio_store_take(&self->store, type, dio_find_text(event, "key"), event, wanted, prev, seq);
    dio_note(self, true, prev, seq);
}

static void
dio_take_json(struct diorama *self, const char *data, size_t size)
{
    struct diorama_value told;
    char echo[DIO_HELLO_BYTES];
    if (!diorama_read_json(&self->arena, data, size, &told) || !diorama_find(&told, "msg_type"))
        return;
    double type = dio_find_number(&told, "msg_type");
    switch ((int)type) {
    case DIO_CHALLENGE:
        dio_send(self, echo,
                 diorama_write_echo(echo, self->feed_token, dio_find_text(&told, "challenge")));
        self->must_prove = false;
        self->hello_ms = dio_now_ms() + DIO_HELLO_LAST_MS;
        break;
    case DIO_REFUSED:
        self->must_read |= strcmp(dio_find_text(&told, "reason"), "too_old") == 0 &&
                           dio_find_count(&told, "from") > self->gaps.got;
        break;
    case DIO_TAIL:
        dio_note(self, dio_find_count(&told, "epoch") == self->epoch, dio_find_count(&told, "seq"),
                 dio_find_count(&told, "seq"));
        break;
    default:
        if (!self->is_packed && type >= 0 && type <= DIO_LAST_FOR_DEVICES)
            dio_take_plain_event(self, &told, type);
    }
}

static void
dio_take_datagram(struct diorama *self, const char *data, size_t size)
{
    self->heard_ms = dio_now_ms();
    diorama_arena_free(&self->arena);
    if (size && data[0] == '{')
        dio_take_json(self, data, size);
    else if (self->is_packed)
        dio_take_packed(self, data, size);
}

#endif

// client.h - joining, and what happens next (diorama.h).
#ifndef DIORAMA_CLIENT_H
#define DIORAMA_CLIENT_H

#include "tools/sdk/c/writing.h"

enum { DIO_TURN_MS = 20 };

// --- joining and leaving ---

static void
dio_free(struct diorama *self)
{
    if (self->socket >= 0)
        close(self->socket);
#ifdef DIORAMA_CURL
    if (self->curl)
        curl_easy_cleanup(self->curl);
#endif
    dio_store_free(&self->store);
    diorama_arena_free(&self->arena);
    free(self->http.url);
    free(self->http.token);
    free(self->scene);
    free(self->device);
    free(self->convention);
    free(self->connection);
    free(self->path);
    free(self);
}

static struct diorama *
dio_new(const char *url, const char *scene, const struct diorama_options *options)
{
    char drawn[24] = "c-";
    struct dio_text path = {0};
    struct diorama *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->socket = -1;
    self->is_packed = options->form == DIORAMA_PACKED;
    self->state = self->told_state = DIORAMA_CATCHING_UP;
    dio_gaps_begin(&self->gaps);
    dio_draw(drawn + 2, 6);
    dio_put_chars(&path, "/v1/scene/");
    dio_put_part(&path, scene);
    self->path = path.data;
    self->http.url = dio_copy(url);
    self->http.token = options->token ? dio_copy(options->token) : NULL;
    self->http.ask = options->http;
    self->http.context = options->http_context;
    self->scene = dio_copy(scene);
    self->device = dio_copy(options->device ? options->device : drawn);
    self->convention =
        options->convention && *options->convention ? dio_copy(options->convention) : NULL;
    if (!self->path || path.failed || !self->http.url || !self->scene || !self->device) {
        dio_free(self);
        return NULL;
    }
    for (size_t size = strlen(self->http.url); size && self->http.url[size - 1] == '/'; size--)
        self->http.url[size - 1] = '\0';
#ifdef DIORAMA_CURL
    if (!self->http.ask) {
        self->curl = curl_easy_init();
        self->http.ask = dio_curl;
        self->http.context = self->curl;
    }
#endif
    return self;
}

// The host and the port of the server's address.
static bool
dio_split_url(const char *url, char host[256], uint64_t *ret_port)
{
    bool is_tls = strncmp(url, "https://", 8) == 0;
    if (!is_tls && strncmp(url, "http://", 7) != 0)
        return false;
    const char *at = url + (is_tls ? 8 : 7), *end = at + strcspn(at, "/?#");
    const char *close = *at == '[' ? memchr(at, ']', (size_t)(end - at)) : NULL;
    const char *colon = memchr(close ? close : at, ':', (size_t)(end - (close ? close : at)));
    at += close != NULL;
    const char *stop = close ? close : colon ? colon : end;
    if (stop <= at || stop - at > 255)
        return false;
    memcpy(host, at, (size_t)(stop - at));
    host[stop - at] = '\0';
    *ret_port = colon ? strtoul(colon + 1, NULL, 10) : is_tls ? 443 : 80;
    return *ret_port > 0 && *ret_port < 65536;
}

// Which of our addresses leads to the server, with any port.
static bool
dio_own_address(const struct sockaddr_storage *server, socklen_t size,
                struct sockaddr_storage *ret_own, socklen_t *ret_size)
{
    int probe = socket(server->ss_family, SOCK_DGRAM, 0);
    *ret_size = sizeof *ret_own;
    bool is_done = probe >= 0 && connect(probe, (const struct sockaddr *)server, size) == 0 &&
                   getsockname(probe, (struct sockaddr *)ret_own, ret_size) == 0;
    if (probe >= 0)
        close(probe);
    return is_done;
}

static bool
dio_bind(struct diorama *self, int rate)
{
    char host[256], own[64], port[8];
    uint64_t number;
    struct sockaddr_storage server, address;
    socklen_t server_size, size;
    const int buffer = 4 << 20;
    if (!dio_split_url(self->http.url, host, &number) ||
        !dio_resolve(host, number, &server, &server_size) ||
        !dio_own_address(&server, server_size, &address, &size))
        return dio_fail(&self->http, "The address leads nowhere.", self->http.url);
    // The probe's port is free again: any other one.
    if (getnameinfo((struct sockaddr *)&address, size, own, sizeof own, NULL, 0, NI_NUMERICHOST) !=
            0 ||
        !dio_resolve(own, 0, &address, &size))
        return dio_fail(&self->http, "There is no address for datagrams.", host);
    self->socket = socket(address.ss_family, SOCK_DGRAM, 0);
    if (self->socket < 0 || bind(self->socket, (struct sockaddr *)&address, size) != 0 ||
        getsockname(self->socket, (struct sockaddr *)&address, &size) != 0 ||
        getnameinfo((struct sockaddr *)&address, size, NULL, 0, port, sizeof port,
                    NI_NUMERICSERV) != 0)
        return dio_fail(&self->http, "There is no socket.", strerror(errno));
    setsockopt(self->socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    struct dio_text text = {0};
    bool is_v6 = strchr(own, ':') != NULL;
    dio_put_format(&text, "%s://%s%s%s:%s?", self->is_packed ? "udp+msgpack" : "udp",
                   is_v6 ? "[" : "", own, is_v6 ? "]" : "", port);
    if (self->is_packed)
        dio_put_format(&text, "rate=%d&", rate ? rate : 60);
    dio_put_chars(&text, "tail=1");
    self->connection = text.data;
    return !text.failed;
}

// Makes the scene if it is not there and may be made.
static bool
dio_meet(struct diorama *self, bool must_exist)
{
    struct dio_text body = {0};
    if (dio_call(&self->http, "GET", self->path, NULL, DIO_SAFE, 0, NULL))
        return true;
    if (self->http.error.status != 404 || must_exist)
        return false;
    dio_put_chars(&body, "{\"scenes\":[{\"name\":");
    dio_put_json_text(&body, self->scene, strlen(self->scene));
    dio_put_chars(&body, "}]}");
    bool is_done =
        !body.failed && dio_call(&self->http, "PUT", self->path, body.data, DIO_SAFE, 0, NULL);
    dio_text_free(&body);
    return is_done;
}

struct diorama *
diorama_join(const char *url, const char *scene, const struct diorama_options *options)
{
    static const struct diorama_options usual = {0};
    options = options ? options : &usual;
    struct diorama *self = dio_new(url, scene, options);
    if (!self)
        return NULL;
    bool is_done =
        self->http.ask
            ? dio_bind(self, options->rate) && dio_meet(self, options->must_exist) &&
                  dio_register(self, "/register") && dio_read(self)
            : dio_fail(&self->http, "There is no HTTP.", "options.http, or DIORAMA_CURL");
    if (is_done)
        return self;
    if (options->error)
        *options->error = self->http.error;
    dio_free(self);
    return NULL;
}

void
diorama_leave(struct diorama **self)
{
    if (!*self)
        return;
    (void)dio_register(*self, "/deregister"); // if nobody is there, it is no harm
    dio_free(*self);
    *self = NULL;
}

const struct diorama_error *
diorama_last_error(const struct diorama *self)
{
    return &self->http.error;
}

// --- what happens next ---

static bool
dio_is_over(const struct diorama *self)
{
    return self->state == DIORAMA_GONE || self->state == DIORAMA_SIGNED_OUT;
}

// What is due now, apart from datagrams.
static void
dio_turn(struct diorama *self)
{
    uint64_t now = dio_now_ms(), to = 0;
    char ask[DIO_HELLO_BYTES];
    dio_say_hello(self, now);
    enum dio_wish wish = dio_gaps_wish(&self->gaps, now, &to);
    self->must_register |= now - self->heard_ms > DIO_UNHEARD_MS;
    self->must_read |= wish == DIO_WISH_READ || self->must_register;
    if (wish == DIO_WISH_ASK)
        dio_send(self, ask, diorama_write_ask(ask, self->feed_token, self->gaps.got + 1, to));
    if (now > self->purge_ms) {
        self->purge_ms = now + DIO_PURGE_MS;
        dio_store_purge(&self->store, now);
    }
    for (size_t i = 0; i < self->store.room; i++)
        if (self->store.entities[i])
            dio_renew(self, self->store.entities[i], now);
    if (self->must_read && now >= self->read_ms)
        dio_read_guarded(self);
    if (!self->must_read && !dio_is_over(self))
        dio_become(self, self->gaps.count ? DIORAMA_CATCHING_UP : DIORAMA_LIVE);
}

static bool
dio_pop(struct diorama *self, struct diorama_event *ret_event)
{
    *ret_event = (struct diorama_event){.kind = DIORAMA_NOTHING, .state = self->state};
    if (self->store.change_count) {
        const struct dio_change *change = &self->store.changes[self->store.first++];
        self->store.change_count--;
        *ret_event = (struct diorama_event){.kind = change->kind,
                                            .state = self->state,
                                            .key = change->entity->key,
                                            .is_property = change->entity->is_property,
                                            .transform = change->entity->matrix,
                                            .members = change->members,
                                            .prev = change->prev,
                                            .seq = change->seq};
        return true;
    }
    self->store.first = 0;
    if (self->told_state == self->state)
        return false;
    self->told_state = self->state;
    ret_event->kind = DIORAMA_STATE;
    return true;
}

// Waits for datagrams, and takes those that are there until one says something.
static void
dio_listen(struct diorama *self, int wait_ms)
{
    char data[DIO_DATAGRAM];
    struct pollfd ready = {self->socket, POLLIN, 0};
    if (poll(&ready, 1, wait_ms) <= 0)
        return;
    while (self->store.change_count == 0) {
        ssize_t size = recv(self->socket, data, sizeof data, MSG_DONTWAIT);
        if (size < 0)
            return;
        dio_take_datagram(self, data, (size_t)size);
    }
}

bool
diorama_next(struct diorama *self, struct diorama_event *ret_event, int wait_ms)
{
    uint64_t end = dio_now_ms() + (uint64_t)(wait_ms > 0 ? wait_ms : 0);
    for (;;) {
        if (dio_pop(self, ret_event))
            return true;
        if (dio_is_over(self))
            return false;
        dio_turn(self);
        if (dio_pop(self, ret_event))
            return true;
        uint64_t now = dio_now_ms(), left = end > now ? end - now : 0;
        dio_listen(self, (int)(left < DIO_TURN_MS ? left : DIO_TURN_MS));
        if (self->store.change_count == 0 && dio_now_ms() >= end)
            return true; // nothing
    }
}

enum diorama_state
diorama_state(const struct diorama *self)
{
    return self->state;
}

unsigned
diorama_gaps(const struct diorama *self)
{
    return self->gaps.holes;
}

unsigned
diorama_reads(const struct diorama *self)
{
    return self->reads;
}

const char *
diorama_each(const struct diorama *self, const char *key)
{
    size_t at = key ? (size_t)(dio_slot(&self->store, key) - self->store.entities) + 1 : 0;
    for (; at < self->store.room; at++)
        if (self->store.entities[at] && self->store.entities[at]->exists)
            return self->store.entities[at]->key;
    return NULL;
}

const char *
diorama_member(const struct diorama *self, const char *key, unsigned member)
{
    const struct dio_entity *entity = dio_store_find(&self->store, key);
    for (int i = 0; entity && entity->exists && i < DIORAMA_MEMBERS; i++)
        if (member == 1U << i)
            return entity->members[i].json;
    return NULL;
}

const char *
diorama_member_name(unsigned member)
{
    for (int i = 0; i < DIORAMA_MEMBERS; i++)
        if (member == 1U << i)
            return dio_member_names[i];
    return NULL;
}

bool
diorama_pose(const struct diorama *self, const char *key, double ret_matrix[16])
{
    const struct dio_entity *entity = dio_store_find(&self->store, key);
    if (!entity || !entity->exists)
        return false;
    const struct dio_pose *before = &entity->poses[0], *after = &entity->poses[1];
    double interval = (double)(after->at_ms - before->at_ms),
           since = (double)(dio_now_ms() - after->at_ms);
    interval = interval < 10 ? 10 : interval > 500 ? 500 : interval;
    if (entity->pose_count < 2 || since > 3 * interval)
        memcpy(ret_matrix, entity->matrix, sizeof entity->matrix);
    else
        dio_between(before->matrix, after->matrix, since / interval, ret_matrix);
    return true;
}

#endif

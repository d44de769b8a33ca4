// log_server.c - the leader's thread for followers (log_server.h): receives, answers, and keeps who
// waits for a commit or a checkpoint.
#include "actors/replica/log_server.h"

#include <czmq.h>

#include "actors/replica/file_chunk.h"
#include "actors/replica/follower_socket.h"
#include "actors/replica/leader_checkpoints.h"
#include "actors/replica/log_page.h"
#include "actors/runtime/log_retention.h"
#include "proto/base/clock.h"
#include "proto/base/handover.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/config/config_check.h"
#include "store/backup/backup_file.h"

enum {
    LOOK_MS = 5,       // between two looks for commits, while somebody waits
    PASS_MS = 1000,    // between two passes over what is old
    TURN_REQUESTS = 8, // then who waits is looked after
    BUFFER_BYTES = 2 << 20,
};

struct log_server {
    const struct config *config;
    store_t *store;
    struct curve_folder keys; // of followers who may connect
    uint64_t removals;        // of them, as last looked at
    follower_socket_t *socket;
    leader_checkpoints_t *checkpoints;
    zactor_t *thread;
    struct follower_table followers;
    struct log_page page;
    struct buffer request, head, bytes; // of the request that is answered
    uint64_t passed_ms;
};

// --- answers ---

static void
give(log_server_t *self, const struct follower_identity *to, const struct replica_answer *answer)
{
    buffer_clear(&self->head);
    replica_put_answer(&self->head, answer);
    follower_socket_send(self->socket, to, &self->head, &self->bytes);
    buffer_rest(&self->bytes, BUFFER_BYTES);
}

static struct replica_answer
answer_to(const struct replica_request *request)
{
    return (struct replica_answer){.kind = request->kind, .id = request->id};
}

// By what was noted of the failure.
static void
give_failure(log_server_t *self, const struct follower_identity *to,
             const struct replica_request *request, enum error error)
{
    struct replica_answer answer = answer_to(request);
    struct fault fault;
    fault_take(error, &fault);
    buffer_clear(&self->bytes);
    answer.outcome = error == ERR_NOT_FOUND ? REPLICA_ABSENT : REPLICA_REFUSED;
    snprintf(answer.sentence, sizeof answer.sentence, "%s", fault.detail);
    give(self, to, &answer);
}

// --- requests, each a function that fails, or fills the answer, or lets the follower wait ---

static fallible
wait_for(struct follower *follower, const struct replica_request *request)
{
    uint64_t wait_ms = request->wait_ms < REPLICA_WAIT_MS ? request->wait_ms : REPLICA_WAIT_MS;
    follower->is_waiting = true;
    follower->request = *request;
    follower->until_ms = clock_now_ms() + wait_ms;
    return OK;
}

static fallible
ask_log(log_server_t *self, struct follower *follower, const struct replica_request *request,
        struct replica_answer *answer)
{
    TRY(log_page_make(&self->page, request->after, answer, &self->bytes));
    if (answer->outcome == REPLICA_OK && !self->bytes.size && request->wait_ms)
        return wait_for(follower, request);
    return OK;
}

static fallible
ask_checkpoint(log_server_t *self, struct follower *follower, const struct replica_request *request,
               struct replica_answer *answer)
{
    (void)answer;
    struct replica_request waiting = *request;
    TRY(leader_checkpoints_begin(self->checkpoints, &waiting.checkpoint));
    return wait_for(follower, &waiting);
}

static fallible
ask_file(log_server_t *self, struct follower *follower, const struct replica_request *request,
         struct replica_answer *answer)
{
    (void)follower;
    return leader_checkpoints_read(self->checkpoints, request->checkpoint, request->name,
                                   request->offset, &self->bytes, &answer->size);
}

static fallible
ask_end(log_server_t *self, struct follower *follower, const struct replica_request *request,
        struct replica_answer *answer)
{
    (void)follower, (void)answer;
    return leader_checkpoints_end(self->checkpoints, request->checkpoint);
}

// It is not read through the engine of blobs, which would read all of a blob that it has not seen
// yet, and the others would wait: who has all of it knows by its hash whether it is whole.
static fallible
ask_blob(log_server_t *self, struct follower *follower, const struct replica_request *request,
         struct replica_answer *answer)
{
    (void)follower;
    char hex[BLOB_HEX_SIZE], name[BLOB_HEX_SIZE + sizeof "blobs/aa/"], path[BACKUP_PATH_SIZE];
    blob_hash_to_hex(&request->hash, hex);
    snprintf(name, sizeof name, "blobs/%.2s/%s", hex, hex);
    TRY(backup_path(self->config->data_dir, name, path));
    return file_chunk_read(path, request->offset, &self->bytes, &answer->size);
}

typedef enum error request_handler(log_server_t *self, struct follower *follower,
                                   const struct replica_request *request,
                                   struct replica_answer *answer);

static request_handler *const handlers[] = {
    [REPLICA_LOG] = ask_log,   [REPLICA_CHECKPOINT] = ask_checkpoint,
    [REPLICA_FILE] = ask_file, [REPLICA_DONE] = ask_end,
    [REPLICA_BLOB] = ask_blob,
};

static fallible
admit(log_server_t *self, const struct follower_identity *from, struct follower **ret_follower)
{
    *ret_follower = follower_table_take(&self->followers, from, clock_now_ms());
    if (!*ret_follower)
        return fail(ERR_CONFLICT, "", "the leader has %d followers already", FOLLOWERS);
    if ((*ret_follower)->is_waiting)
        return fail(ERR_CONFLICT, "", "one request after another: the last one still waits");
    return OK;
}

static fallible
handle(log_server_t *self, const struct follower_identity *from,
       const struct replica_request *request)
{
    struct replica_answer answer = answer_to(request);
    struct follower *follower;
    buffer_clear(&self->bytes);
    TRY(admit(self, from, &follower));
    TRY(handlers[request->kind](self, follower, request, &answer));
    if (!follower->is_waiting)
        give(self, from, &answer);
    return OK;
}

// What has no id cannot be answered.
static bool
receive(log_server_t *self)
{
    struct follower_identity from;
    struct replica_request request;
    if (!follower_socket_receive(self->socket, &from, &self->request))
        return false;
    enum error error = replica_read_request(self->request.data, self->request.size, &request);
    if (error == OK)
        error = handle(self, &from, &request);
    if (error != OK && request.id)
        give_failure(self, &from, &request, error);
    return true;
}

// --- who waits ---

// Whether it is time to answer: something was committed, or it waited long enough.
static bool
is_due(log_server_t *self, const struct follower *follower, uint64_t now_ms)
{
    uint64_t head;
    bool is_known = store_position(self->store, &head) == STORE_OK;
    return now_ms >= follower->until_ms || (is_known && head > follower->request.after.position);
}

static void
look_at_log(log_server_t *self, struct follower *follower, uint64_t now_ms)
{
    struct replica_answer answer = answer_to(&follower->request);
    if (!is_due(self, follower, now_ms))
        return;
    follower->is_waiting = false;
    enum error error = log_page_make(&self->page, follower->request.after, &answer, &self->bytes);
    if (error != OK)
        give_failure(self, &follower->identity, &follower->request, error);
    else
        give(self, &follower->identity, &answer);
}

static void
look_at_checkpoint(log_server_t *self, struct follower *follower)
{
    struct replica_answer answer = answer_to(&follower->request);
    bool is_ready = false;
    enum error error = leader_checkpoints_take(self->checkpoints, follower->request.checkpoint,
                                               &is_ready, &answer, &self->bytes);
    follower->is_waiting = error == OK && !is_ready;
    if (error != OK)
        give_failure(self, &follower->identity, &follower->request, error);
    else if (is_ready)
        give(self, &follower->identity, &answer);
}

static void
look(log_server_t *self)
{
    uint64_t now_ms = clock_now_ms();
    for (size_t i = 0; i < FOLLOWERS; i++) {
        struct follower *follower = &self->followers.rows[i];
        if (follower->is_waiting && follower->request.kind == REPLICA_LOG)
            look_at_log(self, follower, now_ms);
        else if (follower->is_waiting)
            look_at_checkpoint(self, follower);
    }
}

// Whose key was removed may still be connected.
static void
close_to_removed(log_server_t *self)
{
    uint64_t removals = curve_folder_removals(&self->keys);
    if (removals == self->removals && follower_socket_handle(self->socket))
        return;
    if (follower_socket_reopen(self->socket) != OK) {
        log_error("replica_not_bound", "reason=%s", fault_last()->detail);
        return;
    }
    self->removals = removals;
    follower_table_finish(&self->followers);
    log_warning("replica_reopened", "endpoint=%s", follower_socket_endpoint(self->socket));
}

// What is old goes. With backup.log its thread releases commits.
static void
pass(log_server_t *self)
{
    uint64_t now_ms = clock_now_ms();
    if (now_ms - self->passed_ms < PASS_MS)
        return;
    self->passed_ms = now_ms;
    close_to_removed(self);
    follower_table_forget(&self->followers, now_ms);
    leader_checkpoints_expire(self->checkpoints, now_ms);
    if (!self->config->backup_log || !*self->config->backup_log)
        (void)log_retention_release(self->config, self->store, LOG_NOT_SHIPPED);
}

// --- the thread ---

static void
log_server_run(zsock_t *pipe, void *untyped)
{
    log_server_t *self = untyped;
    handover_take(self);
    zmq_pollitem_t items[] = {{.socket = zsock_resolve(pipe), .events = ZMQ_POLLIN},
                              {.events = ZMQ_POLLIN}};
    zsock_signal(pipe, 0);
    while (!items[0].revents) {
        bool is_waiting = follower_table_is_waiting(&self->followers);
        items[1].socket = follower_socket_handle(self->socket);
        if (zmq_poll(items, items[1].socket ? 2 : 1, is_waiting ? LOOK_MS : PASS_MS) < 0 &&
            errno != EINTR)
            break;
        for (int i = 0; i < TURN_REQUESTS && receive(self); i++)
            continue;
        look(self);
        pass(self);
    }
    handover_give(self);
}

// --- life ---

static fallible
server_open(log_server_t *self)
{
    TRY(config_check_replica(self->config));
    TRY(curve_folder_open(&self->keys, ZAP_REPLICA, "replica.curve_dir",
                          self->config->replica_curve));
    TRY(follower_socket_create(self->config->replica_endpoint, &self->keys, &self->socket));
    handover_give(self);
    self->thread = zactor_new(log_server_run, self);
    if (!self->thread)
        return fail(ERR_UNAVAILABLE, "replica.endpoint", "no thread left");
    log_info("replica_served", "endpoint=%s", follower_socket_endpoint(self->socket));
    return OK;
}

fallible
log_server_create(const struct config *config, store_t *store, blobs_t *blobs,
                  const struct timeline *timeline, log_server_t **ret_server)
{
    if (!config->replica_endpoint || !*config->replica_endpoint)
        return OK;
    log_server_t *self = memory_take_zeroed(sizeof *self);
    self->config = config;
    self->store = store;
    self->page = (struct log_page){.store = store, .timeline = timeline};
    uint64_t epoch = timeline->starts[timeline->count - 1].epoch;
    self->checkpoints = leader_checkpoints_create(config, store, blobs, epoch);
    enum error error = server_open(self);
    if (error != OK)
        log_server_destroy(&self);
    else
        *ret_server = self;
    return error;
}

void
log_server_destroy(log_server_t **self)
{
    log_server_t *server = *self;
    if (!server)
        return;
    zactor_destroy(&server->thread);
    handover_take(server);
    follower_socket_destroy(&server->socket);
    curve_folder_finish(&server->keys); // after the socket, which may still ask
    leader_checkpoints_destroy(&server->checkpoints);
    follower_table_finish(&server->followers);
    log_page_finish(&server->page);
    buffer_finish(&server->request);
    buffer_finish(&server->head);
    buffer_finish(&server->bytes);
    free(server);
    *self = NULL;
}

const char *
log_server_endpoint(const log_server_t *self)
{
    return self ? follower_socket_endpoint(self->socket) : "";
}

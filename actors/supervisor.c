// supervisor.c - the order in which actors start and end (supervisor.h). A mailbox must exist
// before anybody sends to it. So the streamer, the asset and user actors and the solver start
// before the scene actors, and what receives datagrams starts last.

#include "actors/supervisor.h"

#include <stdlib.h>
#include <unistd.h>

#include "actors/alignment/relation_actor.h"
#include "actors/alignment/solver_actor.h"
#include "actors/asset/asset_actor.h"
#include "actors/audit/audit_actor.h"
#include "actors/backup/backup_actor.h"
#include "actors/backup/log_shipper.h"
#include "actors/replica/follower.h"
#include "actors/replica/log_server.h"
#include "actors/runtime/committer.h"
#include "actors/runtime/lane_claim.h"
#include "actors/scene/scene_actor.h"
#include "actors/streamer/streamer.h"
#include "actors/track/track_receiver.h"
#include "actors/udp/udp_receiver.h"
#include "actors/user/user_actor.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "store/backup/backup_folder.h"

enum {
    MAX_SHARDS = 64,
    PING_WITHIN_MS = 600000,
    SOLUTION_WITHIN_MS = 2000, // after that a start serves without the first solution
    LOOK_MS = 50,              // between two looks whether the process shall end
};

// A scene actor, which starts its loader itself, and its committer.
struct scene_threads {
    committer_t *committer;
    shard_t *actor;
};

// The asset actor and its committer.
struct asset_threads {
    committer_t *committer;
    asset_actor_t *actor;
};

// The user actor, which starts the threads that hash passwords itself, and its committer.
struct user_threads {
    committer_t *committer;
    sessions_t *sessions;
    user_actor_t *actor;
};

struct supervisor {
    supervisor_must_end *must_end;
    mailbox_t *mailbox;
    uint64_t pings; // ids of those that were sent
    int udp_socket;
    int udp_port;
    uint64_t epoch;
    struct timeline timeline; // the starts of this store
    store_version_t lanes;    // version of the markers of all committers (lane_claim.h)
    budget_book_t *book;
    sealed_intake_t *intake;
    unsigned shards;
    audit_actor_t *audit;
    log_shipper_t *shipper;
    log_server_t *leader; // NULL without replica.endpoint
    backup_actor_t *backups;
    follower_t *follower; // NULL where it leads
    streamer_t *streamer;
    udp_receiver_t *receiver;
    track_receiver_t *tracker;
    atlas_t *atlas;
    solver_actor_t *solver;
    relation_actor_t *relations;
    struct shown_tables shown;
    shown_t *shown_scenes[MAX_SHARDS];
    struct scene_threads scenes[MAX_SHARDS];
    struct asset_threads assets;
    struct user_threads users;
};

static unsigned
choose_shards(const struct config *config)
{
    if (config->scene_actors > 0)
        return (unsigned)(config->scene_actors < MAX_SHARDS ? config->scene_actors : MAX_SHARDS);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long shards = cores > 2 ? cores - 1 : 1;
    return (unsigned)(shards < MAX_SHARDS ? shards : MAX_SHARDS);
}

static struct request_settings
request_settings_of(const supervisor_t *self, const struct config *config)
{
    return (struct request_settings){.deadline_ms = (uint64_t)config->http_deadline_ms,
                                     .lifetime_s = (uint64_t)config->http_idempotency_s,
                                     .book = self->book,
                                     .follows = config_follows(config)};
}

static fallible
start_scene_threads(supervisor_t *self, const struct config *config, store_t *store, unsigned shard)
{
    struct scene_threads *threads = &self->scenes[shard];
    char committer[MAILBOX_NAME_SIZE];
    snprintf(committer, sizeof committer, "committer.%u", shard);
    TRY(committer_create_fenced(store, committer, self->lanes, &threads->committer));
    const struct shard_settings settings = {
        .shard = shard,
        .shards = self->shards,
        .epoch = self->epoch,
        .memory = (size_t)config->scene_memory / self->shards,
        .needs_token = config->auth_enabled,
        .history = (uint32_t)config->events_history,
        .requests = request_settings_of(self, config),
        .locks_enforce = config->locks_enforce,
        .events_cascade = config->events_cascade,
        .atlas = self->atlas,
        .shown = self->shown.scenes[shard],
        .book = self->book,
        .require_sealed = config->udp_require_sealed,
        .intake = self->intake,
        .trusted_networks = config->udp_trusted_networks,
        .own_ports = {(uint16_t)self->udp_port},
    };
    return scene_actor_create(store, &settings, committer, &threads->actor);
}

// What of the memory of the library is for users.
static size_t
users_memory(const struct config *config)
{
    return (size_t)config->library_memory / 4;
}

static fallible
start_asset_threads(supervisor_t *supervisor, const struct config *config, store_t *store,
                    blobs_t *blobs)
{
    struct asset_threads *self = &supervisor->assets;
    const struct request_settings requests = request_settings_of(supervisor, config);
    static const char committer[] = "committer.asset";
    TRY(committer_create_fenced(store, committer, supervisor->lanes, &self->committer));
    return asset_actor_create(store, blobs, supervisor->book, supervisor->shown.library, committer,
                              (size_t)config->library_memory - users_memory(config), &requests,
                              &self->actor);
}

// At most half of the processors: guessing passwords must not stop everything else.
static unsigned
choose_passwords(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long threads = cores > 3 ? cores / 2 : 1;
    return (unsigned)(threads < MAX_PASSWORDS ? threads : MAX_PASSWORDS);
}

static fallible
start_user_threads(supervisor_t *supervisor, const struct config *config, store_t *store)
{
    static const char committer[] = "committer.user";
    struct user_threads *self = &supervisor->users;
    const struct user_settings settings = {
        .config = config,
        .sessions = self->sessions = sessions_create(),
        .committer = committer,
        .memory = users_memory(config),
        .shards = supervisor->shards,
        .epoch = supervisor->epoch,
        .book = supervisor->book,
        .passwords = choose_passwords(),
        .requests = request_settings_of(supervisor, config),
    };
    TRY(committer_create_fenced(store, committer, supervisor->lanes, &self->committer));
    return user_actor_create(store, &settings, &self->actor);
}

// The sessions are freed last, when nobody reads them any more.
static void
stop_user_threads(struct user_threads *self, mailbox_t *from)
{
    user_actor_destroy(&self->actor, from);
    committer_destroy(&self->committer, from);
    sessions_destroy(&self->sessions);
}

static fallible
await(supervisor_t *self, const char *name, uint64_t deadline_ms)
{
    struct message *ping = message_create(PING);
    uint64_t id = ping->id = ++self->pings;
    enum error error = mailbox_send(self->mailbox, name, &ping);
    message_destroy(&ping);
    if (error != OK)
        return error;
    // The answer to an earlier ping may come late: it is not this one.
    for (bool is_answered = false; !is_answered;) {
        int left_ms = clock_left_ms(deadline_ms);
        struct message *answer =
            mailbox_receive(self->mailbox, left_ms < LOOK_MS ? left_ms : LOOK_MS);
        is_answered = answer && answer->id == id;
        if (!answer && self->must_end())
            return fail(ERR_UNAVAILABLE, "", "told to end while %s was busy", name);
        if (!answer && left_ms == 0)
            return fail(ERR_UNAVAILABLE, "", "%s does not answer", name);
        message_destroy(&answer);
    }
    return OK;
}

static fallible
await_scenes(supervisor_t *self, uint64_t deadline_ms)
{
    for (unsigned i = 0; i < self->shards; i++) {
        char name[MAILBOX_NAME_SIZE];
        mailbox_shard_name(i, name);
        TRY(await(self, name, deadline_ms));
    }
    return OK;
}

// Leases that were stored run anew from here.
static fallible
begin_leases(supervisor_t *self)
{
    for (unsigned i = 0; i < self->shards; i++) {
        char name[MAILBOX_NAME_SIZE];
        struct message *message = message_create(LEASES_BEGIN);
        mailbox_shard_name(i, name);
        enum error error = mailbox_send(self->mailbox, name, &message);
        message_destroy(&message);
        TRY(error);
    }
    return OK;
}

// The solver answers once it has solved what the scene actors told it. Where that takes long,
// clients are answered without, and told of the solution when it is there.
static fallible
await_solution(supervisor_t *self)
{
    enum error error =
        await(self, actor_mailbox(SOLVER_ACTOR), clock_deadline_ms(SOLUTION_WITHIN_MS));
    if (error != OK && self->must_end())
        return error;
    if (error != OK)
        log_warning("alignment_late", "waited_ms=%d", SOLUTION_WITHIN_MS);
    solver_actor_serve(self->solver);
    return OK;
}

bool
supervisor_is_answering(supervisor_t *self, uint64_t within_ms)
{
    return await_scenes(self, clock_deadline_ms(within_ms)) == OK;
}

static fallible
start_solver(supervisor_t *self, const struct config *config)
{
    self->atlas = atlas_create();
    const struct solver_settings settings = {
        .atlas = self->atlas,
        .shards = self->shards,
        .start = self->epoch,
        .confirm_users = config->auth_enabled ? (uint32_t)config->alignment_confirm_users : 0,
        .half_lives = config->alignment_half_life};
    TRY(relation_actor_create(self->atlas, &self->relations));
    return solver_actor_create(&settings, &self->solver);
}

static fallible
claim_lanes(supervisor_t *self, store_t *store)
{
    const struct lane_family families[] = {{scene_actor_indexes().family, self->shards},
                                           {asset_actor_indexes().family, 1},
                                           {user_actor_indexes().family, 1}};
    return lane_claim(store, families, sizeof families / sizeof families[0], &self->lanes);
}

// Each table has the same part of the memory.
static void
make_shown(supervisor_t *self, const struct config *config)
{
    size_t memory = (size_t)config->shown_memory / (self->shards + 1);
    self->shown = (struct shown_tables){.epoch = self->epoch,
                                        .shards = self->shards,
                                        .scenes = self->shown_scenes,
                                        .library = shown_create(memory)};
    for (unsigned i = 0; i < self->shards; i++)
        self->shown.scenes[i] = shown_create(memory);
}

// When nobody reads them any more, and nobody changes them.
static void
end_shown(supervisor_t *self)
{
    shown_destroy(&self->shown.library);
    for (unsigned i = 0; i < self->shards; i++)
        shown_destroy(&self->shown_scenes[i]);
}

static fallible
start_follower(supervisor_t *self, const struct config *config,
               const struct supervisor_surroundings *around)
{
    const struct follower_settings settings = {.config = config,
                                               .place = around->followed,
                                               .store = around->store,
                                               .blobs = around->blobs,
                                               .shards = self->shards,
                                               .restart = around->restart};
    return follower_create(&settings, &self->follower);
}

static fallible
start_all(supervisor_t *self, const struct config *config,
          const struct supervisor_surroundings *around)
{
    store_t *store = around->store;
    blobs_t *blobs = around->blobs;
    TRY(mailbox_create("supervisor", true, &self->mailbox));
    TRY(log_shipper_create(config, store, blobs, &self->shipper));
    TRY(audit_actor_create(config, &self->audit));
    TRY(udp_open(config, &self->udp_socket, &self->udp_port));
    TRY(claim_lanes(self, store));
    char lineage[BACKUP_LINEAGE_SIZE];
    backup_lineage(config->data_dir, lineage);
    TRY(streamer_next_epoch(store, lineage, &self->timeline, &self->epoch));
    TRY(log_server_create(config, store, blobs, &self->timeline, &self->leader));
    self->intake = sealed_intake_create();
    make_shown(self, config);
    TRY(streamer_create(config, self->udp_socket, self->epoch, self->intake, &self->streamer));
    TRY(start_asset_threads(self, config, store, blobs));
    TRY(start_user_threads(self, config, store));
    TRY(start_solver(self, config));
    for (unsigned i = 0; i < self->shards; i++)
        TRY(start_scene_threads(self, config, store, i));
    // A scene actor answers once it has told the streamer and the solver what it knows.
    TRY(await_scenes(self, clock_deadline_ms(PING_WITHIN_MS)));
    TRY(await_solution(self));
    if (config_follows(config))
        TRY(start_follower(self, config, around));
    else
        TRY(begin_leases(self));
    TRY(backup_actor_create(config, store, blobs, self->shipper, self->follower, self->epoch,
                            &self->backups));
    const struct udp_receiver_settings receiving = {.shards = self->shards,
                                                    .follows = config_follows(config),
                                                    .needs_token = config->auth_enabled,
                                                    .require_sealed = config->udp_require_sealed,
                                                    .intake = self->intake};
    TRY(udp_receiver_create(self->udp_socket, &receiving, &self->receiver));
    return config_follows(config) ? OK
                                  : track_receiver_create(config, self->shards, &self->tracker);
}

fallible
supervisor_start(const struct config *config, const struct supervisor_surroundings *surroundings,
                 supervisor_t **ret_supervisor)
{
    supervisor_t *self = calloc(1, sizeof *self);
    if (!self)
        abort();
    self->must_end = surroundings->must_end;
    self->udp_socket = -1;
    self->book = surroundings->book;
    self->shards = choose_shards(config);
    enum error error = start_all(self, config, surroundings);
    if (error != OK)
        supervisor_stop(&self);
    else
        *ret_supervisor = self;
    return error;
}

void
supervisor_stop(supervisor_t **self)
{
    supervisor_t *supervisor = *self;
    if (!supervisor)
        return;
    track_receiver_destroy(&supervisor->tracker);
    udp_receiver_destroy(&supervisor->receiver);
    backup_actor_destroy(&supervisor->backups, supervisor->mailbox); // it may ask the follower
    follower_destroy(&supervisor->follower);
    for (unsigned i = 0; i < supervisor->shards; i++) {
        struct scene_threads *threads = &supervisor->scenes[i];
        scene_actor_destroy(&threads->actor, supervisor->mailbox);
        committer_destroy(&threads->committer, supervisor->mailbox);
    }
    solver_actor_destroy(&supervisor->solver, supervisor->mailbox);
    relation_actor_destroy(&supervisor->relations, supervisor->mailbox);
    stop_user_threads(&supervisor->users, supervisor->mailbox);
    asset_actor_destroy(&supervisor->assets.actor, supervisor->mailbox);
    committer_destroy(&supervisor->assets.committer, supervisor->mailbox);
    streamer_destroy(&supervisor->streamer, supervisor->mailbox);
    audit_actor_destroy(&supervisor->audit, supervisor->mailbox);
    log_server_destroy(&supervisor->leader);
    log_shipper_destroy(&supervisor->shipper); // what the actors committed last is in the log too
    atlas_destroy(&supervisor->atlas);
    end_shown(supervisor);
    sealed_intake_destroy(&supervisor->intake);
    mailbox_destroy(&supervisor->mailbox);
    if (supervisor->udp_socket >= 0)
        close(supervisor->udp_socket);
    free(supervisor);
    *self = NULL;
}

unsigned
supervisor_shards(const supervisor_t *self)
{
    return self->shards;
}

int
supervisor_udp_port(const supervisor_t *self)
{
    return self->udp_port;
}

uint64_t
supervisor_epoch(const supervisor_t *self)
{
    return self->epoch;
}

const sessions_t *
supervisor_sessions(const supervisor_t *self)
{
    return self->users.sessions;
}

const struct shown_tables *
supervisor_shown(const supervisor_t *self)
{
    return &self->shown;
}

const char *
supervisor_replica_endpoint(const supervisor_t *self)
{
    return log_server_endpoint(self->leader);
}

// metrics.h - what the server counts and measures, as one table; its rows become /metrics
// (Prometheus text). Any thread adds. Numbers live in *cells*: a row has one, or as many as its
// shape says. All cells stand in several stripes; a thread adds to its own, so that threads do not
// fight for a cache line, and who reads sums the stripes up.
#ifndef DIORAMA_PROTO_MESSAGE_METRICS_H
#define DIORAMA_PROTO_MESSAGE_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "proto/base/buffer.h"
#include "proto/budget/budgets.h"
#include "proto/message/operations.h"

enum {
    METRIC_BUCKETS = 16,                     // 15 bounds, and one for all beyond them
    METRIC_OPERATIONS = OPERATION_COUNT + 1, // the last place: no actor was asked
    METRIC_STATUSES = 4,                     // 2xx to 5xx
    METRIC_ACTORS = 320,                     // place 0 is nobody's; a shape too: one by actor
};

// Shapes of rows: how many cells each has.
enum {
    METRIC_ONE = 1,
    METRIC_ANSWERS = METRIC_OPERATIONS * METRIC_STATUSES, // one by operation and status
    METRIC_TIME = METRIC_BUCKETS + 1, // histogram of microseconds, shown in seconds, and their sum
    METRIC_TIMES = METRIC_OPERATIONS * METRIC_TIME,   // one by operation
    METRIC_ACTOR_TIMES = METRIC_ACTORS * METRIC_TIME, // one by actor
    METRIC_SIZE = METRIC_BUCKETS + 1,                 // histogram of counts
    METRIC_BUDGETS = BUDGET_COUNT,                    // one by budget
};

// Kind, name, shape, metric, label, sentence. Rows of one metric are neighbours; the first one has
// the sentence.
// clang-format off
#define METRICS(X)                                                                                                                                                      \
    X(COUNT,     HTTP_REQUESTS,     ANSWERS, "diorama_http_requests_total",           "",                       "Requests answered, by what they asked for.")           \
    X(HISTOGRAM, HTTP_TIME,         TIMES,   "diorama_http_request_duration_seconds", "",                       "From the request's header to the end of its answer.")  \
    X(GAUGE,     HTTP_CONNECTIONS,  ONE,     "diorama_http_connections",              "",                       "Connections that a worker holds.")                     \
    X(GAUGE,     HTTP_STREAMS,      ONE,     "diorama_http_streams",                  "",                       "Streams of events.")                                   \
    X(GAUGE,     PARSE_BYTES,       ONE,     "diorama_http_parse_memory_bytes",       "",                       "Memory taken by bodies that arrive and are read, of http.parse_memory.")\
    X(COUNT,     STREAM_EVENTS,     ONE,     "diorama_stream_sent_events_total",      "",                       "Changes written to streams of events.")                \
    X(COUNT,     STREAM_BEHIND,     ONE,     "diorama_stream_snapshots_total",        "reason=\"behind\"",      "Streams that fell behind and got the state anew.")     \
    X(COUNT,     HTTP_CUT_LATE,     ONE,     "diorama_http_cut_connections_total",    "reason=\"late\"",        "Connections ended for being slow: late, or slowest while workers were short.")\
    X(COUNT,     HTTP_CUT_CROWDED,  ONE,     "diorama_http_cut_connections_total",    "reason=\"crowded\"",     "")                                                     \
    X(COUNT,     LATE_REPLIES,      ONE,     "diorama_http_late_replies_total",       "",                       "Answers of actors that came after their deadline.")    \
    X(GAUGE,     ACTOR_QUEUE,       ACTORS,  "diorama_actor_queued_messages",         "",                       "Messages that wait in an actor's mailbox.")            \
    X(HISTOGRAM, TURN_CPU,          ACTOR_TIMES, "diorama_turn_seconds",              "clock=\"cpu\"",          "How long the turns of an actor take: of the processor, and as time passes.")\
    X(HISTOGRAM, TURN_WALL,         ACTOR_TIMES, "diorama_turn_seconds",              "clock=\"wall\"",         "")                                                     \
    X(COUNT,     COMMITS,           ONE,     "diorama_store_commits_total",           "result=\"ok\"",          "Batches by outcome.")                                  \
    X(COUNT,     COMMITS_FAILED,    ONE,     "diorama_store_commits_total",           "result=\"failed\"",      "")                                                     \
    X(HISTOGRAM, COMMIT_TIME,       TIME,    "diorama_store_commit_duration_seconds", "",                       "How long the store took for a batch, its retries included.")\
    X(HISTOGRAM, COMMIT_WRITES,     SIZE,    "diorama_store_commit_writes",           "",                       "Records written and deleted by a batch.")              \
    X(COUNT,     STORE_CONFLICT,    ONE,     "diorama_store_errors_total",            "result=\"conflict\"",    "Calls of the store that failed.")                      \
    X(COUNT,     STORE_UNAVAILABLE, ONE,     "diorama_store_errors_total",            "result=\"unavailable\"", "")                                                     \
    X(COUNT,     STORE_UNKNOWN,     ONE,     "diorama_store_errors_total",            "result=\"unknown\"",     "")                                                     \
    X(COUNT,     STORE_FULL,        ONE,     "diorama_store_errors_total",            "result=\"full\"",        "")                                                     \
    X(COUNT,     STORE_LIMIT,       ONE,     "diorama_store_errors_total",            "result=\"limit\"",       "")                                                     \
    X(COUNT,     STORE_BAD,         ONE,     "diorama_store_errors_total",            "result=\"bad\"",         "")                                                     \
    X(GAUGE,     STORE_READ_ONLY,   ONE,     "diorama_store_read_only",               "",                       "1 while the disk has too little room for writes.")     \
    X(GAUGE,     STORE_MEMTABLES,   ONE,     "diorama_store_memory_bytes",            "kind=\"memtables\"",     "Memory of the store: writes that are in no table file yet, blocks of such files, open files.")\
    X(GAUGE,     STORE_BLOCK_CACHE, ONE,     "diorama_store_memory_bytes",            "kind=\"block_cache\"",   "")                                                     \
    X(GAUGE,     STORE_TABLES,      ONE,     "diorama_store_memory_bytes",            "kind=\"tables\"",        "")                                                     \
    X(GAUGE,     SCENES,            ONE,     "diorama_scenes",                        "",                       "Scenes that there are.")                               \
    X(GAUGE,     SCENES_LOADED,     ONE,     "diorama_scenes_loaded",                 "",                       "Scenes whose objects are in memory or on their way there.")\
    X(GAUGE,     DEVICES,           ONE,     "diorama_devices",                       "",                       "Registrations of devices, over all scenes.")           \
    X(GAUGE,     OBJECTS_LOADED,    ONE,     "diorama_objects_loaded",                "",                       "Objects in memory.")                                   \
    X(GAUGE,     PROPERTIES_LOADED, ONE,     "diorama_properties_loaded",             "",                       "Properties in memory.")                                \
    X(COUNT,     LOADS_WHOLE,       ONE,     "diorama_scene_loads_total",             "result=\"whole\"",       "Times that the objects of a scene were read into memory: all of them, or (given_up) not, as memory does not hold them, or nobody needed the rest.") \
    X(COUNT,     LOADS_GIVEN_UP,    ONE,     "diorama_scene_loads_total",             "result=\"given_up\"",    "") \
    X(GAUGE,     SCENE_BYTES,       ONE,     "diorama_scene_memory_bytes",            "",                       "Memory of the objects of loaded scenes.")              \
    X(GAUGE,     RECORDS_SCENES,    ONE,     "diorama_record_memory_bytes",           "kind=\"scenes\"",        "Memory of records that are there from the start, with all that finds them, about: of scenes, whether they are loaded or not; of the library, which has none; of sessions and limits of users.") \
    X(GAUGE,     RECORDS_LIBRARY,   ONE,     "diorama_record_memory_bytes",           "kind=\"library\"",       "")                                                     \
    X(GAUGE,     RECORDS_USERS,     ONE,     "diorama_record_memory_bytes",           "kind=\"users\"",         "")                                                     \
    X(GAUGE,     LIBRARY_BYTES,     ONE,     "diorama_library_memory_bytes",          "",                       "Memory of assets, collections, projects, relationships, histories, users and device keys that are kept for the next who asks.") \
    X(GAUGE,     SHOWN_BYTES,       ONE,     "diorama_shown_memory_bytes",            "",                       "Memory of records that are answered without asking their actor.") \
    X(COUNT,     SHOWN_HIT,         ONE,     "diorama_shown_reads_total",             "result=\"hit\"",         "Reads of one record: answered without asking its actor, or (miss) by it.") \
    X(COUNT,     SHOWN_MISS,        ONE,     "diorama_shown_reads_total",             "result=\"miss\"",        "") \
    X(GAUGE,     CORRECTIONS,       ONE,     "diorama_alignment_corrections",         "",                       "Corrections that devices sent, superseded ones too.")  \
    X(GAUGE,     UNSOLVED,          ONE,     "diorama_alignment_unsolved_changes",    "",                       "Corrections that came, changed or went and that no solution has yet.")\
    X(GAUGE,     CONTRARY,          ONE,     "diorama_alignment_contradicted_components", "",                    "Groups of connected scenes a fifth or more of whose evidence disagrees with the rest.")\
    X(HISTOGRAM, FOLLOW_TIME,       TIME,    "diorama_follow_delay_seconds",          "",                       "From a commit of the leader until a follower shows it, by the clocks of both.")\
    X(GAUGE,     FOLLOW_REACHED,    ONE,     "diorama_follow_reached_timestamp_seconds", "",                    "When a follower had all that its leader had, in seconds since 1970; 0 of a server that leads.") \
    X(GAUGE,     FOLLOW_BEHIND,     ONE,     "diorama_follow_behind_writes",          "",                       "Writes of the leader that a follower does not have yet.") \
    X(HISTOGRAM, ALIGNMENT_LAG,     TIME,    "diorama_alignment_lag_seconds",         "",                       "How old the oldest change of the corrections was when its solution was there.")\
    X(HISTOGRAM, SOLVE_TIME,        TIME,    "diorama_alignment_solve_duration_seconds", "",                    "How long the solver took.")                            \
    X(COUNT,     EVENTS,            ONE,     "diorama_events_total",                  "",                       "Changes of scenes, as they are numbered.")             \
    X(COUNT,     EVENTS_DROPPED,    ONE,     "diorama_events_dropped_total",          "",                       "Events that the streamer's full queue refused.")       \
    X(COUNT,     UDP_IN,            ONE,     "diorama_udp_received_datagrams_total",  "",                       "Datagrams received.")                                  \
    X(COUNT,     UDP_IN_APPLIED,    ONE,     "diorama_udp_applied_updates_total",     "",                       "Updates by UDP that changed something.")               \
    X(COUNT,     UDP_DROP_SIZE,     ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"too_large\"",   "Datagrams that changed nothing, by reason.")           \
    X(COUNT,     UDP_DROP_JSON,     ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"malformed\"",   "")                                                     \
    X(COUNT,     UDP_DROP_TYPE,     ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"msg_type\"",    "")                                                     \
    X(COUNT,     UDP_DROP_VALUE,    ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"invalid\"",     "")                                                     \
    X(COUNT,     UDP_DROP_KEY,      ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"key\"",         "")                                                     \
    X(COUNT,     UDP_DROP_UNKNOWN,  ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"unknown\"",     "")                                                     \
    X(COUNT,     UDP_DROP_LOCKED,   ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"locked\"",      "")                                                     \
    X(COUNT,     UDP_DROP_FENCE,    ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"fence\"",       "")                                                     \
    X(COUNT,     UDP_DROP_TOKEN,    ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"token\"",       "")                                                     \
    X(COUNT,     UDP_DROP_FORGED,   ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"forged\"",      "")                                                     \
    X(COUNT,     UDP_DROP_REPLAYED, ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"replayed\"",    "")                                                     \
    X(COUNT,     UDP_DROP_SESSION,  ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"session\"",     "")                                                     \
    X(COUNT,     UDP_DROP_UNSEALED, ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"unsealed\"",    "")                                                     \
    X(COUNT,     UDP_DROP_PROOF,    ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"proof\"",       "")                                                     \
    X(COUNT,     UDP_DROP_BUSY,     ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"busy\"",        "")                                                     \
    X(COUNT,     UDP_DROP_FOLLOWER, ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"follower\"",    "")                                                     \
    X(COUNT,     UDP_DROP_LEASE,    ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"lease\"",       "")                                                     \
    X(COUNT,     UDP_DROP_BUDGET,   ONE,     "diorama_udp_dropped_datagrams_total",   "reason=\"budget\"",      "")                                                     \
    X(COUNT,     UDP_DROP_SUPERSEDED, ONE,   "diorama_udp_dropped_datagrams_total",   "reason=\"superseded\"",  "")                                                     \
    X(COUNT,     TRACK_IN,          ONE,     "diorama_track_received_datagrams_total", "",                      "Datagrams received of tracked cameras.")               \
    X(COUNT,     TRACK_SAMPLES,     ONE,     "diorama_track_samples_total",           "",                       "Samples of tracked cameras that went to their objects.") \
    X(COUNT,     TRACK_DROP_SENDER, ONE,     "diorama_track_dropped_total",           "reason=\"sender\"",      "Datagrams and samples of tracked cameras that changed nothing, by reason.") \
    X(COUNT,     TRACK_DROP_HEADER, ONE,     "diorama_track_dropped_total",           "reason=\"header\"",      "")                                                     \
    X(COUNT,     TRACK_DROP_LEASE,  ONE,     "diorama_track_dropped_total",           "reason=\"lease\"",       "")                                                     \
    X(COUNT,     TRACK_DROP_CHECKSUM, ONE,   "diorama_track_dropped_total",           "reason=\"checksum\"",    "")                                                     \
    X(COUNT,     TRACK_DROP_SEGMENT, ONE,    "diorama_track_dropped_total",           "reason=\"segment\"",     "")                                                     \
    X(COUNT,     TRACK_DROP_LATE,   ONE,     "diorama_track_dropped_total",           "reason=\"late\"",        "")                                                     \
    X(COUNT,     TRACK_DROP_INCOMPLETE, ONE, "diorama_track_dropped_total",           "reason=\"incomplete\"",  "")                                                     \
    X(COUNT,     TRACK_DROP_MALFORMED, ONE,  "diorama_track_dropped_total",           "reason=\"malformed\"",   "")                                                     \
    X(COUNT,     TRACK_DROP_INVALID, ONE,    "diorama_track_dropped_total",           "reason=\"invalid\"",     "")                                                     \
    X(COUNT,     TRACK_DROP_SCALE,  ONE,     "diorama_track_dropped_total",           "reason=\"scale\"",       "")                                                     \
    X(COUNT,     UDP_CHALLENGES,    ONE,     "diorama_udp_challenges_total",          "",                       "Challenges sent to addresses of devices.")             \
    X(COUNT,     UDP_OUT,           ONE,     "diorama_udp_sent_datagrams_total",      "form=\"plain\"",         "Datagrams of events given to the kernel, by their form.")\
    X(COUNT,     UDP_OUT_PACKED,    ONE,     "diorama_udp_sent_datagrams_total",      "form=\"packed\"",        "")                                                  \
    X(COUNT,     UDP_OUT_SEALED,    ONE,     "diorama_udp_sent_datagrams_total",      "form=\"sealed\"",        "")                                                  \
    X(COUNT,     UDP_OUT_TRACK,     ONE,     "diorama_udp_sent_datagrams_total",      "form=\"opentrackio\"",   "")                                                  \
    X(COUNT,     UDP_OUT_FAILED,    ONE,     "diorama_udp_send_failures_total",       "",                       "Datagrams that the kernel refused.")                   \
    X(COUNT,     UDP_SUPERSEDED,    ONE,     "diorama_udp_superseded_events_total",   "",                       "Events replaced by newer ones before they were sent.") \
    X(COUNT,     UDP_ASKED_SENT,    ONE,     "diorama_udp_asked_total",               "answer=\"sent\"",        "Times that a device asked for what it missed, by the answer.")\
    X(COUNT,     UDP_ASKED_OLD,     ONE,     "diorama_udp_asked_total",               "answer=\"too_old\"",     "")                                                     \
    X(COUNT,     UDP_ASKED_BUSY,    ONE,     "diorama_udp_asked_total",               "answer=\"busy\"",        "")                                                     \
    X(COUNT,     UDP_BEHIND,        ONE,     "diorama_udp_behind_total",              "",                       "Times that a device was over its rate and got missed events merged.")\
    X(COUNT,     UDP_PAUSES,        ONE,     "diorama_udp_pauses_total",              "",                       "Receivers that were paused: nobody is there.")      \
    X(GAUGE,     PUB_SUBSCRIBERS,   ONE,     "diorama_pub_subscribers",               "",                       "Connections to the endpoint of PUB.")                  \
    X(COUNT,     PUB_REFUSED,       ONE,     "diorama_pub_refused_connections_total", "",                       "Connections to PUB with a key that is not known.")     \
    X(COUNT,     PUB_SENT,          ONE,     "diorama_pub_sent_messages_total",       "",                       "Events published.")                                    \
    X(COUNT,     PUB_DROPPED,       ONE,     "diorama_pub_dropped_messages_total",    "",                       "Events that could not be published.")                  \
    X(GAUGE,     FOXGLOVE_VIEWERS,  ONE,     "diorama_foxglove_viewers",              "",                       "Connections to foxglove.port.")                        \
    X(COUNT,     FOXGLOVE_MESSAGES, ONE,     "diorama_foxglove_sent_messages_total",  "",                       "Messages written to channels of viewers.")             \
    X(COUNT,     FOXGLOVE_SLOW,     ONE,     "diorama_foxglove_behind_total",         "",                       "Times that a viewer was told that it reads too slowly for every state.")\
    X(GAUGE,     BUDGET_LIMIT,      BUDGETS, "diorama_budget_limit",                  "",                       "What one user, or address without users, may have; 0 = no limit.")\
    X(GAUGE,     BUDGET_HELD,       BUDGETS, "diorama_budget_held",                   "",                       "What all who count towards a budget have of it together.")\
    X(COUNT,     BUDGET_REFUSED,    BUDGETS, "diorama_budget_refused_total",          "",                       "Requests that were refused because a budget was used up.") \
    X(COUNT,     AUDIT_LINES,       ONE,     "diorama_audit_lines_total",             "",                       "Lines written to the audit log.")                      \
    X(COUNT,     BACKUPS,           ONE,     "diorama_backups_total",                 "outcome=\"done\"",       "Backups that were made, or failed.")                   \
    X(COUNT,     BACKUPS_FAILED,    ONE,     "diorama_backups_total",                 "outcome=\"failed\"",     "")                                                     \
    X(COUNT,     LOG_COMMITS,       ONE,     "diorama_backup_log_commits_total",      "",                       "Commits that were written to backup.log.")             \
    X(COUNT,     LOG_GAPS,          ONE,     "diorama_backup_log_gaps_total",         "",                       "Times that backup.log had to begin anew: commits before are not in it.") \
    X(GAUGE,     LOG_FAILING,       ONE,     "diorama_backup_log_failing",            "",                       "1 while backup.log cannot be written.")                \
    X(GAUGE,     REPLICA_FOLLOWERS, ONE,     "diorama_replica_followers",             "",                       "Followers that asked for something within ten seconds.") \
    X(COUNT,     REPLICA_SENT,      ONE,     "diorama_replica_sent_bytes_total",      "",                       "Bytes of answers to followers.")                       \
    X(GAUGE,     IN_CHARGE,         ONE,     "diorama_in_charge",                     "",                       "1 while this server is in charge of a database that others reach; 0 while it stands by, and of one without a database.") \
    X(COUNT,     TAKEOVERS,         ONE,     "diorama_takeovers_total",               "",                       "Times that this process took charge of a database.")   \
    X(COUNT,     BEATS,             ONE,     "diorama_beats_total",                   "result=\"ok\"",          "Beats, by which those who stand by see that this server is in charge.") \
    X(COUNT,     BEATS_FAILED,      ONE,     "diorama_beats_total",                   "result=\"failed\"",      "")                                                     \
    X(COUNT,     LEASE_REFUSED,     ONE,     "diorama_lease_refused_answers_total",   "",                       "Answers that were held back, as another server may have been in charge.") \
    X(COUNT,     LEASE_ENDED,       ONE,     "diorama_lease_ended_streams_total",     "",                       "Streams of events, viewers among them, that ended as the server was cut off from its database for too long.") \
    X(COUNT,     AUDIT_LOST,        ONE,     "diorama_audit_lost_events_total",       "",                       "Events that the audit log lacks: its queue was full.")
// clang-format on

// The first cell of each row: COUNT_…, GAUGE_…, HISTOGRAM_….
enum metric_cell {
#define X(kind, name, shape, ...)                                                                  \
    kind##_##name, kind##_##name##_END = kind##_##name + METRIC_##shape - 1,
    METRICS(X)
#undef X
        METRIC_CELLS
};

// The cells of this thread, NULL until it has chosen its stripe.
extern _Thread_local _Atomic uint64_t *metric_stripe;
_Atomic uint64_t *metric_stripe_choose(void);

static inline void
metric_add(unsigned cell, uint64_t more)
{
    _Atomic uint64_t *stripe = metric_stripe ? metric_stripe : metric_stripe_choose();
    atomic_fetch_add_explicit(&stripe[cell], more, memory_order_relaxed);
}

static inline void
counter_add(enum metric_cell counter, uint64_t more)
{
    metric_add(counter, more);
}

// The number of a cell, over all threads.
uint64_t counter_get(unsigned cell);

// A gauge is the sum of all raises and lowerings, on any threads.
static inline void
gauge_add(unsigned gauge, int64_t more)
{
    metric_add(gauge, (uint64_t)more);
}

// Raises or lowers a gauge by the change since the caller last told its value.
static inline void
gauge_follow(enum metric_cell gauge, uint64_t *told, uint64_t now)
{
    if (*told == now)
        return;
    metric_add(gauge, now - *told);
    *told = now;
}

// Counts a value in a row of shape TIME, or SIZE.
void time_observe(enum metric_cell histogram, uint64_t time_us);
void size_observe(enum metric_cell histogram, uint64_t size);

// Counts a time in a row of shape ACTOR_TIMES, at the actor's place (metric_actor).
void actor_time_observe(enum metric_cell histogram, unsigned actor, uint64_t time_us);

// Counts an answer: `operation` may be OPERATION_COUNT.
void answer_observe(unsigned operation, int status, uint64_t time_us);

// The place of an actor on its axis, always the same for one name; 0, which is not shown, if all
// places are taken.
unsigned metric_actor(const char *name);

// The time in seconds below which this share of the observations lies, of a histogram of times
// whose buckets have these counts; inside a bucket they are taken to lie evenly, and what is beyond
// the last bound, 10 s, at it. NAN: there is none.
double time_quantile(const uint64_t counts[METRIC_BUCKETS], double share);

// Prometheus text of all rows.
void metrics_print(struct buffer *out);

#endif

// api.h - what programs call of the C client (diorama.h).
#ifndef DIORAMA_H
#define DIORAMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- errors ---

// What went wrong last. `status` 0: no answer came, or it is no matter of HTTP. `pointer` says
// where in the body of the request; `request_id` finds it in the server's log.
struct diorama_error {
    int status, err_code;
    char title[128], detail[256], pointer[192], request_id[64];
};

// --- HTTP, if it is not libcurl's ---

struct diorama_request {
    const char *method, *url;
    const char *const *headers; // "Name: value", NULL behind the last
    const char *body;           // NULL: none
    size_t body_size;
};

// `body` is malloc'ed and ends with NUL behind `size` bytes; the caller frees it.
struct diorama_answer {
    int status, retry_after_s;
    char *body;
    size_t size;
};

// Sends a request and waits for its answer, 30 s at most. False: no answer came.
typedef bool diorama_http(void *context, const struct diorama_request *request,
                          struct diorama_answer *ret_answer);

// --- joining ---

enum diorama_form { DIORAMA_PACKED, DIORAMA_PLAIN };

// All zero is a good choice.
struct diorama_options {
    const char *device; // key of this device; NULL: drawn
    enum diorama_form form;
    int rate;               // datagrams a second, 1 to 240; 0: 60
    const char *convention; // axes; NULL: those of glTF
    const char *token;      // of a login; NULL: none
    diorama_http *http;     // NULL: libcurl
    void *http_context;
    bool must_exist;             // the scene is not made
    struct diorama_error *error; // told why diorama_join fails; NULL: nobody is
};

struct diorama;

// Registers, reads the scene (making it if it is not there), and listens. NULL: it failed.
struct diorama *diorama_join(const char *url, const char *scene,
                             const struct diorama_options *options);

// Leaves the scene. Accepts NULL.
void diorama_leave(struct diorama **self);

// Why a function returned false.
const struct diorama_error *diorama_last_error(const struct diorama *self);

// --- what happens ---

enum diorama_kind {
    DIORAMA_NOTHING, // the wait is over
    DIORAMA_CREATED, // also told of all that is there at first
    DIORAMA_MOVED,   // its transform, and nothing else
    DIORAMA_UPDATED,
    DIORAMA_DELETED,
    DIORAMA_STATE, // `state` is another one
};

enum diorama_state {
    DIORAMA_CATCHING_UP,
    DIORAMA_LIVE,
    DIORAMA_RECONNECTING,
    DIORAMA_SIGNED_OUT, // 401, 403: diorama_next returns false behind it
    DIORAMA_GONE,       // 404: the same
};

// Members in bits; diorama_member_name names them.
enum {
    DIORAMA_NAME = 1 << 0,
    DIORAMA_SCENE = 1 << 1,
    DIORAMA_PARENT = 1 << 2,
    DIORAMA_ASSET_SUB_ID = 1 << 3,
    DIORAMA_TYPE = 1 << 4,
    DIORAMA_SUBTYPE = 1 << 5,
    DIORAMA_OWNER = 1 << 6,
    DIORAMA_FRAME = 1 << 7,
    DIORAMA_TIMESTAMP = 1 << 8,
    DIORAMA_TRANSFORM = 1 << 9,
    DIORAMA_ASSETS = 1 << 10,
    DIORAMA_ACTIONS = 1 << 11,
    DIORAMA_VALUES = 1 << 12,
    DIORAMA_TAGS = 1 << 13,
    DIORAMA_EXTRAS = 1 << 14,
    DIORAMA_VISIBLE = 1 << 15,
    DIORAMA_MEMBERS = 16 // how many
};

// Everything is valid until the next call with the same `struct diorama`.
struct diorama_event {
    enum diorama_kind kind;
    enum diorama_state state;
    const char *key;
    bool is_property;
    const double *transform; // 16 numbers, row-major
    unsigned members;        // that are another now than before
    uint64_t prev, seq;      // of the event
};

// What happens next, waiting `wait_ms` at most. False: the scene is gone, or the user signed out.
bool diorama_next(struct diorama *self, struct diorama_event *ret_event, int wait_ms);

enum diorama_state diorama_state(const struct diorama *self);
// How many holes there were, and how often the state had to be read.
unsigned diorama_gaps(const struct diorama *self);
unsigned diorama_reads(const struct diorama *self);

// Walks the keys of what is there: NULL begins, and comes back behind the last.
const char *diorama_each(const struct diorama *self, const char *key);
// A member as JSON; NULL: it is not there. `member` is one bit.
const char *diorama_member(const struct diorama *self, const char *key, unsigned member);
const char *diorama_member_name(unsigned member);

// Where it is to be drawn now: one interval late, between its last two poses. False: there is none.
bool diorama_pose(const struct diorama *self, const char *key, double ret_matrix[16]);

// --- writing ---

// By UDP: newest wins, may be lost. `members` is JSON without braces: "\"name\":\"lamp\"".
bool diorama_send_transform(struct diorama *self, const char *key, const double matrix[16]);
bool diorama_send(struct diorama *self, const char *key, const char *members);

// By HTTP, on disk when they return true. diorama_create writes the new key. What diorama_save
// wrote is what the members show then, and diorama_next tells it.
bool diorama_create(struct diorama *self, const char *members, char ret_key[129]);
bool diorama_save(struct diorama *self, const char *key, const char *members);
bool diorama_delete(struct diorama *self, const char *key);

// A lease of at least 1 s, renewed by diorama_next while it is held. Writes name its fence. Whether
// it is still held:
bool diorama_lock(struct diorama *self, const char *key, int lease_s, bool force);
bool diorama_holds(const struct diorama *self, const char *key);
bool diorama_unlock(struct diorama *self, const char *key);

// Any other request. `keyed`: a POST that creates or changes, which may be sent again with its
// Idempotency-Key. `ret_body` (malloc'ed JSON; may be NULL).
bool diorama_call(struct diorama *self, const char *method, const char *path, const char *body,
                  bool keyed, char **ret_body);

// --- bytes (golden packets: tests/golden) ---

// JSON and msgpack as a tree. Integers beyond 2^53 are rounded.
enum diorama_type {
    DIORAMA_NULL,
    DIORAMA_BOOL,
    DIORAMA_NUMBER,
    DIORAMA_TEXT,
    DIORAMA_BINARY,
    DIORAMA_ARRAY,
    DIORAMA_MAP
};

struct diorama_value {
    enum diorama_type type;
    size_t count; // bytes of texts and binary; items; members
    union {
        bool boolean;
        double number;
        const char *text; // NUL is behind it, and may be in it
        struct diorama_value *items;
        struct diorama_pair *pairs;
    } of;
};

struct diorama_pair {
    struct diorama_value name, value; // in msgpack a name may be a number
};

// What trees are made in. Embedded; all zero is empty; ends by diorama_arena_free.
struct diorama_arena {
    void *blocks;
    size_t used, room;
};
void diorama_arena_free(struct diorama_arena *self);

// False: it is malformed, or there is no memory.
bool diorama_read_json(struct diorama_arena *arena, const char *data, size_t size,
                       struct diorama_value *ret_value);
bool diorama_read_msgpack(struct diorama_arena *arena, const void *data, size_t size,
                          struct diorama_value *ret_value);
const struct diorama_value *diorama_find(const struct diorama_value *map, const char *name);

// A packed datagram. Changes are maps with msg_type, key and the members that were sent (null:
// removed), and truncated; transforms are 16 numbers. `refused_from` and `refusal` (0 too old, 1
// busy) if is_refusal.
struct diorama_packed {
    uint64_t epoch, prev, seq;
    struct diorama_value changes;
    bool is_refusal;
    uint64_t refused_from, refusal;
};
bool diorama_read_packed(struct diorama_arena *arena, const void *data, size_t size,
                         struct diorama_packed *ret_packed);

// Server-sent events: gives a line at a time, without its end; returns true when an event is
// complete. Pointers of the event are into `self`. Embedded; all zero begins; ends by
// diorama_sse_free.
struct diorama_sse {
    char *event, *id, *data;
    bool is_told;
};
bool diorama_sse_line(struct diorama_sse *self, const char *line, size_t size);
void diorama_sse_free(struct diorama_sse *self);

// Datagrams 60, 62 and 63; the size is returned. Room for 256 bytes.
size_t diorama_write_hello(char *out, const char *token);
size_t diorama_write_echo(char *out, const char *token, const char *challenge);
size_t diorama_write_ask(char *out, const char *token, uint64_t from, uint64_t to);

// Sealed datagrams: `key` is that of one direction (1: to the server, 2: to the device), `head` the
// 23 bytes before the content. False, 0: there is no libsodium, or the key did not seal it. A
// sealed datagram is 39 bytes longer.
bool diorama_seal_key(const char *seal_key, int direction, unsigned char ret_key[32]);
size_t diorama_seal(const unsigned char key[32], const unsigned char head[23], const void *content,
                    size_t size, unsigned char *out);
bool diorama_unseal(const unsigned char key[32], const void *datagram, size_t size,
                    unsigned char *out, size_t *ret_size);

#ifdef __cplusplus
}
#endif

#endif

// error.h - the one vocabulary of failure. Each row: name, err_code, HTTP status, slug of the
// problem type, sentence. A function that can fail for an outside reason returns `fallible` and is
// called with TRY. The detail of a failure (JSON Pointer and reason) is noted once, where it is
// noticed, in a thread-local `struct fault`. Whatever answers the request copies it from there.
#ifndef DIORAMA_PROTO_BASE_ERROR_H
#define DIORAMA_PROTO_BASE_ERROR_H

// clang-format off
#define ERRORS(X)                                                                                            \
    X(OK,                     100, 200, "none",                   "Success.")                                \
    X(ERR_INTERNAL,           101, 500, "internal",               "Internal error.")                         \
    X(ERR_NOT_FOUND,          102, 404, "not-found",              "Not found.")                              \
    X(ERR_MALFORMED,          110, 400, "malformed",              "The request is malformed.")               \
    X(ERR_TOO_SLOW,           110, 408, "too-slow",               "The request did not arrive in time.")     \
    X(ERR_INVALID,            111, 422, "invalid",                "A value is invalid.")                     \
    X(ERR_RANGE,              111, 416, "range",                  "The range cannot be satisfied.")          \
    X(ERR_UNAVAILABLE,        120, 503, "unavailable",            "Temporarily unavailable.")                \
    X(ERR_STORAGE_FULL,       120, 507, "storage-full",           "The store is full.")                      \
    X(ERR_MISSING,            122, 400, "missing",                "Required data is missing.")               \
    X(ERR_LOCKED,             123, 423, "locked",                 "Another device holds the lock.")          \
    X(ERR_CONFLICT,           124, 409, "conflict",               "The current state does not permit this.") \
    X(ERR_FOLLOWER,           125, 409, "follower",               "Changes go to the leader of this server.") \
    X(ERR_PRECONDITION,       124, 412, "precondition",           "A precondition failed.")                  \
    X(ERR_UNAUTHENTICATED,    130, 401, "unauthenticated",        "Authentication is required.")             \
    X(ERR_FORBIDDEN,          131, 403, "forbidden",              "This user is not permitted to do that.")  \
    X(ERR_THROTTLED,          132, 429, "throttled",              "Too many requests.")                      \
    X(ERR_OVER_BUDGET,        132, 429, "budget",                 "This user has too much at the same time.") \
    X(ERR_OVER_STORED_BUDGET, 120, 507, "budget",                 "This user has stored too much.")          \
    X(ERR_TOO_LARGE,          140, 413, "too-large",              "The request is too large.")               \
    X(ERR_URI_TOO_LONG,       140, 414, "uri-too-long",           "The URI is too long.")                    \
    X(ERR_HEADERS_TOO_LARGE,  140, 431, "headers-too-large",      "The header is too large.")                \
    X(ERR_METHOD,             141, 405, "method-not-allowed",     "The method is not allowed here.")         \
    X(ERR_MEDIA_TYPE,         141, 415, "media-type",             "The media type is not supported.")        \
    X(PARKED,                 101, 500, "parked",                 "The request waits; it runs again later (actors only, never answered).")
// clang-format on

enum error {
#define X(name, code, status, slug, sentence) name,
    ERRORS(X)
#undef X
        ERROR_COUNT
};

#define fallible __attribute__((warn_unused_result)) enum error

// The only macro that returns: passes a failure up unchanged.
#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum error try_error_ = (call);                                                            \
        if (try_error_ != OK)                                                                      \
            return try_error_;                                                                     \
    } while (0)

// What went wrong and where. `pointer` is a JSON Pointer into the request body, "" if the failure
// is about no member; `detail` is one clear sentence for a person.
struct fault {
    enum error error;
    char pointer[192];
    char detail[256];
    const char *budget; // name of the budget that is used up (budgets.h), or NULL
};

// The rows of the table.
int error_code(enum error error);
int error_status(enum error error);
const char *error_slug(enum error error);
const char *error_sentence(enum error error);

// Notes the failure for this thread and evaluates to `error`: `return fail(ERR_INVALID,
// "/scenes/0/latitude", "must be finite");` It is a macro so that compilers and analyzers see that
// the result is not OK.
#define fail(error, ...) (fault_note((error), __VA_ARGS__), (error))

void fault_note(enum error error, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Adds to the noted failure which budget is used up; the name is a constant.
void fault_note_budget(const char *name);

// Notes a failure that was kept, all of it. Returns its error.
enum error fault_note_again(const struct fault *fault);

// The failure that this thread noted last; valid until the next `fail`.
const struct fault *fault_last(void);

// Writes the noted failure for `error` to `ret_fault`. If the note is of another error, since the
// failing function noted nothing, the sentence of the table is written.
void fault_take(enum error error, struct fault *ret_fault);

// Says that a result is ignored on purpose, and why.
static inline void
error_ignore(enum error error, const char *reason)
{
    (void)error;
    (void)reason;
}

#endif

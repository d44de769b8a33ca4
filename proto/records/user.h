// user.h - users, their sessions and the device keys that are theirs.
#ifndef DIORAMA_PROTO_RECORDS_USER_H
#define DIORAMA_PROTO_RECORDS_USER_H

#include "proto/record/record.h"

// Append-only: stored maps use these numbers.
enum user_field {
    USER_ID = 0,
    USER_USERNAME = 1,
    USER_PASSWORD = 2, // of a request
    USER_EMAIL = 3,
    USER_EMAIL_TEXT = 4, // of a request: a single one
    USER_ADMIN = 5,
    USER_ACTIVE = 6,
    USER_PROJECTS = 7,
    USER_SCENES = 8,
    USER_HASH = 9,
    USER_OPEN = 10,
    USER_REVOCATIONS = 11,
    USER_CURRENT = 12, // of a request
};

struct user {
    struct record base;
    const struct text *id; // generated
    const struct text *username;
    const struct text *password; // never stored
    const struct text *current;  // password of a request that changes it; never stored
    const struct text *email_text;
    const struct text *hash;      // of the password, with its parameters and salt
    const struct texts *email;    // addresses
    const struct texts *projects; // favourites: keys
    const struct texts *scenes;   // favourites: keys
    bool is_admin;
    bool is_active;
    bool is_open; // made or promoted while everybody could do everything: closed once users log in
    int64_t revocations; // how often they lost access; what they do has the number of its time
};

enum session_field {
    SESSION_ID = 0,
    SESSION_USER = 1,
    SESSION_EXPIRES = 2,
    SESSION_OPEN = 3,
    SESSION_ADMIN = 4,
    SESSION_REVOCATIONS = 5,
};

struct user_session {
    struct record base;
    const struct text *id;   // keyed hash of the token (session.h)
    const struct text *user; // id
    int64_t expires_us;      // of the calendar
    bool is_open;            // as above
    bool is_admin;           // its user is one, as that of the user changes
    int64_t revocations;     // of its user: what changes them ends it
};

enum claim_field { CLAIM_DEVICE = 0, CLAIM_USER = 1 };

// The owner of a device key: the first user who registered it.
struct claim {
    struct record base;
    const struct text *device; // key
    const struct text *user;   // id
};

enum leaver_field { LEAVER_USER = 0 };

// A user who is gone, and whose device keys are not given up yet.
struct leaver {
    struct record base;
    const struct text *user; // id
};

enum session_report_field {
    SESSION_REPORT_AUTH = 0,
    SESSION_REPORT_USER = 1,
    SESSION_REPORT_ADMIN = 2,
    SESSION_REPORT_EXPIRES = 3,
    SESSION_REPORT_VERSION = 4,
    SESSION_REPORT_EPOCH = 5,
};

// Who a caller is to the server. Never stored.
struct session_report {
    struct record base;
    const struct record *user; // struct user, of who is logged in
    const struct text *version;
    int64_t expires_s; // until the session ends by itself
    int64_t epoch;     // of this start of the server
    bool auth;
    bool is_admin;
};

static inline const struct user *
user_of(const struct record *record)
{
    return (const struct user *)(const void *)record;
}

extern const struct schema user_schema;
extern const struct schema user_session_schema;
extern const struct schema claim_schema;
extern const struct schema leaver_schema;
extern const struct schema session_report_schema;

extern const struct view user_view_full;
extern const struct view session_report_view_full;

#endif

// audit_line.h - one line of the audit log (actors/audit): who did what to which thing, and how it
// ended. The same table writes the line and reads it.
#ifndef DIORAMA_PROTO_RECORDS_AUDIT_LINE_H
#define DIORAMA_PROTO_RECORDS_AUDIT_LINE_H

#include "proto/record/record.h"

enum audit_line_field {
    AUDIT_LINE_NUMBER = 0,
    AUDIT_LINE_TIME = 1,
    AUDIT_LINE_USER = 2,
    AUDIT_LINE_ADDRESS = 3,
    AUDIT_LINE_REQUEST = 4,
    AUDIT_LINE_LAST_REQUEST = 5,
    AUDIT_LINE_OPERATION = 6,
    AUDIT_LINE_KIND = 7,
    AUDIT_LINE_KEY = 8,
    AUDIT_LINE_SCENE = 9,
    AUDIT_LINE_OUTCOME = 10,
    AUDIT_LINE_COUNT = 11,
    AUDIT_LINE_BEFORE = 12,
    AUDIT_LINE_HASH = 13,
    AUDIT_LINE_AFTER = 14,
    AUDIT_LINE_CLASS = 15,
};

// What a line is about. Each class has files, a chain and a part of the log's size of its own, so
// that its lines are pushed out by lines of the same class alone.
enum audit_class {
    AUDIT_CLASS_SECURITY, // what was done to users, access and keys, and what the server did
    AUDIT_CLASS_FAILURES, // what was refused: wrong passwords, 401, 403 …
    AUDIT_CLASS_WRITES,   // everything else that was done
    AUDIT_CLASSES
};

struct audit_class_row {
    const char *name;
    const char *prefix; // of the names of its files
    unsigned percent;   // of the log's size
};

extern const struct audit_class_row audit_class_rows[AUDIT_CLASSES];

// The class with this name; security for any other, as what is older than classes.
enum audit_class audit_class_named(const char *name);

enum { AUDIT_HASH_SIZE = 65 }; // 64 hex digits and NUL

struct audit_line {
    struct record base;
    int64_t number;             // from 1, over all classes
    const struct text *time;    // RFC 3339, UTC, milliseconds
    const struct text *user;    // id; "" = nobody who is logged in
    const struct text *address; // "" = the server itself
    const struct text *request; // X-Request-Id
    const struct text *last;    // request of a line that counts several
    const struct text *operation;
    const struct text *kind;
    const struct text *key;
    const struct text *scene;
    int64_t outcome; // HTTP status
    int64_t count;
    const struct text *before; // hash of the line before of its class, 64 zeros for the first
    const struct text *hash;   // of this line (token_digest); never in the file
    const struct text *after;  // of a request: a number or a time
    const struct text *class;  // audit_class_rows; the name of the file tells it
};

extern const struct schema audit_line_schema;
extern const struct view audit_line_view_full;

#endif

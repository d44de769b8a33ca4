// audit_reader.h - reads the lines of an audit log in the order of their numbers, from the files of
// all its classes. Files may grow, or be removed, meanwhile. One thread.
#ifndef DIORAMA_PROTO_MESSAGE_AUDIT_READER_H
#define DIORAMA_PROTO_MESSAGE_AUDIT_READER_H

#include <stdbool.h>
#include <stdio.h>

#include "proto/codec/json_text.h"
#include "proto/message/audit_files.h"

// A line without its end. It is valid until the next one is read.
struct audit_text {
    enum audit_class class;
    const char *chars;
    size_t size;
    const struct json *json; // NULL: it is none
    uint64_t number;         // of such a line, that of the line before
};

typedef struct audit_reader audit_reader_t;

// Opens the log in the folder, which is borrowed. Files that hold only lines up to `after` are left
// out. Fails with ERR_UNAVAILABLE if the folder cannot be read.
fallible audit_reader_create(const char *folder, uint64_t after, audit_reader_t **ret_reader);
// Accepts NULL.
void audit_reader_destroy(audit_reader_t **self);

// The next whole line; false at the end. A line that has no end yet is not there.
bool audit_reader_next(audit_reader_t *self, struct audit_text *ret_line);
// Whether such a line was seen.
bool audit_reader_is_torn(const audit_reader_t *self);

#endif

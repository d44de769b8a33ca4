// secret_file.h - a file that holds a secret in its first line: passwords, tokens, URIs.
#ifndef DIORAMA_PROTO_CONFIG_SECRET_FILE_H
#define DIORAMA_PROTO_CONFIG_SECRET_FILE_H

#include "proto/base/error.h"

enum { SECRET_FILE_LINE_SIZE = 2048 }; // with its NUL; a URI may be long

// Reads the line, without its end. `source` is the setting that names the file, for the detail.
// Fails with ERR_INVALID where the file cannot be read or its line is empty.
fallible secret_file_read(const char *source, const char *path,
                          char ret_line[SECRET_FILE_LINE_SIZE]);

// The same for the URI of a database, without the blanks behind it: libpq would take them for a
// part of the database's name. The file must be a regular one: who reads it does not wait for a
// pipe.
fallible secret_file_read_uri(const char *source, const char *path,
                              char ret_line[SECRET_FILE_LINE_SIZE]);

#endif

// curve.h - keys of CURVE in files: the form of czmq's zcert, which python3-zmq's
// create_certificates writes too. `alice.key` has the public key; `alice.key_secret` beside it has
// both and only its owner can read it.
#ifndef DIORAMA_PROTO_FEED_CURVE_H
#define DIORAMA_PROTO_FEED_CURVE_H

#include "proto/base/error.h"

enum { CURVE_KEY_SIZE = 41 }; // a key in Z85, and its NUL

struct curve_keys {
    char open[CURVE_KEY_SIZE];   // the public one
    char secret[CURVE_KEY_SIZE]; // "" if the file has none
};

// Reads one file of either kind. Fails with ERR_NOT_FOUND if there is no such file, with
// ERR_INVALID if it cannot be read or has no public key.
fallible curve_keys_read(const char *path, struct curve_keys *ret_keys);

// Reads the secret file that belongs to `path`; `path` is the public key's file or the secret file
// itself. Fails as curve_keys_read, and with ERR_INVALID if it has no secret key.
fallible curve_keys_read_secret(const char *path, struct curve_keys *ret_keys);

// Makes a pair of keys in the place of that of `path`: the secret file first, so that after a crash
// between the two curve_keys_tell mends the other. Fails with ERR_UNAVAILABLE.
fallible curve_keys_replace(const char *path, struct curve_keys *ret_keys);

// Writes the public key to `path` if it is not there already.
fallible curve_keys_tell(const char *path, const struct curve_keys *keys);

// Reads the pair of `path`, or makes one where there is none, and sees to it that the public file
// is there too. Fails as curve_keys_read_secret and curve_keys_make.
fallible curve_keys_find(const char *path, struct curve_keys *ret_keys);

// Makes a pair of keys and writes `path` and `path`_secret (mode 0600), each whole or not at all.
// Fails with ERR_CONFLICT if the secret file exists already, with ERR_UNAVAILABLE if the files
// cannot be written.
fallible curve_keys_make(const char *path, struct curve_keys *ret_keys);

#endif

// curve.h - keys of CURVE in files: the form of czmq's zcert, which python3-zmq's
// create_certificates writes too. `alice.key` has the public key; `alice.key_secret` beside it
// both, for its owner alone.
#ifndef DIORAMA_PROTO_FEED_CURVE_H
#define DIORAMA_PROTO_FEED_CURVE_H

#include "proto/base/error.h"

enum { CURVE_KEY_SIZE = 41 }; // a key in Z85, and its NUL

struct curve_keys {
    char open[CURVE_KEY_SIZE];   // the public one
    char secret[CURVE_KEY_SIZE]; // "" where the file has none
};

// Reads one file of either kind. Fails with ERR_NOT_FOUND where there is no such file, with
// ERR_INVALID where it cannot be read or has no public key.
fallible curve_keys_read(const char *path, struct curve_keys *ret_keys);

// Reads the secret file that belongs to `path`, which is that of the public key or itself. Fails as
// curve_keys_read, and with ERR_INVALID where it has no secret key.
fallible curve_keys_read_secret(const char *path, struct curve_keys *ret_keys);

// Makes a pair of keys and writes `path` and `path`_secret (mode 0600), each whole or not at all.
// Fails with ERR_CONFLICT where the secret one is there already, with ERR_UNAVAILABLE where they
// cannot be written.
fallible curve_keys_make(const char *path, struct curve_keys *ret_keys);

#endif

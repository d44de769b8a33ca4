// stored_objects.h - a store with objects of list_objects.h and the index records that they are
// listed by, for tests of lists that are read.
#ifndef DIORAMA_TESTS_SUPPORT_STORED_OBJECTS_H
#define DIORAMA_TESTS_SUPPORT_STORED_OBJECTS_H

#include "actors/runtime/list_rows.h"
#include "tests/support/list_objects.h"
#include "tests/support/tested_store.h"

struct stored_objects {
    struct temporary directory;
    store_t *store;
};

// The kind and its rows. Who may see an object says its number: everybody those that are even,
// "ann" besides those that 7 divides.
extern const struct index_family stored_objects_family;
extern const struct listed_kind stored_objects_kind;
bool stored_object_is_seen(const void *user, const struct record *object);

void stored_objects_begin(struct stored_objects *self);
void stored_objects_end(struct stored_objects *self);

// Writes an object with its index records, or (`is_bare`) without them.
void stored_objects_put(struct stored_objects *self, const frozen_t *object, bool is_bare);
// Writes other bytes in the place of one.
void stored_objects_damage(struct stored_objects *self, const char *key);

#endif

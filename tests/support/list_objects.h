// list_objects.h - objects for tests of lists: random ones, and a set that keeps its orders.
#ifndef DIORAMA_TESTS_SUPPORT_LIST_OBJECTS_H
#define DIORAMA_TESTS_SUPPORT_LIST_OBJECTS_H

#include "actors/runtime/record_orders.h"
#include "tests/support/samples.h"

// A frozen object, one reference, yours. `tags` have blanks between them.
const frozen_t *list_object(const char *key, const char *name, const char *type, const char *tags,
                            int64_t changed_us);

// A random one whose key has this number: few names, types and tags, so that many are equal.
// Half of them are packed.
const frozen_t *list_object_random(struct random *random, unsigned number);

// A set of objects and its orders. All zero is empty.
struct list_set {
    struct record_set set;
    struct record_orders orders;
};

void list_set_put(struct list_set *self, const frozen_t *object);
void list_set_remove(struct list_set *self, unsigned number);
void list_set_finish(struct list_set *self);

// Makes an order, however many slices that takes for `actor`.
void list_set_make(struct list_set *self, enum list_order order, const actor_t *actor);

#endif

// disjoint_set.h - a partition of the numbers from 0 to count - 1 into sets that only grow
// (union-find). Each number begins in a set of its own. Pure.
#ifndef DIORAMA_PROTO_BASE_DISJOINT_SET_H
#define DIORAMA_PROTO_BASE_DISJOINT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One number for each of `count`. Yours: free() it.
uint32_t *disjoint_set_create(size_t count);

// The number that names the set of `item`: the least one in it.
uint32_t disjoint_set_find(uint32_t *self, uint32_t item);

// Makes the sets of two numbers one. Returns whether they were two before.
bool disjoint_set_join(uint32_t *self, uint32_t a, uint32_t b);

#endif

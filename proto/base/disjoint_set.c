// disjoint_set.c - a forest in which each number points to its parent; searches halve the paths
// (disjoint_set.h).

#include "proto/base/disjoint_set.h"

#include "proto/base/memory.h"

uint32_t *
disjoint_set_create(size_t count)
{
    uint32_t *self = memory_take(count * sizeof *self + 1);
    for (uint32_t i = 0; i < count; i++)
        self[i] = i;
    return self;
}

uint32_t
disjoint_set_find(uint32_t *self, uint32_t item)
{
    while (self[item] != item) {
        self[item] = self[self[item]];
        item = self[item];
    }
    return item;
}

bool
disjoint_set_join(uint32_t *self, uint32_t a, uint32_t b)
{
    uint32_t left = disjoint_set_find(self, a), right = disjoint_set_find(self, b);
    if (left < right)
        self[right] = left;
    else
        self[left] = right;
    return left != right;
}

// keyframes.c - ordered lists of keyframes (keyframes.h). Pure.

#include "actors/scene/entity/keyframes.h"

#include <stdlib.h>
#include <string.h>

static int64_t
frame_of(const struct record *record)
{
    return keyframe_of(record)->frame;
}

bool
keyframes_find(const struct records *list, int64_t frame, size_t *ret_index)
{
    size_t low = 0, high = list_count(list);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (frame_of(list->items[middle]) < frame)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_index = low;
    return low < list_count(list) && frame_of(list->items[low]) == frame;
}

// A keyframe and its place in the request, which decides between equals.
struct place {
    struct record *keyframe;
    uint32_t order;
};

static int
compare_places(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    int64_t one_frame = frame_of(one->keyframe), other_frame = frame_of(other->keyframe);
    if (one_frame != other_frame)
        return one_frame < other_frame ? -1 : 1;
    return one->order < other->order ? -1 : 1;
}

static bool
is_sorted(const struct records *list)
{
    for (uint32_t i = 1; i < list->count; i++)
        if (frame_of(list->items[i - 1]) >= frame_of(list->items[i]))
            return false;
    return true;
}

void
keyframes_sort(struct arena *arena, struct records *list)
{
    if (is_sorted(list))
        return;
    struct place *places = arena_alloc(arena, list->count * sizeof *places);
    for (uint32_t i = 0; i < list->count; i++)
        places[i] = (struct place){list->items[i], i};
    qsort(places, list->count, sizeof *places, compare_places);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        bool is_last = i + 1 == list->count ||
                       frame_of(places[i].keyframe) != frame_of(places[i + 1].keyframe);
        if (is_last)
            list->items[kept++] = places[i].keyframe;
    }
    list->count = kept;
}

const struct records *
keyframes_combine(struct arena *arena, const struct records *list, const struct records *more,
                  enum list_mode mode)
{
    size_t count = list_count(list), more_count = list_count(more), i = 0, k = 0;
    struct records *combined = records_new(arena, count + more_count);
    while (i < count || k < more_count) {
        bool takes_more =
            k < more_count && (i == count || frame_of(more->items[k]) <= frame_of(list->items[i]));
        if (!takes_more) {
            combined->items[combined->count++] = list->items[i++];
            continue;
        }
        if (i < count && frame_of(more->items[k]) == frame_of(list->items[i]))
            i++; // replaced, or taken out
        if (mode == LIST_APPEND)
            combined->items[combined->count++] = more->items[k];
        k++;
    }
    return combined;
}

static void
list_add(struct records *list, const struct records *from, size_t begin, size_t end)
{
    if (begin < end)
        memcpy(list->items + list->count, from->items + begin,
               (end - begin) * sizeof list->items[0]);
    list->count += (uint32_t)(end - begin);
}

const struct records *
list_with(struct arena *arena, const struct records *list, size_t index, bool replaces,
          const struct record *item)
{
    struct records *copy = records_new(arena, list_count(list) + 1);
    list_add(copy, list, 0, index);
    copy->items[copy->count++] = (struct record *)(uintptr_t)item; // a list of borrowed items
    list_add(copy, list, index + replaces, list_count(list));
    return copy;
}

const struct records *
list_without(struct arena *arena, const struct records *list, size_t index)
{
    struct records *copy = records_new(arena, list_count(list));
    list_add(copy, list, 0, index);
    list_add(copy, list, index + 1, list_count(list));
    return copy;
}

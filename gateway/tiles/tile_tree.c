// tile_tree.c - the octree (tile_tree.h): items sorted by a code of three bits a level, so that a
// part is a range of them. Pure; any thread.
#include "gateway/tiles/tile_tree.h"

#include <math.h>
#include <stdlib.h>

enum {
    CELLS = 1 << TILE_LEVELS_IN_SPACE, // along an axis
    KEY_BITS = 3 * (TILE_LEVELS - TILE_LEVELS_IN_SPACE),
};

// --- codes ---

// Half the side of the cube around all centres.
static double
half_of(const struct tile_items *items)
{
    double most = 1;
    int exponent;
    for (uint32_t i = 0; i < items->count; i++)
        for (int axis = 0; axis < 3; axis++)
            most = fmax(most, fabs(items->items[i].centre[axis]));
    frexp(most, &exponent);
    return ldexp(1, exponent);
}

static uint64_t
cell_of(double coordinate, double half)
{
    double cell = floor((coordinate / half + 1) * (CELLS / 2.0));
    return cell < 0 ? 0 : cell >= CELLS ? CELLS - 1 : (uint64_t)cell;
}

// FNV-1a (RFC 9923): the same wherever a server runs, as names of parts outlive an answer.
static uint64_t
print_of(const struct text *key)
{
    uint64_t print = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text_size(key); i++)
        print = (print ^ (unsigned char)text_bytes(key)[i]) * UINT64_C(0x100000001b3);
    return (print ^ print >> 32) & ((UINT64_C(1) << KEY_BITS) - 1);
}

static uint64_t
code_of(const struct tile_item *item, double half)
{
    uint64_t code = 0, cells[3];
    for (int axis = 0; axis < 3; axis++)
        cells[axis] = cell_of(item->centre[axis], half);
    for (int level = TILE_LEVELS_IN_SPACE; level-- > 0;)
        code = code << 3 | (cells[0] >> level & 1) | (cells[1] >> level & 1) << 1 |
               (cells[2] >> level & 1) << 2;
    return code << KEY_BITS | print_of(item->object->key);
}

static int
by_code(const void *a, const void *b)
{
    const struct tile_item *one = a, *other = b;
    if (one->code != other->code)
        return one->code < other->code ? -1 : 1;
    return text_compare(one->object->key, other->object->key);
}

void
tile_tree_build(struct tile_items *items)
{
    double half = half_of(items);
    for (uint32_t i = 0; i < items->count; i++)
        items->items[i].code = code_of(&items->items[i], half);
    if (items->count)
        qsort(items->items, items->count, sizeof *items->items, by_code);
}

static unsigned
digit_of(uint64_t code, unsigned level)
{
    return code >> 3 * (TILE_LEVELS - 1 - level) & 7;
}

// --- parts ---

bool
tile_tree_is_name(const struct text *name)
{
    if (text_size(name) > TILE_LEVELS)
        return false;
    for (size_t i = 0; i < text_size(name); i++)
        if (text_bytes(name)[i] < '0' || text_bytes(name)[i] > '7')
            return false;
    return true;
}

// How many items have a smaller code.
static uint32_t
place_of(const struct tile_items *items, uint64_t code)
{
    uint32_t low = 0, high = items->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (items->items[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct tile_range
tile_tree_find(const struct tile_items *items, const struct text *name)
{
    unsigned level = (unsigned)text_size(name);
    uint64_t code = 0;
    for (unsigned i = 0; i < level; i++)
        code = code << 3 | (uint64_t)(text_bytes(name)[i] - '0');
    unsigned rest = 3 * (TILE_LEVELS - level);
    uint32_t first = place_of(items, code << rest);
    uint32_t end = place_of(items, (code + 1) << rest);
    return (struct tile_range){first, end - first, level};
}

unsigned
tile_tree_split(const struct tile_items *items, struct tile_range range,
                struct tile_range ret_parts[8])
{
    const struct tile_item *first = &items->items[range.first];
    const struct tile_item *last = first + range.count - 1;
    unsigned level = range.level, count = 0;
    if (range.count <= (level ? TILE_LEAF : TILE_WHOLE))
        return 0;
    while (level < TILE_LEVELS && digit_of(first->code, level) == digit_of(last->code, level))
        level++;
    if (level == TILE_LEVELS)
        return 0;
    for (const struct tile_item *item = first; item <= last; item++) {
        if (item == first || digit_of(item->code, level) != digit_of(item[-1].code, level))
            ret_parts[count++] = (struct tile_range){(uint32_t)(item - items->items), 0, level + 1};
        ret_parts[count - 1].count++;
    }
    return count;
}

void
tile_tree_name(const struct tile_items *items, struct tile_range range,
               char ret_name[TILE_LEVELS + 1])
{
    for (unsigned level = 0; level < range.level; level++)
        ret_name[level] = (char)('0' + digit_of(items->items[range.first].code, level));
    ret_name[range.level] = '\0';
}

// viewer_looks.c - which entities a viewer's client has, and what each looked like (viewer.h): what
// only moves is not drawn again. A key stands as its hash, which has a secret: of two that were one
// the second would be drawn late, and nobody can find two. Looks stand in the place of pointers,
// since each move is compared with them: a look at what a pointer leads to costs more than all
// else.
#include "gateway/foxglove/viewer.h"

static bool
is_it(const void *value, const void *key)
{
    (void)value;
    (void)key;
    return true; // the hash is the key
}

static void *
as_value(uint64_t looks)
{
    return (void *)(uintptr_t)(looks | 1); // never NULL
}

bool
viewer_looks_take(struct viewed_scene *scene, const struct text *key, uint64_t looks)
{
    uint64_t hash = table_hash_text(key);
    const void *known = table_find(&scene->looks, hash, is_it, NULL);
    if (known == as_value(looks))
        return false;
    if (known)
        table_replace(&scene->looks, hash, known, as_value(looks));
    else
        table_add(&scene->looks, hash, as_value(looks));
    return true;
}

bool
viewer_looks_drop(struct viewed_scene *scene, const struct text *key)
{
    uint64_t hash = table_hash_text(key);
    const void *known = table_find(&scene->looks, hash, is_it, NULL);
    if (known)
        table_remove(&scene->looks, hash, known);
    return known != NULL;
}

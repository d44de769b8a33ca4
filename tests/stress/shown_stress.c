// shown_stress.c - one writer and eight readers of published records (shown.h), for some seconds.
// The writer changes, drops, shows again, hides from strangers, and fills the memory; readers check
// that no version falls back behind what was shown before they began, that what changes together is
// seen together, and that a stranger reads nothing of what was private throughout. Criterion aborts
// under the thread sanitizer, so this is a program of its own.
//
//     shown_stress [SECONDS]       exit code 1: somebody saw what they must not
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/message/shown.h"
#include "proto/records/object.h"
#include "proto/records/scene.h"

enum {
    READERS = 8,
    OBJECTS = 32, // even and odd ones change in pairs
    OTHERS = 400, // that fill the memory
    MEMORY = 100000,
    SECONDS = 2,
    LOOKS = 256, // between two looks at the clock
};

static struct {
    shown_t *shown;
    shown_item_t *scene;
    int64_t versions[OBJECTS];       // the writer's
    _Atomic int64_t floors[OBJECTS]; // shown before now
    _Atomic uint64_t flips;          // odd: private, for as long as it does not change
    _Atomic bool is_over;
    _Atomic uint64_t reads, failures;
} stress;

// A random number below `limit`, of a sequence of its own.
static unsigned
draw(uint64_t *seed, unsigned limit)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % limit;
}

static void
check(bool is_good, const char *what)
{
    if (is_good)
        return;
    if (atomic_fetch_add(&stress.failures, 1) < 10)
        fprintf(stderr, "shown_stress: %s\n", what);
}

// --- the writer ---

static const frozen_t *
object_new(unsigned number, int64_t version)
{
    struct arena arena = {0};
    struct record *record = record_new(&arena, &object_schema);
    record_set_text(record, OBJECT_KEY, text_format(&arena, "%024u", number));
    object_set_changed(record, version);
    const frozen_t *object = record_freeze(&object_schema, record);
    arena_finish(&arena);
    return object;
}

static const frozen_t *
scene_new(bool is_public)
{
    struct arena arena = {0};
    struct record *record = record_new(&arena, &scene_schema);
    record_set_text(record, SCENE_KEY, text_from(&arena, "scene"));
    record_set_text(record, SCENE_USER, text_from(&arena, "owner"));
    ((struct scene *)(void *)record)->is_public = is_public;
    const frozen_t *scene = record_freeze(&scene_schema, record);
    arena_finish(&arena);
    return scene;
}

static struct access_item
access_of(const frozen_t *scene)
{
    const struct scene *record = scene_of(frozen_record(scene));
    return (struct access_item){record->user, record->is_public};
}

static bool
is_public(void)
{
    return atomic_load(&stress.flips) % 2 == 0;
}

static void
show_scene(void)
{
    const frozen_t *scene = scene_new(is_public());
    const struct access_item access = access_of(scene);
    if (!stress.scene)
        shown_put(stress.shown, scene, &access, 0, &stress.scene);
    record_unref(&scene);
}

static void
show_object(unsigned number, int64_t version)
{
    const frozen_t *object = object_new(number, version);
    show_scene();
    shown_put_part(stress.shown, stress.scene, object);
    record_unref(&object);
}

static void
change_object(unsigned number)
{
    const frozen_t *object = object_new(number, ++stress.versions[number]);
    shown_change_part(stress.shown, stress.scene, object);
    record_unref(&object);
}

// Both of a pair, as a commit does; answers go out behind it.
static void
change_pair(unsigned first)
{
    shown_begin(stress.shown);
    change_object(first);
    change_object(first + 1);
    shown_end(stress.shown);
    atomic_store(&stress.floors[first], stress.versions[first]);
    atomic_store(&stress.floors[first + 1], stress.versions[first + 1]);
}

// Private from the answer on; or public from before it.
static void
flip(void)
{
    bool was_public = is_public();
    const frozen_t *scene = scene_new(!was_public);
    const struct access_item access = access_of(scene);
    if (!was_public)
        atomic_fetch_add(&stress.flips, 1);
    shown_change(stress.shown, stress.scene, scene, &access);
    if (was_public)
        atomic_fetch_add(&stress.flips, 1);
    record_unref(&scene);
}

static void
forget(unsigned number)
{
    struct arena arena = {0};
    shown_remove_key(stress.shown, &object_schema, text_format(&arena, "%024u", number));
    arena_finish(&arena);
}

static void
write_one(uint64_t *seed)
{
    unsigned number = draw(seed, OBJECTS);
    switch (draw(seed, 16)) {
    case 0:
        flip();
        break;
    case 1:
        forget(number);
        break;
    case 2:
        show_object(OBJECTS + draw(seed, OTHERS), 0);
        break;
    case 3:
        if (draw(seed, 64) == 0)
            shown_remove_whole(stress.shown, &stress.scene);
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        show_object(number, stress.versions[number]);
        break;
    default:
        change_pair(number / 2 * 2);
    }
}

// --- readers ---

// The version that is shown of an object; -1 = none.
static int64_t
version_of(const struct message *message, struct arena *arena, unsigned number)
{
    struct shown_reading reading;
    if (!shown_read(stress.shown, message, &object_schema, text_format(arena, "%024u", number),
                    &reading))
        return -1;
    int64_t version =
        ((const struct object *)(const void *)frozen_record(reading.record))->changed_us;
    record_unref(&reading.record);
    atomic_fetch_add_explicit(&stress.reads, 1, memory_order_relaxed);
    return version;
}

static void
read_one(const struct message *message, struct arena *arena, uint64_t *seed)
{
    unsigned number = draw(seed, OBJECTS);
    uint64_t flips = atomic_load(&stress.flips);
    int64_t floor = atomic_load(&stress.floors[number]);
    int64_t version = version_of(message, arena, number);
    int64_t partner = version_of(message, arena, number ^ 1);
    check(version < 0 || version >= floor, "a version fell back");
    check(version < 0 || partner < 0 || partner >= version, "half of a change was seen");
    bool is_stranger = message->caller.role == CALLER_USER;
    check(!is_stranger || version < 0 || flips % 2 == 0 || atomic_load(&stress.flips) != flips,
          "a stranger read what is private");
}

static void *
run_reader(void *number)
{
    uint64_t seed = (uint64_t)(uintptr_t)number;
    struct message *message = message_create(OBJECT_GET);
    message->caller.role = seed % 2 ? CALLER_USER : CALLER_ADMIN;
    strcpy(message->caller.user, "stranger");
    while (!atomic_load(&stress.is_over)) {
        struct arena arena = {0};
        read_one(message, &arena, &seed);
        arena_finish(&arena);
    }
    message_destroy(&message);
    return NULL;
}

int
main(int argc, char **argv)
{
    uint64_t seed = 1;
    pthread_t readers[READERS];
    uint64_t seconds = argc > 1 ? strtoul(argv[1], NULL, 10) : SECONDS;
    stress.shown = shown_create(MEMORY);
    for (uintptr_t i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, run_reader, (void *)(i + 1));
    uint64_t writes = 0;
    for (uint64_t end_ms = clock_deadline_ms(seconds * 1000); clock_left_ms(end_ms) > 0;)
        for (unsigned i = 0; i < LOOKS; i++, writes++)
            write_one(&seed);
    atomic_store(&stress.is_over, true);
    for (unsigned i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    size_t bytes = shown_bytes(stress.shown);
    check(bytes <= MEMORY, "it takes more than its memory");
    check(atomic_load(&stress.reads) > 0, "nobody read anything");
    printf("%llu writes, %llu reads, %llu failures\n", (unsigned long long)writes,
           (unsigned long long)atomic_load(&stress.reads),
           (unsigned long long)atomic_load(&stress.failures));
    shown_destroy(&stress.shown);
    return atomic_load(&stress.failures) ? EXIT_FAILURE : EXIT_SUCCESS;
}

// lists.c - the load of row P18: pages of lists of many objects, as their actor makes them. Each
// line: what is asked for, the time of the first page (its order was made before), and the longest
// of all pages behind it, in microseconds of the thread.
// Usage: lists OBJECTS

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "actors/runtime/list_page.h"
#include "proto/base/owned.h"
#include "proto/records/object.h"
#include "tests/support/list_objects.h"

enum { NAMES = 1000, TYPES = 10 };

static actor_t actor;
static struct list_set objects;

static double
thread_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void
fill(unsigned count)
{
    struct random random = {1};
    for (unsigned i = 0; i < count; i++) {
        char key[32], name[32], type[32];
        snprintf(key, sizeof key, "%016llx%08x", (unsigned long long)random_next(&random), i);
        snprintf(name, sizeof name, "pump %u", (unsigned)random_below(&random, NAMES));
        snprintf(type, sizeof type, "type%u", (unsigned)random_below(&random, TYPES));
        owned(record_unref) const frozen_t *object =
            list_object(key, name, type, i % 4 ? "" : "hot", (int64_t)i);
        list_set_put(&objects, object);
    }
}

struct asked {
    const char *title, *sort, *name, *type, *tag, *q;
};

// A page; returns the microseconds that it took, and the next cursor, in the arena.
static double
page(const struct asked *asked, const struct text *after, struct arena *arena,
     const struct text **ret_next)
{
    const struct list_source source = {.set = &objects.set, .orders = &objects.orders};
    owned(message_destroy) struct message *message = message_create(OBJECT_LIST);
    struct record *params = &message->params->base;
    struct record *filter = record_new(&message->arena, &object_edit_schema);
    record_set_text(params, PARAMS_SORT, text_from(&message->arena, asked->sort));
    record_set_text(params, PARAMS_AFTER, text_copy(&message->arena, after));
    record_set_text(params, PARAMS_TAG, text_from(&message->arena, asked->tag));
    record_set_text(params, PARAMS_Q, text_from(&message->arena, asked->q));
    record_set_integer(params, PARAMS_NUM_RECORDS, 100);
    if (asked->name[0])
        record_set_text(filter, OBJECT_NAME, text_from(&message->arena, asked->name));
    if (asked->type[0])
        record_set_text(filter, OBJECT_TYPE, text_from(&message->arena, asked->type));
    message->records = records_new(&message->arena, 1);
    message->records->items[message->records->count++] = filter;
    double began_us = thread_us();
    enum error error = list_page(&actor, message, list_kind_of(&object_schema), 1, &source,
                                 &(struct list_hold){0});
    double took_us = thread_us() - began_us;
    if (error != OK)
        exit(1);
    const struct text *next = ((const struct envelope *)(void *)message->reply.envelope)->next;
    *ret_next = next ? text_copy(arena, next) : NULL;
    return took_us;
}

static void
measure(const struct asked *asked)
{
    owned(arena_finish) struct arena arena = {0};
    const struct text *after, *first = text_from(&arena, "");
    double making_us = page(asked, first, &arena, &after), longest_us = 0;
    double first_us = page(asked, first, &arena, &after);
    unsigned pages = 1;
    for (; after && pages < 1000; pages++) {
        double took_us = page(asked, after, &arena, &after);
        longest_us = took_us > longest_us ? took_us : longest_us;
    }
    printf("%s\t%.0f\t%.0f\t%.0f\t%u\n", asked->title, making_us, first_us, longest_us, pages);
}

int
main(int argc, char **argv)
{
    static const struct asked all[] = {
        {"by key", "", "", "", "", ""},
        {"by name", "name", "", "", "", ""},
        {"by -changed", "-changed", "", "", "", ""},
        {"of one name", "", "pump 7", "", "", ""},
        {"of one type", "", "", "type3", "", ""},
        {"of one type by name", "name", "", "type3", "", ""},
        {"of one tag and type, newest first", "-changed", "", "type3", "hot", ""},
        {"of a word that all have, by name", "name", "", "", "", "pu"},
        {"of two words, newest first", "-changed", "", "", "", "pump 77"},
        {"of a word that few have", "", "", "", "", "777"},
    };
    if (argc != 2)
        return 2;
    fill((unsigned)atoi(argv[1]));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        measure(&all[i]);
    printf("bytes\t%zu\n", objects.orders.bytes);
    list_set_finish(&objects);
    return 0;
}

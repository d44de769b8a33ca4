// store_search.c - looks for texts in a store as it lies on the disk: for the tests of what must be
// gone. It reads every key and value that lives, of every column family, from a copy of the folder
// or from a closed store, and writes nothing. Knows no tags or records.
//
//   store_search FOLDER TEXT...     a line each: family, part, tag, key in hex, place, text
//
// Exit status: 0 = it has read everything, 1 = it could not.
#include <stdio.h>
#include <string.h>

#include "proto/base/owned.h"
#include "store/rocks_database.h"

enum { PART_SIZE = 2 };

// What is being looked for, and where.
struct search {
    char *const *texts;
    const char *family;
    struct bytes key;
};

static bool
has(struct bytes bytes, const char *text)
{
    return memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}

static void
tell(const struct search *self, const char *place, const char *text)
{
    const unsigned char *key = self->key.data;
    char tag = self->key.size > PART_SIZE ? (char)key[PART_SIZE] : '-';
    unsigned part = self->key.size >= PART_SIZE ? (unsigned)key[0] << 8 | key[1] : 0;
    printf("%s %u %c ", self->family, part, tag);
    for (size_t i = 0; i < self->key.size; i++)
        printf("%02x", key[i]);
    printf(" %s %s\n", place, text);
}

static void
search_record(const struct search *self, struct bytes value)
{
    for (char *const *text = self->texts; *text; text++) {
        if (has(self->key, *text))
            tell(self, "key", *text);
        if (has(value, *text))
            tell(self, "value", *text);
    }
}

static void
iterator_close(rocksdb_iterator_t **iterator)
{
    rocksdb_iter_destroy(*iterator);
}

static bool
search_family(const struct rocks_database *database, rocksdb_column_family_handle_t *family,
              struct search *search)
{
    owned(rocks_text_free) char *error = NULL;
    owned(iterator_close) rocksdb_iterator_t *iterator =
        rocksdb_create_iterator_cf(database->handle, database->reads, family);
    for (rocksdb_iter_seek_to_first(iterator); rocksdb_iter_valid(iterator);
         rocksdb_iter_next(iterator)) {
        struct bytes value;
        search->key.data = rocksdb_iter_key(iterator, &search->key.size);
        value.data = rocksdb_iter_value(iterator, &value.size);
        search_record(search, value);
    }
    rocksdb_iter_get_error(iterator, &error);
    if (error)
        fprintf(stderr, "%s: %s\n", search->family, error);
    return error == NULL;
}

int
main(int argc, char *argv[])
{
    struct rocks_database database = {0};
    if (argc < 3 || rocks_database_open(argv[1], ROCKS_READ_ONLY, false, false, &database) != OK) {
        fprintf(stderr, "store_search: %s\n", argc < 3 ? "FOLDER TEXT..." : fault_last()->detail);
        return 1;
    }
    struct search search = {.texts = argv + 2, .family = "default"};
    bool is_read = search_family(&database, database.fallback, &search);
    for (unsigned i = 0; i < FAMILY_COUNT; i++) {
        search.family = store_family_names[i];
        is_read = search_family(&database, database.families[i], &search) && is_read;
    }
    rocks_database_close(&database);
    return is_read ? 0 : 1;
}

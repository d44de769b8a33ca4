// blob_place.c - see blob_place.h. A folder is known by its mark (blob_mark.h), whatever path it
// has: it may be moved.
#include "store/blob_place.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"
#include "store/blob_folder.h"
#include "store/blob_mark.h"
#include "store/blob_scan.h"
#include "store/fence.h"

enum { CALL_MS = 10000, LAYOUT = 1 };

// Under KEY_BLOBS (fence.h): layout (1), state (1), mark of the folder (32).
enum place_state { PLACE_NONE, PLACE_FOLDER = 1, PLACE_DATABASE = 2 };

struct place {
    enum place_state state;
    char mark[BLOB_MARK_SIZE]; // of a folder
    store_version_t version;   // 0 = no server has noted it
};

enum { VALUE_SIZE = 2 + BLOB_MARK_SIZE - 1 };

static const unsigned char key[] = {KEY_BLOBS};
static const struct store_address address = {FAMILY_STREAMER, 0, {key, sizeof key}};

static bool
decode(const unsigned char *value, size_t size, struct place *ret_place)
{
    if (size != VALUE_SIZE || value[0] != LAYOUT)
        return false;
    ret_place->state = value[1];
    memcpy(ret_place->mark, value + 2, BLOB_MARK_SIZE - 1);
    return value[1] == PLACE_FOLDER || value[1] == PLACE_DATABASE;
}

static fallible
read_place(store_t *store, struct place *ret_place)
{
    void *value = NULL;
    size_t size = 0;
    *ret_place = (struct place){0};
    enum store_result result =
        store_get(store, &address, clock_deadline_ms(CALL_MS), &ret_place->version, &value, &size);
    bool is_good = result == STORE_OK && decode(value, size, ret_place);
    free(value);
    if (result == STORE_OK && !is_good)
        return fail(ERR_CONFLICT, "",
                    "the record of where the bytes of assets are cannot be read: it is of a newer "
                    "version, or damaged");
    return result == STORE_ABSENT ? OK : store_error(result);
}

static fallible
commit_place(store_t *store, struct place *place, const struct store_operation *operation)
{
    const struct store_guard guard = {address, place->version};
    const struct store_commit commit = {.id = store_version_new(),
                                        .guards = &guard,
                                        .guard_count = 1,
                                        .operations = operation,
                                        .operation_count = 1,
                                        .is_vital = true};
    TRY(store_error(store_commit(store, &commit, clock_deadline_ms(CALL_MS))));
    place->version = commit.id;
    return OK;
}

static fallible
write_place(store_t *store, struct place *place)
{
    unsigned char value[VALUE_SIZE] = {LAYOUT, (unsigned char)place->state};
    const struct store_operation put = {.address = address, .value = {value, sizeof value}};
    memcpy(value + 2, place->mark, BLOB_MARK_SIZE - 1);
    TRY(commit_place(store, place, &put));
    log_info("blob_place_noted", "in=%s mark=%s",
             place->state == PLACE_DATABASE ? "database" : "folder", place->mark);
    return OK;
}

// Of a folder that another server had first: this database is free to take another one.
static fallible
withdraw_place(store_t *store, struct place *place)
{
    const struct store_operation gone = {.address = address, .is_delete = true};
    return commit_place(store, place, &gone);
}

static void
path_free(char **path)
{
    free(*path);
}

// Of a folder that has the bytes, or had them until they go to the database.
static fallible
check_folder(const struct config *config, const struct place *place, const char *path)
{
    char mark[BLOB_MARK_SIZE];
    TRY(blob_mark_read(path, mark));
    if (strcmp(mark, place->mark) == 0 || blob_mark_is_prepared(path, place->mark))
        return OK; // or was killed between the steps, which the next start finishes
    const char *which = !mark[0] ? "is not the folder that has the bytes of assets"
                                 : "has the bytes of assets of another database";
    if (config->blob_database)
        return fail(ERR_CONFLICT, "",
                    "%s %s: they go to the database (blob.store) from the folder that was "
                    "blob.dir; move it there first",
                    path, which);
    return fail(ERR_CONFLICT, "",
                "%s %s: mount it, or set blob.dir to where it is (its file PLACE says %s)", path,
                which, place->mark);
}

static fallible
taken(const char *path, const char *mark)
{
    return fail(ERR_CONFLICT, "",
                "%s has the bytes of assets of another database (its file PLACE says %s): choose "
                "another folder, or remove that file if no other database is to have them",
                path, mark);
}

// Nothing is noted yet: a folder that has a mark is of others, who would lose what is in it.
static fallible
check_free(const char *path)
{
    char mark[BLOB_MARK_SIZE];
    TRY(blob_mark_read(path, mark));
    return mark[0] ? taken(path, mark) : OK;
}

static fallible
check(const struct config *config, const struct place *place, const char *path)
{
    if (place->state == PLACE_NONE)
        return check_free(path);
    if (place->state == PLACE_FOLDER)
        return check_folder(config, place, path);
    if (!config->blob_database)
        return fail(ERR_CONFLICT, "",
                    "the bytes of assets are in the database of store.uri, and not in %s; set "
                    "blob.store=database",
                    path);
    // The folder that went to the database became a cache before.
    return blob_scan_is_cache(path) ? OK : check_free(path);
}

// May be made later where no server has noted it.
static fallible
check_writable(const struct config *config, const struct place *place, const char *path)
{
    TRY(check(config, place, path));
    return blob_mark_try(path, place->state == PLACE_FOLDER);
}

fallible
blob_place_check(const struct config *config, store_t *store)
{
    owned(path_free) char *path = folder_path_of(config);
    struct place place;
    if (!store->is_shared)
        return OK;
    TRY(read_place(store, &place));
    return check_writable(config, &place, path);
}

fallible
blob_place_check_source(const struct config *config, store_t *store)
{
    owned(path_free) char *path = folder_path_of(config);
    struct place place;
    TRY(read_place(store, &place));
    if (config->blob_database && place.state != PLACE_DATABASE)
        return fail(ERR_CONFLICT, "",
                    "the bytes of assets are not in the database of store.uri but in a folder; "
                    "leave blob.store out");
    return check(config, &place, path);
}

// The second step of a mark. Nothing in the folder is touched before it.
static fallible
claim_folder(store_t *store, struct place *place, const char *path)
{
    char found[BLOB_MARK_SIZE];
    TRY(blob_mark_claim(path, place->mark, found));
    if (strcmp(found, place->mark) == 0)
        return OK;
    TRY(withdraw_place(store, place));
    blob_mark_forget(path, place->mark);
    return taken(path, found);
}

// The first server with a folder for all of them. A kill before the record leaves a file that
// nobody looks at; one behind it what the next start finishes.
static fallible
note_folder(store_t *store, struct place *place, const char *path)
{
    place->state = PLACE_FOLDER;
    TRY(blob_mark_prepare(path, place->mark));
    TRY(write_place(store, place));
    return claim_folder(store, place, path);
}

static fallible
finish_folder(store_t *store, struct place *place, const char *path)
{
    bool is_half = place->state == PLACE_FOLDER && blob_mark_is_prepared(path, place->mark);
    return is_half ? claim_folder(store, place, path) : OK;
}

static fallible
note_database(store_t *store, struct place *place)
{
    *place = (struct place){.state = PLACE_DATABASE, .version = place->version};
    return write_place(store, place);
}

fallible
blob_place_note(const struct config *config, store_t *store)
{
    owned(path_free) char *path = folder_path_of(config);
    struct place place;
    TRY(read_place(store, &place));
    TRY(check(config, &place, path));
    if (place.state != PLACE_NONE)
        return finish_folder(store, &place, path);
    if (config->blob_database)
        return note_database(store, &place);
    return config->blob_dir && *config->blob_dir ? note_folder(store, &place, path) : OK;
}

static fallible
open_cache(const struct config *config, store_t *store, struct place *place, reserve_meter *meter,
           bool (*must_end)(void), blobs_t **ret_blobs)
{
    owned(blob_provider_destroy) blob_provider_t *provider = NULL;
    TRY(store_provide_blobs(store, &provider));
    TRY(blob_cache_open(config, &provider, meter, must_end, ret_blobs));
    return place->state == PLACE_DATABASE ? OK : note_database(store, place);
}

fallible
blob_place_open(const struct config *config, store_t *store, reserve_meter *meter,
                bool (*must_end)(void), blobs_t **ret_blobs)
{
    owned(path_free) char *path = folder_path_of(config);
    bool is_apart = config->blob_dir && *config->blob_dir;
    struct place place;
    if (!store->is_shared)
        return blob_folder_open(config, meter, ret_blobs);
    TRY(read_place(store, &place));
    TRY(check_writable(config, &place, path));
    TRY(finish_folder(store, &place, path));
    if (config->blob_database)
        return open_cache(config, store, &place, meter, must_end, ret_blobs);
    if (place.state == PLACE_NONE && is_apart)
        TRY(note_folder(store, &place, path));
    return blob_folder_open(config, meter, ret_blobs);
}

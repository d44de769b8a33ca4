// postgres_blobs_test.c - bytes of assets as rows: what is put is fetched again, removed, listed;
// in pieces; fenced; on a database that refuses, ends connections, is damaged.
#include "store/postgres/postgres_blobs.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/memory.h"
#include "proto/message/lease.h"
#include "store/fence.h"
#include "tests/support/database.h"
#include "tests/support/engines.h"

enum { POSTGRES_ROW = 2, PIECE = 4 << 20 };

static struct engine_fixture fixture;
static char uri[DATABASE_URI_BYTES];
static blob_provider_t *provider;

static void
begin(void)
{
    engine_fixture_init(&fixture, POSTGRES_ROW);
    database_uri_of(fixture.path, uri);
    cr_assert_eq(store_provide_blobs(fixture.store, &provider), OK, "%s", fault_last()->detail);
}

static void
end(void)
{
    blob_provider_destroy(&provider);
    engine_fixture_finish(&fixture);
}

TestSuite(postgres_blobs, .init = begin, .fini = end);

static int
fresh_file(void)
{
    int file = open(fixture.directory.path, O_TMPFILE | O_RDWR, 0600);
    cr_assert_geq(file, 0);
    return file;
}

// So many bytes, which `seed` chooses.
static char *
noise(size_t size, unsigned seed)
{
    char *bytes = memory_take(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)((i * 2654435761u + seed) >> 13);
    return bytes;
}

static enum error
put_bytes(const char *object, const char *bytes, size_t size)
{
    int file = fresh_file();
    cr_assert_eq(pwrite(file, bytes, size, 0), (ssize_t)size);
    enum error error = blob_provider_put(provider, object, file);
    close(file);
    return error;
}

static void
put_noise(const char *object, size_t size, unsigned seed)
{
    char *bytes = noise(size, seed);
    cr_assert_eq(put_bytes(object, bytes, size), OK, "%s", fault_last()->detail);
    free(bytes);
}

static void
check_noise(const char *object, size_t size, unsigned seed)
{
    char *expected = noise(size, seed), *found = memory_take(size + 1);
    int file = fresh_file();
    struct stat status;
    cr_assert_eq(blob_provider_fetch(provider, object, file), OK, "%s", fault_last()->detail);
    cr_assert_eq(fstat(file, &status), 0);
    cr_assert_eq((size_t)status.st_size, size);
    cr_assert_eq(pread(file, found, size, 0), (ssize_t)size);
    cr_assert(memcmp(expected, found, size) == 0);
    close(file);
    free(expected);
    free(found);
}

static enum error
fetch(const char *object)
{
    int file = fresh_file();
    enum error error = blob_provider_fetch(provider, object, file);
    close(file);
    return error;
}

static bool
note_name(void *context, const char *object)
{
    struct visit_log *log = context;
    return visit_log_add(log, (struct bytes){object, strlen(object)}, 1, (struct bytes){"", 0});
}

static void
check_list(const char *expected)
{
    struct visit_log log = {0};
    cr_assert_eq(blob_provider_list(provider, note_name, &log), OK);
    log.keys[log.size] = '\0';
    cr_assert_str_eq(log.keys, expected);
}

Test(postgres_blobs, are_fetched_as_they_were_put)
{
    static const size_t sizes[] = {0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        put_noise("object", sizes[i], i);
        check_noise("object", sizes[i], i);
    }
}

Test(postgres_blobs, that_are_put_again_leave_nothing_of_a_longer_one)
{
    put_noise("object", 2 * PIECE + 9, 1);
    put_noise("object", PIECE, 2);
    check_noise("object", PIECE, 2);
    database_run(uri, "SELECT 1 / (count(*) = 1)::int FROM diorama_blob");
}

Test(postgres_blobs, that_are_not_there_are_not_found)
{
    cr_assert_eq(fetch("none"), ERR_NOT_FOUND);
    cr_assert_eq(blob_provider_remove(provider, "none"), OK);
}

// 65 pieces are more than one transaction removes.
Test(postgres_blobs, are_removed_with_all_their_pieces)
{
    database_run(uri, "INSERT INTO diorama_blob SELECT 'large', n, 'x' "
                      "FROM generate_series(0, 199) AS n");
    put_noise("other", 5, 1);
    cr_assert_eq(blob_provider_remove(provider, "large"), OK);
    check_list("other ");
    check_noise("other", 5, 1);
}

Test(postgres_blobs, are_listed_in_order_also_where_the_first_piece_is_missing)
{
    put_noise("b", 1, 1);
    put_noise("a", PIECE + 1, 2);
    database_run(uri, "INSERT INTO diorama_blob VALUES ('C', 7, 'half')");
    check_list("C a b ");
}

static bool
count_name(void *context, const char *object)
{
    (void)object;
    ++*(size_t *)context;
    return true;
}

Test(postgres_blobs, are_listed_over_many_pages)
{
    size_t count = 0;
    database_run(uri, "INSERT INTO diorama_blob SELECT to_char(n, '00000'), 0, '' "
                      "FROM generate_series(1, 2000) AS n");
    cr_assert_eq(blob_provider_list(provider, count_name, &count), OK);
    cr_assert_eq(count, 2000);
}

Test(postgres_blobs, survive_that_idle_connections_end)
{
    put_noise("object", 7, 1);
    check_noise("object", 7, 1);
    database_run(uri, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                      "WHERE application_name = 'dioramad' AND pid <> pg_backend_pid()");
    check_noise("object", 7, 1);
    put_noise("object", 8, 2);
    check_noise("object", 8, 2);
}

// ---------------------------------------------------------------- fence

static void
put_fence(store_version_t id)
{
    const struct store_operation fence = {.address = fence_place()};
    const struct store_commit commit = {
        .id = id, .operations = &fence, .operation_count = 1, .is_fenced = true};
    cr_assert_eq(store_commit(fixture.store, &commit, 0), STORE_OK);
}

static void
provide_fenced(void)
{
    blob_provider_destroy(&provider);
    put_fence(7);
    fence_set(fixture.store, 7);
    cr_assert_eq(store_provide_blobs(fixture.store, &provider), OK);
}

Test(postgres_blobs, of_who_is_in_charge_are_put_and_removed)
{
    provide_fenced();
    put_noise("object", PIECE + 1, 1);
    check_noise("object", PIECE + 1, 1);
    cr_assert_eq(blob_provider_remove(provider, "object"), OK);
    check_list("");
    cr_assert_not(lease_is_lost());
}

Test(postgres_blobs, of_who_was_replaced_are_not_put)
{
    provide_fenced();
    put_noise("before", 5, 1);
    put_fence(8);
    cr_assert_eq(put_bytes("late", "late", 4), ERR_UNAVAILABLE);
    cr_assert_eq(put_bytes("before", "late", 4), ERR_UNAVAILABLE);
    check_list("before ");
    check_noise("before", 5, 1);
    cr_assert(lease_is_lost());
}

Test(postgres_blobs, are_not_removed_by_who_was_replaced)
{
    provide_fenced();
    put_noise("before", PIECE + 1, 1);
    put_fence(8);
    cr_assert_eq(blob_provider_remove(provider, "before"), ERR_UNAVAILABLE);
    check_noise("before", PIECE + 1, 1);
    cr_assert(lease_is_lost());
}

// ---------------------------------------------------------------- trouble

Test(postgres_blobs, that_the_database_has_no_room_for_are_told_so_and_not_there)
{
    database_run(uri, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
                      "'BEGIN IF NEW.piece = 1 THEN RAISE EXCEPTION ''no room'' USING "
                      "ERRCODE = ''53100''; END IF; RETURN NEW; END'");
    database_run(uri, "CREATE TRIGGER refusal BEFORE INSERT ON diorama_blob "
                      "FOR EACH ROW EXECUTE FUNCTION refuse()");
    char *bytes = noise(2 * PIECE, 1);
    cr_assert_eq(put_bytes("large", bytes, 2 * PIECE), ERR_STORAGE_FULL);
    free(bytes);
    check_list("");
    put_noise("small", 5, 1);
    check_noise("small", 5, 1);
}

Test(postgres_blobs, are_of_a_store_that_has_room_for_them)
{
    struct engine_fixture rocks;
    blob_provider_t *none = NULL;
    engine_fixture_init(&rocks, 0);
    cr_assert_eq(store_provide_blobs(rocks.store, &none), ERR_INVALID);
    cr_assert_null(none);
    engine_fixture_finish(&rocks);
}

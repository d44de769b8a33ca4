// leaders.c - see leaders.h.
#include "tests/support/leaders.h"

#include <criterion/criterion.h>
#include <string.h>

#include "actors/streamer/streamer_epoch.h"
#include "proto/base/clock.h"
#include "store/backup/backup_folder.h"
#include "store/blob.h"
#include "store/store_open.h"

enum { KEEP_BYTES = 64 << 20 };

void
leader_serve(struct leader *self)
{
    cr_assert_eq(
        log_server_create(&self->config, self->store, self->blobs, &self->timeline, &self->server),
        OK, "%s", fault_last()->detail);
}

void
leader_open(struct leader *self, const struct temporary *folder, const char *name)
{
    char lineage[BACKUP_LINEAGE_SIZE];
    memset(self, 0, sizeof *self);
    temporary_path(folder, name, self->data);
    self->config = (struct config){.data_dir = self->data,
                                   .replica_endpoint = "tcp://127.0.0.1:*",
                                   .replica_curve = "",
                                   .backup_log = "",
                                   .store_fault = "",
                                   .replica_keep = KEEP_BYTES};
    cr_assert_eq(store_open(&self->config, &self->store), OK, "%s", fault_last()->detail);
    cr_assert_eq(blob_folder_open(&self->config, reserve_measure, &self->blobs), OK);
    backup_lineage(self->data, lineage);
    cr_assert_eq(streamer_next_epoch(self->store, lineage, &self->timeline, &self->epoch), OK);
    leader_serve(self);
}

void
leader_close(struct leader *self)
{
    log_server_destroy(&self->server);
    blobs_destroy(&self->blobs);
    store_destroy(&self->store);
}

struct replica_place
leader_place(struct leader *self)
{
    struct replica_place place = {.epoch = self->epoch};
    cr_assert_eq(store_position(self->store, &place.position), STORE_OK);
    return place;
}

uint64_t
leader_put(struct leader *self, const char *key, const char *value)
{
    const struct store_operation put = {.address = {FAMILY_SCENE, 3, {key, strlen(key)}},
                                        .value = {value, strlen(value)}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(self->store, &commit, 0), STORE_OK);
    return leader_place(self).position;
}

replica_source_t *
leader_source(const struct leader *self)
{
    replica_source_t *source = NULL;
    const struct replica_source_settings settings = {.endpoint = log_server_endpoint(self->server),
                                                     .curve = ""};
    cr_assert_eq(replica_source_create(&settings, &source), OK, "%s", fault_last()->detail);
    return source;
}

struct blob_hash
leader_blob(struct leader *self, const void *bytes, size_t size)
{
    blob_writer_t *writer;
    struct blob_pin *pin;
    cr_assert_eq(blob_begin(self->blobs, size, &writer), OK);
    cr_assert_eq(blob_write(writer, bytes, size), OK);
    cr_assert_eq(blob_finish(&writer, &pin), OK);
    struct blob_hash hash = pin->hash;
    blob_keep(self->blobs, &hash);
    blob_unpin(&pin);
    return hash;
}

// log_shipper.h - a thread that writes what is committed to `backup.log`, within a second. Any
// thread may call.
//
// Where the folder cannot be written the server goes on: the store keeps its commits meanwhile, as
// far as there is room. What it could not keep is a gap: the log begins anew then, as a chain that
// goes on from no earlier backup.
#ifndef DIORAMA_ACTORS_BACKUP_LOG_SHIPPER_H
#define DIORAMA_ACTORS_BACKUP_LOG_SHIPPER_H

#include "proto/config/config.h"
#include "proto/message/blob.h"
#include "store/backup/log_frame.h"
#include "store/store.h"

typedef struct log_shipper log_shipper_t;

enum { LOG_REASON_SIZE = 256 };

struct log_status {
    const char *dir;
    bool has_chain; // else it has not begun yet
    unsigned char chain[LOG_CHAIN_BYTES];
    uint64_t covered_us;          // by the calendar: it has all until then
    char reason[LOG_REASON_SIZE]; // why it does not go on; "" = it does
};

// Starts the thread; *ret_shipper stays NULL where there is no backup.log. From here on no blob is
// removed before the log has it. Configuration, store and blobs are borrowed until the end.
fallible log_shipper_create(const struct config *config, store_t *store, blobs_t *blobs,
                            log_shipper_t **ret_shipper);

// What is committed by now is written first, as far as two seconds allow. Accepts NULL.
void log_shipper_destroy(log_shipper_t **self);

void log_shipper_status(log_shipper_t *self, struct log_status *ret_status);

#endif

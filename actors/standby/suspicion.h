// suspicion.h - when whoever is in charge has said nothing for so long that its place may be taken.
// By the observer's own clock alone: it counts from when it last saw a beat that it had not seen.
#ifndef DIORAMA_ACTORS_STANDBY_SUSPICION_H
#define DIORAMA_ACTORS_STANDBY_SUSPICION_H

#include "store/store.h"

struct suspicion {
    store_version_t version; // of the beat that was seen last
    uint64_t since_ms;       // when, by clock_boot_ms
    bool has_seen;
};

// Looks that began and ended then, and read this version; `is_read` false where they failed. A look
// that failed or took over a second begins the silence anew: nobody could beat either while the
// database was away, and who is back first must not take the place of another who is about to be.
void suspicion_look(struct suspicion *self, bool is_read, store_version_t version,
                    uint64_t began_ms, uint64_t ended_ms);

// Whether LEASE_SILENT_MS have passed without a new beat, at the end of the last look.
bool suspicion_is_sure(const struct suspicion *self, uint64_t ended_ms);

#endif

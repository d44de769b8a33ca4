// device_sessions.h - which corrections of a device count, and which of them belong together
// (alignment, "Definitions"). Pure.
//
// A device's coordinates mean something only while it stays registered. A correction therefore
// vouches for the time of the registration that it belongs to; registrations that overlap in time,
// directly or through others, are one session of the device. Within a session the newest
// correction in each scene counts, those before it are superseded.
#ifndef DIORAMA_ACTORS_ALIGNMENT_DEVICE_SESSIONS_H
#define DIORAMA_ACTORS_ALIGNMENT_DEVICE_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One correction of a device.
struct statement {
    uint64_t scene_id;
    uint64_t time_us;  // when it came
    uint64_t since_us; // its registration, or the session that this belongs to
    uint64_t until_us; // 0 = open
    const void *whose; // of the caller
    uint64_t session;  // set by device_sessions_judge: a number of this device
    bool counts;       // the same
};

// Judges all statements of one device; orders them by scene, registration and time. A registration
// that one of its statements says the end of has ended; one that none does is open. The same
// statements give the same sessions, whatever their order.
void device_sessions_judge(struct statement *statements, size_t count, uint64_t device);

#endif

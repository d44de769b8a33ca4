// device_sessions.h - which corrections of a device count, and which of them belong together. Pure.
//
// A device keeps one system of coordinates only while it stays registered. A correction is
// therefore valid for the time of its registration. Registrations that overlap in time, directly or
// through others, are one session of the device. In a session the newest correction in each scene
// counts; it supersedes the older ones.
#ifndef DIORAMA_ACTORS_ALIGNMENT_DEVICE_SESSIONS_H
#define DIORAMA_ACTORS_ALIGNMENT_DEVICE_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One correction of a device.
struct statement {
    uint64_t scene_id;
    uint64_t time_us;  // when it was sent
    uint64_t since_us; // begin of its registration, or of the session that this belongs to
    uint64_t until_us; // 0 = open
    const void *owner; // for the caller
    uint64_t session;  // set by device_sessions_judge: its number
    bool counts;       // set by device_sessions_judge
};

// Judges all statements of one device and orders them by scene, registration and time. A
// registration has ended if one of its statements says so. The same statements give the same
// sessions, whatever their order.
void device_sessions_judge(struct statement *statements, size_t count, uint64_t device);

#endif

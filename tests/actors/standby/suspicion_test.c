// suspicion_test.c - when a silence is long enough.
#include "actors/standby/suspicion.h"

#include <criterion/criterion.h>

#include "proto/message/lease.h"

enum { BEAT = 7, NEXT_BEAT = 8, BEGIN_MS = 5000 };

static struct suspicion suspicion;

static bool
look(bool is_read, store_version_t version, uint64_t at_ms)
{
    suspicion_look(&suspicion, is_read, version, at_ms, at_ms);
    return suspicion_is_sure(&suspicion, at_ms);
}

Test(suspicion, it_is_sure_when_one_beat_was_seen_for_so_long)
{
    cr_assert_not(look(true, BEAT, BEGIN_MS));
    cr_assert_not(look(true, BEAT, BEGIN_MS + LEASE_SILENT_MS - 1));
    cr_assert(look(true, BEAT, BEGIN_MS + LEASE_SILENT_MS));
}

Test(suspicion, each_beat_begins_it_anew)
{
    look(true, BEAT, BEGIN_MS);
    cr_assert_not(look(true, NEXT_BEAT, BEGIN_MS + LEASE_SILENT_MS));
    cr_assert_not(look(true, NEXT_BEAT, BEGIN_MS + 2 * LEASE_SILENT_MS - 1));
    cr_assert(look(true, NEXT_BEAT, BEGIN_MS + 2 * LEASE_SILENT_MS));
}

Test(suspicion, who_could_not_look_begins_anew)
{
    look(true, BEAT, BEGIN_MS);
    cr_assert_not(look(false, 0, BEGIN_MS + LEASE_SILENT_MS - 1));
    cr_assert_not(look(true, BEAT, BEGIN_MS + LEASE_SILENT_MS));
    cr_assert(look(true, BEAT, BEGIN_MS + 2 * LEASE_SILENT_MS));
}

Test(suspicion, who_was_answered_late_begins_anew)
{
    uint64_t late_ms = BEGIN_MS + LEASE_SILENT_MS + 1;
    look(true, BEAT, BEGIN_MS);
    suspicion_look(&suspicion, true, BEAT, late_ms - 1001, late_ms);
    cr_assert_not(suspicion_is_sure(&suspicion, late_ms));
}

Test(suspicion, who_has_seen_nothing_is_never_sure)
{
    cr_assert_not(look(false, 0, BEGIN_MS));
    cr_assert_not(look(false, 0, BEGIN_MS + 3 * LEASE_SILENT_MS));
}

// device_evidence_test.c - what one device said, among what all said.
#include "actors/scene/device/device_evidence.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "proto/records/correction.h"

static struct arena arena;
static struct device_evidence evidence;

static void
end(void)
{
    device_evidence_finish(&evidence);
    arena_finish(&arena);
}

TestSuite(device_evidence, .fini = end);

// One reference, yours.
static const frozen_t *
correction(int id, const char *device, int64_t time_us)
{
    struct record *record = record_new(&arena, &correction_schema);
    record_set_text(record, CORRECTION_ID, text_format(&arena, "%06d", id));
    record_set_text(record, CORRECTION_DEVICE, text_from(&arena, device));
    record_set_integer(record, CORRECTION_TIME, time_us);
    return record_freeze(&correction_schema, record);
}

static void
put(int id, const char *device, int64_t time_us)
{
    const frozen_t *made = correction(id, device, time_us);
    device_evidence_put(&evidence, made);
    record_unref(&made);
}

static void
remove_one(int id, const char *device)
{
    const frozen_t *gone = correction(id, device, 0);
    device_evidence_remove(&evidence, gone);
    record_unref(&gone);
}

static const frozen_t *const *
of(const char *device, size_t *ret_count)
{
    return device_evidence_of(&evidence, text_from(&arena, device), ret_count);
}

Test(device_evidence, only_what_the_device_said_is_looked_at_oldest_first)
{
    enum { DEVICES = 200, EACH = 50 };
    char device[16];
    size_t count;
    for (int i = 0; i < DEVICES * EACH; i++) {
        snprintf(device, sizeof device, "d%d", i % DEVICES);
        put(i, device, i);
    }
    const frozen_t *const *said = of("d7", &count);
    cr_assert_eq(count, EACH, "of %d in the scene", DEVICES * EACH);
    for (int i = 0; i < EACH; i++)
        cr_expect_eq(correction_record_of(frozen_record(said[i]))->time_us, 7 + i * DEVICES);
}

Test(device_evidence, a_new_state_takes_the_place_of_the_one_with_its_id)
{
    size_t count;
    put(1, "phone", 10);
    put(1, "phone", 20);
    const frozen_t *const *said = of("phone", &count);
    cr_assert_eq(count, 1);
    cr_expect_eq(correction_record_of(frozen_record(said[0]))->time_us, 20);
}

Test(device_evidence, a_device_whose_corrections_are_gone_takes_no_memory)
{
    size_t count;
    put(1, "phone", 10);
    put(2, "phone", 20);
    put(3, "glasses", 30);
    remove_one(1, "phone");
    of("phone", &count);
    cr_expect_eq(count, 1);
    remove_one(2, "phone");
    remove_one(2, "phone");
    cr_expect_null(of("phone", &count));
    cr_expect_eq(count, 0);
    cr_expect_eq(evidence.devices.count, 1);
}

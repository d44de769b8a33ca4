// fed_devices.c - a table of devices by scene and key (fed_devices.h).

#include "tests/support/fed_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

struct fed_device {
    struct subscriber subscriber;
    char name[64];
};

static struct table devices;

static bool
has_name(const void *value, const void *key)
{
    return strcmp(((const struct fed_device *)value)->name, key) == 0;
}

struct subscriber *
fed_device(uint64_t scene_id, const char *key)
{
    char name[64];
    snprintf(name, sizeof name, "%llu/%s", (unsigned long long)scene_id, key);
    struct fed_device *device = table_find(&devices, table_hash_chars(name), has_name, name);
    if (device)
        return &device->subscriber;
    device = memory_take_zeroed(sizeof *device);
    memcpy(device->name, name, sizeof name);
    table_add(&devices, table_hash_chars(name), device);
    return &device->subscriber;
}

void
fed_devices_end(void)
{
    size_t cursor = 0;
    for (struct fed_device *device; (device = table_next(&devices, &cursor)) != NULL;) {
        device_sealer_unref(&device->subscriber.sealer);
        free(device);
    }
    table_finish(&devices);
}

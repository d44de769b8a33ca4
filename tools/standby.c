// standby.c - see standby.h.
#include "tools/standby.h"

#include <stdio.h>

#include "actors/standby/charge_take.h"
#include "proto/base/clock.h"
#include "proto/base/version.h"
#include "proto/message/lease.h"
#include "tools/service_manager.h"

// Listens, so that whoever balances the load sees that this server is there, and not ready.
static fallible
listen(struct standby *self)
{
    self->quiet = *self->config;
    self->quiet.foxglove_port = 0;
    const struct gateway_surroundings surroundings = {
        .shards = 1, .version = version_text(), .book = self->book, .stands_by = true};
    TRY(gateway_create(&self->quiet, &surroundings, &self->gateway));
    printf("dioramad %s stands by http://%s:%d\n", version_text(), self->quiet.http_host,
           gateway_port(self->gateway));
    fflush(stdout);
    service_manager_tell("READY=1");
    return OK;
}

// Called again and again while another server is in charge.
static fallible
go_on_waiting(void *context, const char *name)
{
    struct standby *self = context;
    if (self->must_end())
        return fail(ERR_UNAVAILABLE, "", "told to end while %s was in charge", name);
    if (service_manager_watchdog_ms())
        service_manager_tell("WATCHDOG=1");
    return self->gateway ? OK : listen(self);
}

static fallible
take_charge(struct standby *self, store_t *store, const struct charge_taking *taking)
{
    struct seen_charge seen;
    TRY(charge_take(taking, &seen));
    return charge_keeper_create(store, &seen, self->replaced, &self->keeper);
}

fallible
standby_take_charge(struct standby *self, store_t *store)
{
    const struct charge_taking taking = {store, self->config, go_on_waiting, self};
    return store->is_shared ? take_charge(self, store, &taking) : OK;
}

static fallible
wait_until(void *context, const char *name)
{
    const uint64_t *until_ms = context;
    if (clock_left_ms(*until_ms) > 0)
        return OK;
    return fail(ERR_UNAVAILABLE, "",
                "another server (%s) uses the database of store.uri; stop it first", name);
}

fallible
standby_take_charge_soon(struct standby *self, store_t *store)
{
    uint64_t until_ms = clock_deadline_ms(LEASE_SILENT_MS + LEASE_BEAT_MS);
    const struct charge_taking taking = {store, self->config, wait_until, &until_ms};
    return store->is_shared ? take_charge(self, store, &taking) : OK;
}

void
standby_stop_listening(struct standby *self)
{
    if (!self->gateway)
        return;
    self->config->http_port = gateway_port(self->gateway); // who found it there finds it again
    gateway_destroy(&self->gateway);
}

void
standby_finish(struct standby *self)
{
    gateway_destroy(&self->gateway);
    charge_keeper_destroy(&self->keeper);
}

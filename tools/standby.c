// standby.c - see standby.h.
#include "tools/standby.h"

#include <stdio.h>

#include "proto/base/clock.h"
#include "proto/base/version.h"
#include "store/blob_place.h"
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
    self->has_listened = true;
    printf("dioramad %s stands by http://%s:%d\n", version_text(), self->quiet.http_host,
           gateway_port(self->gateway));
    fflush(stdout);
    service_manager_tell("READY=1");
    return OK;
}

// Who could not serve the bytes of assets does not stand by: a folder may go while it does.
static fallible
look_at_blobs(struct standby *self)
{
    enum { EVERY_MS = 2000 };
    if (self->looked_ms && clock_now_ms() < self->looked_ms + EVERY_MS)
        return OK;
    self->looked_ms = clock_now_ms();
    enum error error = blob_place_check(self->config, self->store);
    return error == ERR_UNAVAILABLE ? OK : error; // the database is away: it is waited for
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
    TRY(look_at_blobs(self));
    return self->gateway ? OK : listen(self);
}

fallible
standby_take_charge(struct standby *self, store_t *store)
{
    self->store = store;
    TRY(blob_place_check(self->config, store));
    self->looked_ms = clock_now_ms();
    const struct charge_taking taking = {store, self->config, go_on_waiting, self};
    return charge_hold(&taking, self->replaced, &self->keeper);
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

// device_claims.h - whether the devices that a request names are the caller's to name (decisions 8,
// 12): the user actor is asked before the request goes on. Where users log in alone.
#ifndef DIORAMA_GATEWAY_REQUEST_DEVICE_CLAIMS_H
#define DIORAMA_GATEWAY_REQUEST_DEVICE_CLAIMS_H

#include "gateway/request/actor_client.h"

// Asks about the devices of the records and of params.device; a registration claims those that are
// nobody's yet, and gives a key to those that have none. Fails with ERR_FORBIDDEN where one belongs
// to another user; an unlock goes on all the same with caller.takes_device set, as the owner of
// the scene may do that. Fails as actor_client_ask does.
fallible device_claims_settle(actor_client_t *client, struct message *message);

#endif

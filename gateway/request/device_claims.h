// device_claims.h - checks that the caller may name the devices of a request: asks the user actor
// before the scene actor gets the request. Used only while auth.enabled is true.
#ifndef DIORAMA_GATEWAY_REQUEST_DEVICE_CLAIMS_H
#define DIORAMA_GATEWAY_REQUEST_DEVICE_CLAIMS_H

#include "gateway/request/actor_client.h"

// Whether the request would lock objects in the name of a device: `owner` of what it creates or
// changes.
bool device_claims_name_owner(const struct message *message);

// Asks about the devices of the records and params.device. A registration claims devices without an
// owner and generates a key for those without one. Fails with ERR_FORBIDDEN if a device belongs to
// another user. Some requests only set caller.takes_device then, and the scene actor decides: an
// unlock, because the owner of the scene may do it; an update whose `owner` it is, because the
// object may be locked by that device already; an alignment, a deregistration and the end of one
// device, because a device that is not in the scene is 404 to everybody. Fails as actor_client_ask
// does.
fallible device_claims_settle(actor_client_t *client, const struct asker *asker,
                              struct message *message);

#endif

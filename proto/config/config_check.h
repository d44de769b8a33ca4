// config_check.h - what a setting's value must be where a range or a list of words cannot say it.
#ifndef DIORAMA_PROTO_CONFIG_CONFIG_CHECK_H
#define DIORAMA_PROTO_CONFIG_CONFIG_CHECK_H

#include "proto/config/config.h"

// Checks of one value: what it must be ("an IPv4 or IPv6 address, or localhost"), or NULL where it
// is.
const char *check_not_empty(const char *value);
const char *check_token(const char *value); // may be none
const char *check_host(const char *value);
const char *check_addresses(const char *value);  // comma-separated, may be none
const char *check_networks(const char *value);   // comma-separated CIDR, may be none
const char *check_half_lives(const char *value); // method=seconds, comma-separated, may be none

// The seconds that a list of half-lives has for a method; 0 where it has none.
double half_life_s(const char *list, const char *method);

// Checks of several settings together: without users, whoever reaches a port may do everything, so
// only loopback is served unless the operator says otherwise (decisions 12; live-feed, PUB).
fallible config_check(const struct config *config);

// Whether what is published may be read by whoever reaches the endpoint; ERR_INVALID where not.
fallible config_check_publisher(const struct config *config);

#endif

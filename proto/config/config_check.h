// config_check.h - rules for the values of settings that a range or a list of words cannot express.
#ifndef DIORAMA_PROTO_CONFIG_CONFIG_CHECK_H
#define DIORAMA_PROTO_CONFIG_CONFIG_CHECK_H

#include "proto/config/config.h"

// Checks of one value: return what it must be ("an IPv4 or IPv6 address, or localhost"), or NULL if
// it is right.
const char *check_not_empty(const char *value);
const char *check_token(const char *value);     // may be none
const char *check_store_uri(const char *value); // may be none
const char *check_host(const char *value);
const char *check_origins(const char *value);   // comma-separated, may be none
const char *check_addresses(const char *value); // comma-separated, may be none
const char *check_networks(const char *value);
const char *check_interface(const char *value);  // IPv4, may be none
const char *check_half_lives(const char *value); // method=seconds, comma-separated, may be none

// The half-life of a method in seconds, from such a list; 0 if the list does not name it.
double half_life_s(const char *list, const char *method);

// Checks of several settings together. Without users everybody who reaches a port may do
// everything, so only loopback is served unless the operator allows more.
fallible config_check(const struct config *config);

// Whether everybody who reaches the endpoint may read what is published; ERR_INVALID if not.
fallible config_check_publisher(const struct config *config);

// Whether only who may have all that is stored can reach replica.endpoint; ERR_INVALID if not.
fallible config_check_replica(const struct config *config);

// Whether nothing is asked for beside store.uri that RocksDB alone can do; ERR_INVALID if it is.
fallible config_check_database(const struct config *config);

#endif

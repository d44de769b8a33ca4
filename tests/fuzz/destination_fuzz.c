// destination_fuzz.c - where a device asks its datagrams to be sent. Lines: hostname, port,
// connection_string, peer, trusted networks. Whatever is asked for, an address that may not be sent
// to never comes out, and no host name that some resolver would take for an address.
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "proto/config/config_check.h"
#include "proto/feed/destinations.h"
#include "proto/record/record_check.h"
#include "tests/fuzz/fuzz.h"

static const uint16_t own_ports[] = {8762, 8080};

static struct device *
read_device(struct arena *arena, struct input *input)
{
    struct record *device = record_new(arena, &device_schema);
    const char *hostname = input_line(input, arena), *port = input_line(input, arena);
    const char *connection_string = input_line(input, arena);
    if (*hostname)
        record_set_text(device, DEVICE_HOSTNAME, text_from(arena, hostname));
    if (*port)
        record_set_integer(device, DEVICE_PORT, strtoll(port, NULL, 10));
    if (*connection_string)
        record_set_text(device, DEVICE_CONNECTION_STRING, text_from(arena, connection_string));
    return (struct device *)(void *)device;
}

static void
read_caller(struct arena *arena, struct input *input, struct caller *ret_caller)
{
    const char *peer = input_line(input, arena);
    *ret_caller = (struct caller){.loopback = strncmp(peer, "127.", 4) == 0};
    strncpy(ret_caller->peer, peer, sizeof ret_caller->peer - 1);
}

static bool
is_address(const char *chars)
{
    struct in6_addr address;
    return inet_pton(AF_INET, chars, &address) == 1 || inet_pton(AF_INET6, chars, &address) == 1;
}

static void
check_address(const char *address, const struct caller *caller, const char *networks)
{
    must(is_address(address));
    must(destination_address_allowed(address, caller->loopback));
    must(destination_address_is_proven(address, address, ""));
    if (!check_networks(networks) && destination_address_is_proven(address, "", networks))
        must(*networks != '\0');
}

static void
check_name(const char *host)
{
    struct in_addr address;
    size_t size = strlen(host);
    must(size > 0 && size < DESTINATION_HOST_SIZE);
    must(strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") == size);
    must(!is_address(host) && !inet_aton(host, &address));
}

static void
check_form(const struct destination *asked)
{
    if (asked->form != FEED_PLAIN)
        must(asked->rate_hz >= 1 && asked->rate_hz <= PACKED_RATE_MAXIMUM_HZ);
    else
        must(asked->rate_hz == 0);
    bool is_track = asked->form == FEED_TRACK;
    must(strlen(asked->object) == (is_track ? DESTINATION_OBJECT_SIZE - 1 : 0));
    must(is_track ? asked->source >= 1 && asked->source <= 200 : asked->source == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct input input = input_of(data, size);
    struct caller caller;
    enum destination_kind kind;
    char address[DESTINATION_ADDRESS_SIZE];
    int port = 0;
    struct destination asked = {0};
    struct device *device = read_device(&arena, &input);
    read_caller(&arena, &input, &caller);
    const char *networks = input_line(&input, &arena);
    if (record_check(&device->base, "") == OK &&
        destination_choose(device, &caller, own_ports, 2, "", &kind, address, &port) == OK) {
        must((kind != DESTINATION_NONE) == destination_of(device, &asked));
        must(port == asked.port && (kind == DESTINATION_NONE || port >= 1024));
        must(port != own_ports[0] && port != own_ports[1]);
        if (kind == DESTINATION_ADDRESS)
            check_address(address, &caller, networks);
        else if (kind == DESTINATION_NAME)
            check_name(asked.host);
        check_form(&asked);
    }
    arena_finish(&arena);
    return 0;
}

// magic_pool.h - asks libmagic what the first bytes of a file are, on threads of its own and within
// a limit of time: some texts take it hundreds of times longer than others.
#ifndef DIORAMA_GATEWAY_REQUEST_MAGIC_POOL_H
#define DIORAMA_GATEWAY_REQUEST_MAGIC_POOL_H

#include <stdbool.h>
#include <stddef.h>

enum { MAGIC_TYPE_SIZE = 128, MAGIC_EXTENSION_SIZE = 32 };

// "" where libmagic does not know.
struct magic_answer {
    char media_type[MAGIC_TYPE_SIZE];
    char extension[MAGIC_EXTENSION_SIZE]; // without its dot; only if it was asked for
};

// Asks about the first `size` bytes of a file, of which it looks at LIMIT_SNIFF_BYTES. False if it
// took too long: more than 10 ms of a thread's time, or 100 ms with all that was asked before. Any
// thread.
bool magic_pool_ask(const void *head, size_t size, bool wants_extension,
                    struct magic_answer *ret_answer);

#endif

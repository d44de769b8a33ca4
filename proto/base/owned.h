// owned.h - a local owner declared with its end.
// Destructors take the address of the pointer and accept NULL:
// `owned(buffer_destroy) buffer_t *out = buffer_create();`
#ifndef DIORAMA_PROTO_BASE_OWNED_H
#define DIORAMA_PROTO_BASE_OWNED_H

#define owned(destructor) __attribute__((cleanup(destructor)))

// The struct of type `type` whose member `member` is at `pointer`.
#define container_of(pointer, type, member)                                                        \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

#endif

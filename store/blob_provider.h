// blob_provider.h - where the bytes of assets are kept, if not in the folder of the process alone:
// objects by name, each put once and whole. The folder is a cache of them then (blob_remote.h). Any
// thread; each call may take as long as its bytes do.
//
// What is put and removed is fenced (fence.h): of a process whose place was taken neither takes
// effect.
#ifndef DIORAMA_STORE_BLOB_PROVIDER_H
#define DIORAMA_STORE_BLOB_PROVIDER_H

#include <stdbool.h>

#include "proto/base/error.h"

#define BLOB_OBJECT_SIZE 96 // of a name, with its NUL; a number that SQL has in its text

// What a provider has: its structs begin with this.
typedef struct blob_provider {
    const struct blob_provider_engine *engine;
} blob_provider_t;

// False ends the list. It may call the provider.
typedef bool blob_object_visitor(void *context, const char *object);

struct blob_provider_engine {
    fallible (*put)(blob_provider_t *self, const char *object, int file);
    fallible (*fetch)(blob_provider_t *self, const char *object, int file);
    fallible (*remove)(blob_provider_t *self, const char *object);
    fallible (*list)(blob_provider_t *self, blob_object_visitor *visit, void *context);
    void (*destroy)(blob_provider_t *self);
};

// Puts all bytes of a file, durable when it returns; an object of this name is replaced. Nobody
// sees it before it is whole. Fails with ERR_STORAGE_FULL, and with ERR_UNAVAILABLE, where it may
// be there whole all the same.
fallible blob_provider_put(blob_provider_t *self, const char *object, int file);

// Writes the bytes of an object to an empty file. Fails with ERR_NOT_FOUND, with ERR_UNAVAILABLE,
// and with ERR_INTERNAL where they cannot be read. Whether they are the right ones is not looked
// at.
fallible blob_provider_fetch(blob_provider_t *self, const char *object, int file);

// Removes an object; it need not be there. Fails with ERR_UNAVAILABLE: some of it may be gone then.
fallible blob_provider_remove(blob_provider_t *self, const char *object);

// Visits the names of all objects in bytewise order, those too of which not all is there.
fallible blob_provider_list(blob_provider_t *self, blob_object_visitor *visit, void *context);

// Accepts NULL.
void blob_provider_destroy(blob_provider_t **self);

#endif

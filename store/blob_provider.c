// blob_provider.c - hands each call to the provider behind (blob_provider.h).
#include "store/blob_provider.h"

#include <stddef.h>

fallible
blob_provider_put(blob_provider_t *self, const char *object, int file)
{
    return self->engine->put(self, object, file);
}

fallible
blob_provider_fetch(blob_provider_t *self, const char *object, int file)
{
    return self->engine->fetch(self, object, file);
}

fallible
blob_provider_remove(blob_provider_t *self, const char *object)
{
    return self->engine->remove(self, object);
}

fallible
blob_provider_list(blob_provider_t *self, blob_object_visitor *visit, void *context)
{
    return self->engine->list(self, visit, context);
}

void
blob_provider_destroy(blob_provider_t **self)
{
    if (*self)
        (*self)->engine->destroy(*self);
    *self = NULL;
}

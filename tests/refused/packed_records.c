// packed_records.c - what the compiler must refuse: a packed record read as a plain one, and the
// other way round. RIGHT is what differs from the cases by the type alone, and must compile.
#include "proto/message/message.h"

void read_all(struct message *message, const packed_t *packed, const frozen_t *frozen);

void
read_all(struct message *message, const packed_t *packed, const frozen_t *frozen)
{
    struct opened room;
#if defined(RIGHT)
    (void)packed_open(packed, &room);
    (void)frozen_record(frozen);
    (void)packed_key(packed);
    (void)frozen_key(frozen);
    reply_add(message, packed_frozen(packed));
    packed_unref(&packed);
#elif defined(READ_PACKED)
    (void)frozen_record(packed);
#elif defined(KEY_OF_PACKED)
    (void)frozen_key(packed);
#elif defined(OPEN_FROZEN)
    (void)packed_open(frozen, &room);
#elif defined(ADD_PACKED)
    reply_add(message, packed);
#elif defined(UNREF_PACKED)
    record_unref(&packed);
#endif
    (void)message, (void)packed, (void)frozen, (void)room;
}

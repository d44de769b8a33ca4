// loose_records.c - what the compiler must refuse: loose records where frozen ones are due. Each
// case is compiled by itself (tests/CMakeLists.txt); RIGHT is what differs from them by the type
// alone, and must compile.
#include "actors/runtime/batch.h"
#include "actors/runtime/record_set.h"
#include "proto/feed/event.h"
#include "proto/message/message.h"

void hand_over(struct message *message, struct record_set *set, struct batch *batch,
               struct event *event, const struct record *loose, const frozen_t *frozen);

void
hand_over(struct message *message, struct record_set *set, struct batch *batch, struct event *event,
          const struct record *loose, const frozen_t *frozen)
{
#if defined(RIGHT)
    reply_add(message, frozen);
    reply_add_loose(message, loose->schema, loose);
    record_set_put(set, frozen);
    batch_put_record(batch, 0, (struct key){0}, frozen);
    event->record = record_ref(frozen);
    record_unref(&frozen);
#elif defined(REPLY_ADD)
    reply_add(message, loose);
#elif defined(RECORD_SET_PUT)
    record_set_put(set, loose);
#elif defined(BATCH_PUT_RECORD)
    batch_put_record(batch, 0, (struct key){0}, loose);
#elif defined(EVENT)
    event->record = loose;
#elif defined(RECORD_REF)
    record_ref(loose);
#elif defined(RECORD_UNREF)
    record_unref(&loose);
#elif defined(READ_FROZEN)
    (void)record_key(frozen);
#endif
    (void)message, (void)set, (void)batch, (void)event, (void)loose, (void)frozen;
}

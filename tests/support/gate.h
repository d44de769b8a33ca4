// gate.h - an engine over another with two gates, one for commits and one for reads, so that a test
// decides by events, not by time, what happens while a commit or a read is under way.
#ifndef DIORAMA_TESTS_SUPPORT_GATE_H
#define DIORAMA_TESTS_SUPPORT_GATE_H

#include "store/store.h"

enum gate { GATE_COMMITS, GATE_READS, GATE_COUNT };

// Wraps *inner (taken). Both gates are open.
store_t *gate_wrap(store_t **inner);

// Calls of other families pass that gate, and are not counted: what other actors do meanwhile.
void gate_watch_only(store_t *self, enum gate gate, enum family family);

// From now on each call waits at the gate.
void gate_close(store_t *self, enum gate gate);

// Lets all through that wait and that come.
void gate_open(store_t *self, enum gate gate);

// Lets the next call through, one that waits already or the next to come.
void gate_pass_one(store_t *self, enum gate gate);

// Waits until a call stands at the closed gate. False after 10 s.
bool gate_await(store_t *self, enum gate gate);

// How many calls have ended.
uint64_t gate_ended(store_t *self, enum gate gate);

// Waits until `count` calls have ended. False after 10 s.
bool gate_await_ended(store_t *self, enum gate gate, uint64_t count);

#endif

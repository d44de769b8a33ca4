// shown_reads.h - reads that a worker answers by itself, out of what actors publish
// (proto/message/shown.h). Any worker thread.
#ifndef DIORAMA_GATEWAY_REQUEST_SHOWN_READS_H
#define DIORAMA_GATEWAY_REQUEST_SHOWN_READS_H

#include "proto/message/shown.h"

// Answers the message, whose caller is looked up already, as its actor would now. False: it is to
// be asked; refusals are always its own. `shown` may be NULL.
bool shown_reads_answer(const struct shown_tables *shown, struct message *message);

#endif

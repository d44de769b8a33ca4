// encoder.c - datagrams of all forms (encoder.h): of the batch of a lane, of a backlog, of an
// answer.

#include "actors/streamer/fanout/encoder.h"

#include "proto/feed/feed_notes.h"
#include "proto/feed/feed_plain.h"
#include "proto/feed/feed_track.h"
#include "proto/message/metrics.h"

enum {
    GROUP_SENDS = 16384,   // datagrams of one group, to all devices together
    ANSWER_DATAGRAMS = 32, // to a device that asks for what it missed
};

void
encoder_init(struct encoder *self, const struct config *config, int udp_socket, uint64_t epoch)
{
    *self =
        (struct encoder){.config = config, .epoch = epoch, .sender = udp_sender_create(udp_socket)};
}

void
encoder_finish(struct encoder *self)
{
    udp_sender_destroy(&self->sender);
    feed_packed_finish(&self->packed);
    sealed_group_finish(&self->clear);
}

// The event in the axes of the lane's devices; its record is one reference.
static struct event
encoder_shown(const struct lane *lane, const struct event *event)
{
    struct event shown = *event;
    shown.record = convention_shown(lane->convention, event->record);
    return shown;
}

// An empty buffer for the next datagram, and how long it is on the network when it is filled.
static struct buffer *
encoder_datagram(struct encoder *self, const struct lane *lane)
{
    return lane->key.is_sealed ? sealed_group_datagram(&self->clear)
                               : udp_sender_datagram(self->sender);
}

static size_t
datagram_size(const struct lane *lane, const struct buffer *datagram)
{
    return datagram->size + (lane->key.is_sealed ? SEAL_BYTES : 0);
}

static size_t
encoder_plain(struct encoder *self, const struct lane *lane, const struct event *event,
              uint64_t prev)
{
    struct buffer *datagram = encoder_datagram(self, lane);
    struct event shown = encoder_shown(lane, event);
    feed_plain_write(&shown, prev, self->config->udp_base64_filler || lane->key.has_filler,
                     datagram);
    record_unref(&shown.record);
    return datagram->size;
}

// False if the datagram is full.
static bool
encoder_pack(struct encoder *self, const struct lane *lane, const struct event *event,
             uint64_t members, const struct packed_name *name)
{
    struct event shown = encoder_shown(lane, event);
    struct packed_name used = lane->key.has_indices ? *name : (struct packed_name){0};
    self->packed.reserve = lane->key.is_sealed ? SEAL_BYTES : 0;
    bool fits = feed_packed_add_named(&self->packed, &shown, members, &used);
    record_unref(&shown.record);
    return fits;
}

// The whole state of an entity, for a device by itself: with its key, and its index if there is
// one.
static bool
encoder_pack_whole(struct encoder *self, const struct lane *lane, const struct event *event)
{
    const struct pending_repeat *repeat = retransmit_find(&lane->retransmit, event);
    struct packed_name name = {repeat ? repeat->index : 0, true};
    return encoder_pack(self, lane, event, feed_packed_difference(NULL, event_record(event)),
                        &name);
}

// Ends the datagram that is packed.
static size_t
encoder_close(struct encoder *self, const struct lane *lane, uint64_t prev, uint64_t seq)
{
    struct buffer *datagram = encoder_datagram(self, lane);
    feed_packed_close(&self->packed, self->epoch, prev, seq, datagram);
    return datagram_size(lane, datagram);
}

// Adds as many changes as fit. False if the datagram is full.
static bool
encoder_pack_changes(struct encoder *self, struct lane *lane)
{
    for (; lane->next_event < lane->leaving.count; lane->next_event++) {
        struct event event = lane->leaving.events[lane->next_event];
        if (self->packed.count && lane_is_at_gap(lane, event.seq))
            return false;
        struct pending_repeat *repeat = retransmit_find(&lane->retransmit, &event);
        struct sending sending = retransmit_sending(repeat, &event, lane->begun_us);
        const struct event sent = event;
        event.msg_type = sending.msg_type;
        struct packed_name name = {sending.index, sending.has_key};
        if (!encoder_pack(self, lane, &event, sending.members, &name))
            return false;
        retransmit_note_change(&lane->retransmit, repeat, &sent, &sending, lane->begun_us);
        lane->sent = event.seq;
    }
    return true;
}

static void
encoder_pack_repeats(struct encoder *self, struct lane *lane)
{
    struct pending_repeat *repeat;
    while ((repeat = retransmit_next(&lane->retransmit, lane->begun_us)) != NULL) {
        struct event event = repeat->event;
        event.msg_type = repeat->msg_type;
        struct packed_name name = {repeat->index, true};
        if (!encoder_pack(self, lane, &event, repeat->members, &name))
            return;
        retransmit_note_repeat(&lane->retransmit, repeat, lane->begun_us);
    }
}

static size_t
encoder_next_packed(struct encoder *self, struct lane *lane)
{
    bool has_changes = lane->next_event < lane->leaving.count;
    if (has_changes)
        lane_pass_gap(lane, lane->leaving.events[lane->next_event].seq);
    uint64_t prev = lane->sent;
    if (encoder_pack_changes(self, lane))
        encoder_pack_repeats(self, lane);
    lane_note_sent(lane, has_changes);
    return encoder_close(self, lane, prev, lane->sent);
}

// Where a feed is: up to which number its devices were sent everything.
static struct feed_place
encoder_place(const struct encoder *self, const struct lane *lane, uint64_t seq)
{
    const frozen_t *scene = lane->stream->scene;
    return (struct feed_place){
        .scene = scene ? frozen_key(scene) : NULL, .epoch = self->epoch, .seq = seq};
}

static size_t
encoder_tail(struct encoder *self, const struct lane *lane, uint64_t seq)
{
    struct buffer *datagram = encoder_datagram(self, lane);
    struct feed_place place = encoder_place(self, lane, seq);
    feed_note_tail(lane->key.form, &place, datagram);
    return datagram_size(lane, datagram);
}

static size_t
encoder_next_plain(struct encoder *self, struct lane *lane)
{
    bool has_changes = lane->next_event < lane->leaving.count;
    lane_note_sent(lane, has_changes);
    if (!has_changes)
        return encoder_tail(self, lane, lane->sent);
    const struct event *event = &lane->leaving.events[lane->next_event++];
    lane_pass_gap(lane, event->seq);
    uint64_t prev = lane->sent;
    lane->sent = event->seq;
    return encoder_plain(self, lane, event, prev);
}

static size_t
encoder_packet(struct encoder *self, struct lane *lane, const struct event *event)
{
    struct buffer *datagram = encoder_datagram(self, lane);
    const struct track_packet packet = {
        .epoch = self->epoch, .number = ++lane->packets, .source = lane->key.source};
    feed_track_write(event, &packet, datagram);
    return datagram->size;
}

// The newest pose; or, when it does not change any more, the same again, as packets get lost.
static size_t
encoder_next_track(struct encoder *self, struct lane *lane)
{
    bool has_changes = lane->next_event < lane->leaving.count;
    lane_note_sent(lane, has_changes);
    if (!has_changes) {
        struct pending_repeat *repeat = retransmit_next(&lane->retransmit, lane->begun_us);
        size_t size = encoder_packet(self, lane, &repeat->event);
        retransmit_note_repeat(&lane->retransmit, repeat, lane->begun_us);
        return size;
    }
    const struct event *event = &lane->leaving.events[lane->next_event++];
    struct pending_repeat *repeat = retransmit_find(&lane->retransmit, event);
    struct sending sending = retransmit_sending(repeat, event, lane->begun_us);
    lane_pass_gap(lane, event->seq);
    lane->sent = event->seq;
    size_t size = encoder_packet(self, lane, event);
    retransmit_note_change(&lane->retransmit, repeat, event, &sending, lane->begun_us);
    return size;
}

// How the datagrams of a form are made.
static const struct form {
    size_t (*next)(struct encoder *self, struct lane *lane); // makes it; returns its size
    unsigned least, most;                                    // of one group
    enum metric_cell sent;
} forms[] = {
    [FEED_PLAIN] = {encoder_next_plain, 1, 4, COUNT_UDP_OUT},
    [FEED_PACKED] = {encoder_next_packed, 4, GROUP_DATAGRAMS, COUNT_UDP_OUT_PACKED},
    [FEED_TRACK] = {encoder_next_track, 1, 4, COUNT_UDP_OUT_TRACK},
};

unsigned
encoder_group(const struct lane *lane)
{
    const struct form *form = &forms[lane->key.form];
    unsigned fitting = GROUP_SENDS / (lane->device_count + 1);
    if (fitting < form->least)
        return form->least;
    return fitting < form->most ? fitting : form->most;
}

size_t
encoder_next(struct encoder *self, struct lane *lane)
{
    return forms[lane->key.form].next(self, lane);
}

void
encoder_begin(struct encoder *self, const struct lane *lane)
{
    if (lane->key.is_sealed)
        sealed_group_begin(&self->clear);
    else
        udp_sender_begin(self->sender, forms[lane->key.form].sent);
}

void
encoder_send(struct encoder *self, const struct subscriber *device)
{
    if (device->lane->key.is_sealed)
        sealed_group_to(&self->clear, &device->sealer->sealer, self->sender,
                        &device->receiver->endpoint);
    else
        udp_sender_to(self->sender, &device->receiver->endpoint);
}

void
encoder_flush(struct encoder *self)
{
    udp_sender_send(self->sender);
}

// Devices behind

// A datagram of one event, in a form that has no more of them.
static size_t
encoder_single(struct encoder *self, struct lane *lane, const struct event *event, uint64_t prev)
{
    return lane->key.form == FEED_TRACK ? encoder_packet(self, lane, event)
                                        : encoder_plain(self, lane, event, prev);
}

uint64_t
encoder_backlog(struct encoder *self, const struct subscriber *device, size_t *ret_size)
{
    struct lane *lane = device->lane;
    uint64_t last = device->since;
    struct event backlog;
    *ret_size = 0;
    if (!catch_up_after(&lane->catch_up, last, device->traffic->behind_since, &backlog))
        return last;
    if (lane->key.form != FEED_PACKED) {
        *ret_size = encoder_single(self, lane, &backlog, device->since);
        return backlog.seq;
    }
    do {
        if (!encoder_pack_whole(self, lane, &backlog))
            break;
        last = backlog.seq;
    } while (catch_up_after(&lane->catch_up, last, device->traffic->behind_since, &backlog));
    *ret_size = encoder_close(self, lane, device->since, last);
    return last;
}

// Answers

// Encodes the changes after `after` of what the device asked for into a datagram. Returns the
// number of the last one; `after` if there was none, and nothing is encoded then.
static uint64_t
encoder_again(struct encoder *self, struct lane *lane, const struct asked *asked, uint64_t after,
              size_t *bytes)
{
    uint64_t last = after, seq;
    struct event event;
    while (recent_changes_next(&lane->recent, asked->from, last, asked->to, &event, &seq)) {
        if (lane->key.form != FEED_PACKED) {
            event.seq = seq;
            *bytes += encoder_single(self, lane, &event, after);
            return seq;
        }
        if (!encoder_pack_whole(self, lane, &event))
            break;
        last = seq;
    }
    if (last > after)
        *bytes += encoder_close(self, lane, after, last);
    return last;
}

// What a device asked for, if it is known. What does not fit into the
// answer it asks for again, because it sees how far that goes.
static unsigned
encoder_changes(struct encoder *self, struct lane *lane, const struct asked *asked, size_t *bytes)
{
    unsigned count = 0;
    uint64_t after = asked->from - 1;
    for (; count < ANSWER_DATAGRAMS; count++) {
        uint64_t last = encoder_again(self, lane, asked, after, bytes);
        if (last == after)
            break;
        after = last;
    }
    return count;
}

// What a device was sent up to.
static uint64_t
sent_to(const struct subscriber *device)
{
    return device->is_behind ? device->since : device->lane->sent;
}

static size_t
encoder_refusal(struct encoder *self, const struct subscriber *device, enum feed_refusal reason)
{
    const struct lane *lane = device->lane;
    struct buffer *datagram = encoder_datagram(self, lane);
    struct feed_place place = encoder_place(self, lane, sent_to(device));
    feed_note_refusal(lane->key.form, &place, device->traffic->asked.from, reason, datagram);
    if (datagram->size > device->traffic->asked.bytes) {
        place.scene = NULL;
        feed_note_refusal(lane->key.form, &place, device->traffic->asked.from, reason, datagram);
    }
    return datagram_size(lane, datagram);
}

size_t
encoder_ask(struct encoder *self, const struct subscriber *device)
{
    const struct lane *lane = device->lane;
    struct buffer *datagram = encoder_datagram(self, lane);
    struct feed_place place = encoder_place(self, lane, sent_to(device));
    place.scene = frozen_key(device->traffic->ask->scene);
    feed_note_ask(lane->key.form, &place, device->traffic->ask, datagram);
    return datagram_size(lane, datagram);
}

unsigned
encoder_answer(struct encoder *self, const struct subscriber *device, bool is_busy,
               size_t *ret_bytes)
{
    struct asked asked = device->traffic->asked;
    struct lane *lane = device->lane;
    uint64_t sent = sent_to(device);
    *ret_bytes = 0;
    if (asked.is_refused || is_busy) {
        counter_add(COUNT_UDP_ASKED_BUSY, 1);
        *ret_bytes = encoder_refusal(self, device, REFUSAL_BUSY);
        return 1;
    }
    bool is_known = asked.from > device->joined && recent_changes_reach(&lane->recent, asked.from);
    if (asked.from <= sent && !is_known) {
        counter_add(COUNT_UDP_ASKED_OLD, 1);
        *ret_bytes = encoder_refusal(self, device, REFUSAL_TOO_OLD);
        return 1;
    }
    counter_add(COUNT_UDP_ASKED_SENT, 1);
    asked.to = asked.to < sent ? asked.to : sent;
    unsigned count = encoder_changes(self, lane, &asked, ret_bytes);
    if (count)
        return count;
    *ret_bytes = encoder_tail(self, lane, sent);
    return 1;
}

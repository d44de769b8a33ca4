// log.h - one line an event to standard error: `time level event key=value …`.
// The deciding function logs, once; never a password or a token. Any thread.
#ifndef DIORAMA_PROTO_BASE_LOG_H
#define DIORAMA_PROTO_BASE_LOG_H

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR };
enum log_format { LOG_TEXT, LOG_JSON };

// Any thread, at any time.
void log_setup(enum log_level level, enum log_format format);

// `event` is a word such as `scene_loaded`; `format` gives its pairs, "" for none:
// `log_info("scene_loaded", "key=%s ms=%" PRIu64, key, ms)`. A space of the format before the next
// `key=` ends a value. What the arguments contain cannot break the line or add a pair: text quotes
// and escapes values that need it, JSON has numbers where the format has one.
void log_event(enum log_level level, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define log_debug(event, ...) log_event(LOG_LEVEL_DEBUG, event, __VA_ARGS__)
#define log_info(event, ...) log_event(LOG_LEVEL_INFO, event, __VA_ARGS__)
#define log_warning(event, ...) log_event(LOG_LEVEL_WARNING, event, __VA_ARGS__)
#define log_error(event, ...) log_event(LOG_LEVEL_ERROR, event, __VA_ARGS__)

#endif

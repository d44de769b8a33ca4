// session_report.h - who a caller is to the server: the answer to "who am I".
#ifndef DIORAMA_ACTORS_USER_SESSION_REPORT_H
#define DIORAMA_ACTORS_USER_SESSION_REPORT_H

#include "actors/runtime/actor.h"

// Answers with struct session_report, for strangers too.
actor_handler session_report;

#endif

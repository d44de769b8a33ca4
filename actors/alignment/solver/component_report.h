// component_report.h - describes a solved component: its links, and the verdicts on its
// corrections. Pure.
#ifndef DIORAMA_ACTORS_ALIGNMENT_SOLVER_COMPONENT_REPORT_H
#define DIORAMA_ACTORS_ALIGNMENT_SOLVER_COMPONENT_REPORT_H

#include "actors/alignment/solver/component.h"

// Fills in states and verdicts from poses, regions and accepted observations. May be called again.
void component_report_make(struct component *self);

#endif

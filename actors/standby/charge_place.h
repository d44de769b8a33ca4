// charge_place.h - the place of a process: its data.dir, which one process at a time has
// (folder_lock.h). Who has a place knows that the process that had it before is gone.
#ifndef DIORAMA_ACTORS_STANDBY_CHARGE_PLACE_H
#define DIORAMA_ACTORS_STANDBY_CHARGE_PLACE_H

#include "actors/standby/charge_record.h"

// A text that no other folder has, on this machine or another, until the machine starts anew; ""
// where it cannot be told.
void charge_place(const char *data_dir, char ret_place[CHARGE_TEXT_SIZE]);

#endif

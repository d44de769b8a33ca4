// charge_place.c - the folder by its device and number, the machine by the id of its boot: a copy
// of the folder is another place, and so is the same name on another machine (charge_place.h).
#include "actors/standby/charge_place.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void
charge_place(const char *data_dir, char ret_place[CHARGE_TEXT_SIZE])
{
    char boot[64] = "";
    struct stat status;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    bool is_known = file && fgets(boot, sizeof boot, file) && stat(data_dir, &status) == 0;
    if (file)
        fclose(file);
    boot[strcspn(boot, "\n")] = '\0';
    ret_place[0] = '\0';
    if (is_known && boot[0])
        snprintf(ret_place, CHARGE_TEXT_SIZE, "%s %llx:%llx", boot,
                 (unsigned long long)status.st_dev, (unsigned long long)status.st_ino);
}

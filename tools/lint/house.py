"""The rooms of the house: which folder may include which, and the doors of each.

The lints read it: `includes` (what is included), `circles` (what is called), `families`, `mirror`.
"""

import re
from fnmatch import fnmatchcase
from pathlib import Path

ALL = "*"  # every header of the room is a door

# Each folder has a row: what it may include beside itself, and its doors, the headers that files
# elsewhere may include (files below the folder may include them all). What may be included is a room
# (proto/* is each room of proto) or a single header.
ROOMS = {
    # folder                    (may include,                                           doors)
    "proto/base":               ("",                                                    ALL),
    "proto/config":             ("proto/base proto/budget/budgets.h",                   ALL),
    "proto/record":             ("proto/base",                                          ALL),
    "proto/records":            ("proto/base proto/record proto/spatial"
                                 " proto/budget/budgets.h",                             ALL),
    "proto/spatial":            ("proto/base proto/record",                             ALL),
    "proto/codec":              ("proto/base proto/record proto/spatial",               ALL),
    "proto/message":            ("proto/base proto/record proto/records proto/spatial proto/codec"
                                 " proto/budget/budgets.h",                             ALL),
    "proto/budget":             ("proto/base proto/message",                            ALL),
    "proto/feed":               ("proto/base proto/record proto/records proto/spatial proto/codec"
                                 " proto/message",                                      ALL),
    "store":                    ("proto/base proto/config proto/message store/postgres",
                                 "store.h store_open.h fence.h key.h blob.h blob_place.h blob_provider.h reserve.h format.h followed.h"),
    "store/postgres":           ("proto/base store",                      "postgres.h"),
    "store/backup":             ("proto/* store",                        "backup_check.h backup_folder.h backup_make.h"
                                 " backup_file.h log_frame.h log_folder.h log_writer.h log_restore.h"
                                 " archive_engine.h archive_export.h archive_import.h digest_list.h sha256.h tar_file.h"),
    "actors/runtime":           ("proto/* store",                                       ALL),
    "actors/repository":        ("proto/* store actors/runtime",         "resource.h resource_lists.h repository.h repository_staged.h repository_fetch.h record_copy.h export.h"),
    "actors/scene":             ("proto/* store actors/runtime actors/alignment"
                                 " actors/scene/entity actors/scene/device", "scene_actor.h"),
    "actors/scene/entity":      ("proto/* store actors/runtime actors/scene",
                                 "bulk.h entities.h entity_list.h entity_kind.h object_kind.h property_kind.h"
                                 " animation_edits.h leases.h lock_asks.h locks.h udp_updates.h"
                                 " write_behind.h"),
    "actors/scene/device":      ("proto/* store actors/runtime actors/alignment"
                                 " actors/alignment/solver actors/scene actors/scene/entity",
                                 "registrations.h departures.h corrections.h correction_operations.h"
                                 " alignment_report.h device_list.h device_set.h device_view.h"
                                 " held_locks.h device_evidence.h"),
    "actors/asset":             ("proto/* store actors/runtime actors/repository", "asset_actor.h asset_family.h"),
    "actors/user":              ("proto/* store actors/runtime actors/repository", "user_actor.h user_upgrade.h"),
    "actors/audit":             ("proto/* actors/runtime",               "audit_actor.h"),
    "actors/backup":            ("proto/* store store/backup actors/runtime actors/replica", "backup_actor.h log_shipper.h"),
    "actors/replica":           ("proto/* store store/backup actors/runtime actors/asset",
                                 "log_server.h follower.h followed_place.h replica_start.h"),
    "actors/standby":           ("proto/* store actors/runtime",          "charge_hold.h"),
    "actors/alignment":         ("proto/* actors/runtime actors/alignment/solver",
                                 "atlas.h scene_relations.h correction_changes.h relation_actor.h"
                                 " solver_actor.h"),
    "actors/alignment/solver":  ("proto/*",                              "solver.h"),
    "actors/udp":               ("proto/*",
                                 "udp_receiver.h feed_controls.h icmp_errors.h udp_endpoint.h"
                                 " shard_updates.h"),
    "actors/track":             ("proto/* actors/udp",                   "track_receiver.h"),
    "actors/streamer":          ("proto/* store actors/runtime actors/udp actors/streamer/pub"
                                 " actors/streamer/fanout actors/streamer/admission", "streamer.h"),
    "actors/streamer/pub":      ("proto/* actors/runtime",               "publisher.h"),
    "actors/streamer/fanout":   ("proto/* actors/udp",                   "subscribers.h delivery.h device_sealer.h"),
    "actors/streamer/admission": ("proto/* actors/udp actors/streamer/fanout", "admissions.h"),
    "actors":                   ("proto/* store store/backup actors/replica actors/runtime actors/scene actors/asset actors/user"
                                 " actors/alignment actors/audit actors/backup actors/udp actors/track actors/streamer",
                                 "supervisor.h store_check.h migration.h"),
    "gateway/http":             ("proto/*",                                             ALL),
    "gateway/request":          ("proto/* gateway/http",                                ALL),
    "gateway/reply":            ("proto/* gateway/http gateway/request",                ALL),
    "gateway/events":           ("proto/* gateway/http gateway/request gateway/reply",  ALL),
    "gateway/docs":             ("proto/* gateway/http gateway/request gateway/reply",
                                 "docs.h docs_style.h docs_files.h openapi.h"),
    "gateway/ogc":              ("proto/* gateway/http gateway/request gateway/reply",
                                 "collections.h features.h links.h"),
    "gateway/tiles":            ("proto/* gateway/http gateway/request gateway/reply",  "tileset.h"),
    "gateway/foxglove":         ("proto/* gateway/http gateway/request gateway/reply gateway/events", "foxglove.h"),
    "gateway/console":          ("proto/* gateway/http gateway/request gateway/reply",  "console.h"),
    "gateway":                  ("proto/* gateway/*",                                   "gateway.h"),
    "tools":                    ("proto/* store actors actors/replica actors/standby gateway",        ""),
    "tools/cli":                ("proto/* store store/backup actors/standby",           ""),
    "tools/examples":           ("",                                                    ""),
    "tools/sdk/c":              ("",                                                    "diorama.h"),
}

# Tests look behind every door.
TESTS = {
    "tests": "proto/* store store/* actors actors/* gateway gateway/* tools/cli tools/sdk/c tests tests/*",
    "tests/cli": "proto/* store/backup tools/cli tests tests/*",
}

TOP = ("proto", "store", "actors", "gateway", "tools", "tests")
SUFFIXES = (".c", ".h", ".cpp")


def is_below(path, folder):
    return path.startswith(folder + "/")


def room_of(path):
    """The row of the folder that a file is in; None without one."""
    folder = path.rpartition("/")[0]
    return folder if folder in ROOMS else None


def what_may_be_included(path):
    """The folder whose rule binds a file, and the rule."""
    tests = [folder for folder in TESTS if is_below(path, folder)]
    if tests:
        return max(tests, key=len), TESTS[max(tests, key=len)]
    room = room_of(path)
    return room, ROOMS[room][0] if room else ""


def layer_problem(path, target):
    """Why `path` may not include `target`, or call what it declares; None where it may."""
    room, may_include = what_may_be_included(path)
    if not room:
        return "a folder without a rule"
    there = target.rpartition("/")[0]
    header = target.rpartition(".")[0] + ".h"
    patterns = [room, *may_include.split()]
    if any(fnmatchcase(place, pattern) for place in (there, header) for pattern in patterns):
        return None
    return f"{room} may include only {may_include or 'itself'}"


def door_problem(path, target):
    """Why `target` is hidden from `path`; None where it is a door, or both are below one room."""
    there = room_of(target)
    if there is None or is_below(path, "tests") or is_below(path, there):
        return None
    doors = ROOMS[there][1]
    if doors == ALL or target.removeprefix(there + "/") in doors.split():
        return None
    return f"the doors of {there} are {doors or 'none'}"


def sources(root):
    """Every C and C++ file of the project below `root`, as paths from there."""
    return sorted(
        str(file.relative_to(root))
        for top in TOP
        for file in (Path(root) / top).rglob("*")
        if file.suffix in SUFFIXES
    )


INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes_of(root, path):
    """What a file includes, in its order: pairs of quote ("<" or '"') and header."""
    return INCLUDE.findall((Path(root) / path).read_text())

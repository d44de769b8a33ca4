"""`promtool check metrics`, Prometheus' own opinion of /metrics, on a server that has done some of
everything. Skipped where promtool is not installed (Debian: prometheus)."""

import shutil
import subprocess
import sys

from support import Client, Server, objects, object_path

SKIPPED = 77  # as ctest knows it


def work(client):
    client.put_scene("s")
    [key] = client.create("s", {"name": "o"})
    client.register("s", {"key": "d"})
    client.ok("POST", object_path("s", key), objects({"name": "p"}))
    client.refused(404, 102, "GET", "/nowhere")


def main():
    if not shutil.which("promtool"):
        print("promtool_test is skipped: no promtool is installed")
        return SKIPPED
    server = Server(scene_actors=3).start()
    with Client(server) as client:
        work(client)
        text = client.get("/metrics").content
    server.end()
    check = subprocess.run(["promtool", "check", "metrics"], input=text, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False)
    print(check.stdout.decode(), end="")
    return 1 if check.returncode or check.stdout.strip() else 0


if __name__ == "__main__":
    sys.exit(main())

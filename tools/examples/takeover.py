#!/usr/bin/python3
"""Kills the server that is in charge and shows for how long nobody writes.

    docker compose --profile standby up -d --wait balancer    two servers, a database with a standby, a balancer
    tools/examples/takeover.py [URL]                        http://127.0.0.1:8080

One object after another is written through the balancer, which says who answered; then
`docker compose kill` ends that one. At the end all that was acknowledged is looked for, and the one
that was killed starts again and stands by.
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
scene = f"{url}/v1/scene/takeover-{os.getpid()}"
compose = os.environ.get("DIORAMA_COMPOSE", "docker compose").split()


def ask(method, address, record=None):
    """(status, what was answered, which server answered)."""
    request = urllib.request.Request(address, method=method, headers={"Content-Type": "application/json"},
                                     data=json.dumps(record).encode() if record else None)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, json.load(answer), answer.headers["X-Served-By"]
    except urllib.error.HTTPError as refusal:
        return refusal.code, {}, None
    except OSError:
        return None, {}, None


def write(number):
    """Which server acknowledged it; None = nobody did."""
    status, _, server = ask("POST", f"{scene}/object", {"objects": [{"name": f"object {number}"}]})
    return server if status == 200 else None


status, _, first = ask("PUT", scene, {"scenes": [{"name": "Takeover"}]})
if status != 200 or not first:
    sys.exit(f"{url} is not the balancer, or nobody is in charge: {status}")
acknowledged, refused, number = [], 0, 0
longest_ms = 0.0
while number < 50:
    began = time.monotonic()
    assert write(number) == first
    longest_ms = max(longest_ms, (time.monotonic() - began) * 1000)
    acknowledged.append(number)
    number += 1
print(f"{first} is in charge; 50 writes, the longest took {longest_ms:.1f} ms", flush=True)

killing = subprocess.Popen([*compose, "--profile", "standby", "kill", "-s", "KILL", first],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
last = time.monotonic()
while True:
    server, now = write(number), time.monotonic()
    if server:
        acknowledged.append(number)
        if server != first:
            break
        last = now
    else:
        refused += 1
        time.sleep(0.02)
    number += 1
    if now - last > 60:
        sys.exit("nobody took over within a minute")
killing.wait()
print(f"{first} was killed; {server} writes {now - last:.2f} s after its last answer, "
      f"{refused} requests were refused meanwhile", flush=True)

found = set()
while True:
    _, page, _ = ask("GET", f"{scene}/object?num_records=1000&start_record={len(found)}")
    names = {record["name"] for record in page.get("objects", [])}
    if not names - found:
        break
    found |= names
lost = [number for number in acknowledged if f"object {number}" not in found]
print(f"{len(acknowledged)} writes were acknowledged, {len(lost)} of them are lost", flush=True)
subprocess.run([*compose, "--profile", "standby", "start", first], check=True,
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(f"{first} was started again, and stands by", flush=True)
sys.exit(1 if lost else 0)

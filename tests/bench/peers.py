"""Processes of the benchmark: our server, its peers, and what they cost.

Everything listens on 127.0.0.1 on ports of its own and is ended by its pid.
"""

import atexit
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("DIORAMA_BIN", ROOT / "build/release/bin")).resolve()
CPUCLOCK_SCHED = 2  # of clock_getcpuclockid(3): what /proc says comes in ticks of 10 ms
os.environ["DIORAMA_BIN"] = str(BIN)  # where support looks
sys.path.insert(0, str(ROOT / "tests/system"))
from support import Client, Server, wait_until  # noqa: E402  (after the path is set)

started = []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
        return True
    except OSError:
        return False


class Peer:
    """A program with a folder of its own, ready when its port answers."""

    def __init__(self, arguments, port=None, **options):
        self.port = port
        self.folder = options.pop("folder", None) or tempfile.mkdtemp(prefix="diorama-bench-")
        self.process = subprocess.Popen([str(a) for a in arguments], cwd=self.folder, text=True,
                                        stderr=subprocess.DEVNULL, **options)
        self.pid = self.process.pid
        started.append(self)
        if port:
            wait_until(lambda: answers(port), 30, f"{arguments[0]} on its port")

    def stop(self, keep=False):
        if self in started:
            started.remove(self)
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)
            if not keep:
                shutil.rmtree(self.folder, ignore_errors=True)


@atexit.register
def stop_all():
    for peer in list(started):
        peer.stop()


LIVEZ = "return 200 '{\"status\":\"up\"}';"


def nginx(location=LIVEZ):
    """One worker; where nothing else is said it answers what /livez answers, without a file."""
    folder, port = tempfile.mkdtemp(prefix="diorama-bench-"), free_port()
    Path(folder, "nginx.conf").write_text(f"""
daemon off; master_process off; pid {folder}/pid; error_log {folder}/log; worker_processes 1;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 1000000000; default_type application/json;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port} backlog=4096;
    location / {{ {location} }} }} }}
""", encoding="utf-8")
    return Peer(["nginx", "-p", folder, "-c", f"{folder}/nginx.conf"], port, folder=folder,
                stdout=subprocess.DEVNULL)


def redis(fsync="always", folder=None):
    port = free_port()
    return Peer(["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "",
                 "--appendonly", "yes", "--appendfsync", fsync],
                port, folder=folder, stdout=subprocess.DEVNULL)


def nats():
    port = free_port()
    return Peer(["nats-server", "-a", "127.0.0.1", "-p", port], port, stdout=subprocess.DEVNULL)


def mosquitto():
    folder, port = tempfile.mkdtemp(prefix="diorama-bench-"), free_port()
    Path(folder, "conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n"
                                    "max_connections -1\nset_tcp_nodelay true\n"
                                    "log_type none\n", encoding="utf-8")
    return Peer(["mosquitto", "-c", f"{folder}/conf"], port, folder=folder,
                stdout=subprocess.DEVNULL)


class RedisFront:
    """civetweb before Redis: the peer of durable updates."""

    def __init__(self, fsync):
        self.redis = redis(fsync)
        port = free_port()
        self.front = Peer([BIN / "bench_redis_front", port, self.redis.port], port)
        self.port, self.pids = port, [self.front.pid, self.redis.pid]

    def stop(self):
        self.front.stop()
        self.redis.stop()


def cpu_s(*pids):
    """CPU seconds that the processes have used, all threads."""
    return sum(time.clock_gettime(~pid << 3 | CPUCLOCK_SCHED) for pid in pids)


def resident_bytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) * 1024


def wrk(port, path, connections, seconds=2, script=None, pids=()):
    """Requests per second, and CPU microseconds of `pids` a request."""
    before = cpu_s(*pids)
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s"]
    if script:
        command += ["-s", script]
    out = subprocess.run([*command, f"http://127.0.0.1:{port}{path}"], text=True,
                         capture_output=True, check=True).stdout
    if "Non-2xx" in out:
        raise AssertionError(out)
    requests = int(re.search(r"(\d+) requests in", out).group(1))
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
    return rate, (cpu_s(*pids) - before) * 1e6 / max(requests, 1)


def transfer(port, path, connections, seconds=2, pids=()):
    """Bytes per second of large answers, and CPU microseconds of `pids` a mebibyte."""
    before = cpu_s(*pids)
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s",
                          f"http://127.0.0.1:{port}{path}"], text=True, capture_output=True,
                         check=True).stdout
    if "Non-2xx" in out or "Socket errors" in out:
        raise AssertionError(out)
    units = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
    number, unit = re.search(r"requests in [\d.]+m?s, ([\d.]+)([KMG]?)B read", out).groups()
    total = float(number) * units[unit]
    rate, rate_unit = re.search(r"Transfer/sec:\s+([\d.]+)([KMG]?)B", out).groups()
    return (float(rate) * units[rate_unit], (cpu_s(*pids) - before) * 1e6 * 2**20 / max(total, 1))


def lua(folder, method, body):
    path = Path(folder, f"{method.lower()}.lua")
    path.write_text(f'wrk.method="{method}"\nwrk.headers["Content-Type"]="application/json"\n'
                    f"wrk.body='{body}'\n", encoding="utf-8")
    return str(path)


def hardware():
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())
    return (f"{os.cpu_count()} × {cpu.group(1) if cpu else 'processor'}, "
            f"{int(memory.group(1)) >> 20} GiB, kernel {os.uname().release}")


def milliseconds(function):
    began = time.monotonic()
    function()
    return (time.monotonic() - began) * 1e3


__all__ = [name for name in dir() if not name.startswith("_")]

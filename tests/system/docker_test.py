"""The images and compose.yaml: the main job against a server in a container, and every profile.

The short form puts the programs of DIORAMA_BIN on the image's runtime stage; the long form builds
them in the image, as `docker compose up` does. Without an engine, ../shared/bin/with-docker gives
one where it is there; where neither is, the test is skipped and says so.
"""

import http.client
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

import main_job_test
from feeds import Subscriber, UdpDevice
from files import upload
from support import (BIN, LONG, Client, Server, free_port, free_ports, is_sanitized, scene_path, scenes,
                     wait_until)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WITH_DOCKER = os.path.join(ROOT, "..", "shared", "bin", "with-docker")
SKIPPED = 77  # as ctest knows it
NO_ENGINE = 125  # what with-docker ends with when it could get none
WHOLE_TEST_S, BUILD_S, COMMAND_S = (3000, 2400, 120) if LONG else (600, 400, 120)
IMAGE_BYTES = 120 * 1000 * 1000
USER = 10001
NAME = f"diorama-test-{os.getpid()}"
# These stay, so that the next run has them already.
PROXY, DATABASE, RUNTIME = "diorama-test-proxy", "diorama-test-database", "diorama-test-runtime"
PREBUILT = f"""FROM {RUNTIME}
COPY dioramad diorama /usr/local/bin/
RUN dioramad --version && diorama --version
"""


def run(*command, timeout=COMMAND_S, check=True, **options):
    """Runs a command to its end; what it printed comes back, both streams in one."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False,
                          **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: exit code {done.returncode}\n"
                             f"{done.stdout[-6000:]}")
    return done


def succeeds(*command):
    try:
        return run(*command, timeout=30, check=False).returncode == 0
    except OSError:
        return False


def read_text(path):
    with open(path) as file:
        return file.read()


def inspect(kind, name):
    return json.loads(run("docker", kind, "inspect", name).stdout)[0]


class ComposeServer(Server):
    """A service of compose.yaml under a project of its own; Server's words, a container's deeds."""

    compose = None  # the program: docker compose, or docker-compose

    def __init__(self, service="diorama", profile=None, files=("compose.yaml",), **environment):
        super().__init__()
        self.files = [f"--file={os.path.join(ROOT, file)}" for file in files]
        self.service, self.profile = service, profile
        self.project = f"{NAME}-{os.path.basename(self.folder)[-8:].replace('_', '-')}".lower()
        self.tls_port = free_port()
        self.environment = {"DIORAMA_IMAGE": NAME, "DIORAMA_PROXY_IMAGE": PROXY,
                            "DIORAMA_DATABASE_IMAGE": DATABASE, **environment}
        self.is_up = False

    def command(self, *arguments, **options):
        profile = ["--profile", self.profile] if self.profile else []
        return run(*self.compose, "-p", self.project, *self.files,
                   *profile, *arguments, env={**os.environ, **self.environment}, **options)

    def launch(self, **flags):
        assert not flags, "settings of a container come from compose.yaml"
        self.http_port, self.udp_port, self.pub_port = free_ports(3)
        self.environment |= {
            "DIORAMA_HTTP_PORT": str(self.http_port),
            "DIORAMA_UDP_PORT": str(self.udp_port),
            "DIORAMA_PUB_PORT": str(self.pub_port),
            "DIORAMA_TLS_PORT": str(self.tls_port),
        }
        self.is_up = True
        # Named where it stands for the service without a profile, not beside it.
        services = [self.service] if self.service != "diorama" else []
        self.command("up", "-d", "--no-build", *services)

    def start(self, deadline=60.0, **flags):
        return super().start(deadline, **flags)

    def is_ready(self):
        try:
            with Client(self, timeout=2) as client:
                return client.get("/readyz").status == 200
        except OSError:
            return False

    def container(self, service=None):
        """What the engine knows of the container of a service."""
        found = self.command("ps", "-q", service or self.service).stdout.split()
        assert len(found) == 1, f"one container expected: {found}"
        return inspect("container", found[0])

    def inside(self, *command, check=True):
        """Runs a command in the container."""
        return run("docker", "exec", self.container()["Id"], *command, check=check)

    def health(self, service=None):
        return self.container(service)["State"]["Health"]["Status"]

    def is_running(self):
        return self.is_up

    def stop(self, deadline=20.0):
        """SIGTERM by `docker compose stop`; then the container goes, only the volume stays."""
        began = time.monotonic()
        self.command("stop", timeout=COMMAND_S + deadline)
        took, state = time.monotonic() - began, self.container_state()
        self.command("rm", "-f")
        return state["ExitCode"], took

    def container_state(self):
        found = self.command("ps", "-a", "-q", self.service, check=False).stdout.split()
        return inspect("container", found[0])["State"]

    def kill(self):
        self.command("down", "-v", "-t", "5")
        self.is_up = False

    def log_text(self):
        return self.command("logs", "--no-color", check=False).stdout if self.is_up else ""

    def log_tail(self):
        return "--- the containers' last words:\n" + "\n".join(self.log_text().splitlines()[-30:])

    def end(self):
        Server.alive.discard(self)
        if self.is_up:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class HttpsClient(Client):
    """Speaks to the proxy and believes in one certificate alone."""

    def __init__(self, server, certificate):
        super().__init__(server)
        self.connection.close()
        trust = ssl.create_default_context(cadata=certificate)
        self.connection = http.client.HTTPSConnection("localhost", server.tls_port, timeout=30,
                                                      context=trust)


class ContainerCase(unittest.TestCase):
    """Base of the test classes with one service of compose.yaml for all their tests."""

    service, profile, environment = "diorama", None, {}

    @classmethod
    def setUpClass(cls):
        cls.server = ComposeServer(cls.service, cls.profile, **cls.environment)
        cls.addClassCleanup(cls.server.end)
        cls.server.start()

    def setUp(self):
        self.client = Client(self.server)
        self.addCleanup(self.client.close)

    def run(self, result=None):
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before:
            print(f"{self.id()}\n{self.server.log_tail()}", file=sys.stderr)


class Image(unittest.TestCase):
    def test_is_small(self):
        size = inspect("image", NAME)["Size"]
        print(f"\nthe image has {size / 1e6:.1f} MB, the proxy's "
              f"{inspect('image', PROXY)['Size'] / 1e6:.1f} MB")
        self.assertLessEqual(size, IMAGE_BYTES)

    def test_starts_the_server_as_its_own_user_and_ends_it_by_sigterm(self):
        config = inspect("image", NAME)["Config"]
        self.assertEqual(config["Entrypoint"], ["/usr/local/bin/dioramad"])
        self.assertEqual(config["StopSignal"], "SIGTERM")
        self.assertEqual(config["Volumes"], {"/data": {}})
        self.assertEqual(self.program("id", "-u").stdout.strip(), str(USER))
        self.assertEqual(self.program("stat", "-c", "%u", "/data").stdout.strip(), str(USER))

    def test_has_every_library(self):
        found = self.program("ldd", "/usr/local/bin/dioramad", "/usr/local/bin/diorama").stdout
        self.assertIn("librocksdb", found)
        self.assertNotIn("not found", found)

    @unittest.skipUnless(LONG, "the short form builds no programs in the image")
    def test_says_what_is_in_it(self):
        said = run("docker", "run", "--rm", "--entrypoint", "cat", NAME,
                   "/usr/local/share/doc/diorama/diorama.spdx.json").stdout
        listed = {package["name"]: package["versionInfo"] for package in json.loads(said)["packages"]}
        told = run("docker", "run", "--rm", NAME, "--version").stdout.split()[1]
        self.assertEqual(told, listed["diorama"])
        installed = run("docker", "run", "--rm", "--entrypoint", "dpkg-query", NAME,
                        "-W", "-f", "${Version}", "librocksdb7.8").stdout
        self.assertEqual(installed, listed["librocksdb7.8"])

    def test_programs_are_stripped(self):
        folder = tempfile.mkdtemp(prefix="diorama-docker-")
        self.addCleanup(shutil.rmtree, folder)
        container = run("docker", "create", NAME).stdout.strip()
        self.addCleanup(run, "docker", "rm", "-v", container)
        for program in ("dioramad", "diorama"):
            run("docker", "cp", f"{container}:/usr/local/bin/{program}", folder)
            sections = run("readelf", "-SW", os.path.join(folder, program)).stdout
            self.assertIn(".text", sections)
            self.assertNotIn(".symtab", sections)
            self.assertNotIn(".debug_info", sections)

    def test_health_fails_where_no_server_is(self):
        said = self.program("diorama", "health", "--http=http://127.0.0.1:1", check=False)
        self.assertEqual(said.returncode, 1, said.stdout)
        self.assertIn("Failed to connect", said.stdout)

    @staticmethod
    def program(name, *arguments, check=True):
        return run("docker", "run", "--rm", "--network", "none", "--read-only",
                   "--entrypoint", name, NAME, *arguments, check=check)


class MainJobInContainer(main_job_test.MainJob, unittest.TestCase):
    """The main job as it is, with `docker compose up` for a server: host networking.

    Its restart is one of the container: stopped in order, removed and made again on the volume.
    """

    def start_server(self):
        # What a container can do is asked here, not how fast the machine is.
        main_job_test.SPEED = 1 if LONG else 5
        self.server = ComposeServer()
        self.addCleanup(self.server.end)
        self.server.start()
        self.client = self.connect()
        return self.server


class HostNetwork(ContainerCase):
    def test_is_confined_and_healthy(self):
        server = self.server
        wait_until(lambda: server.health() == "healthy", 60, "health")
        status = dict(line.split(":\t") for line in
                      server.inside("cat", "/proc/1/status").stdout.splitlines() if ":\t" in line)
        self.assertEqual(status["Name"], "dioramad")
        self.assertEqual(status["Uid"].split(), [str(USER)] * 4)
        self.assertEqual(int(status["CapEff"], 16) | int(status["CapBnd"], 16), 0)
        self.assertEqual(status["NoNewPrivs"], "1")
        for path, code in (("/new", 1), ("/usr/new", 1), ("/data/new", 0), ("/tmp/new", 0)):
            self.assertEqual(server.inside("touch", path, check=False).returncode, code, path)

    def test_listens_on_loopback_only(self):
        for protocol, ports in (("tcp", (self.server.http_port, self.server.pub_port)),
                                ("udp", (self.server.udp_port,))):
            bound = [line.split()[1].split(":") for version in ("", "6")
                     for line in read_text(f"/proc/net/{protocol}{version}").splitlines()[1:]]
            for port in ports:
                addresses = {address for address, number in bound if int(number, 16) == port}
                self.assertEqual(addresses, {"0100007F"}, f"{protocol} {port}")


class Backup(unittest.TestCase):
    """tools/examples/compose.backup.yaml, by the lines that stand in it."""

    def test_what_was_backed_up_is_there_after_a_restore_into_another_folder(self):
        server = ComposeServer(files=("compose.yaml", "tools/examples/compose.backup.yaml"))
        self.addCleanup(server.end)
        server.start()
        with Client(server) as client:
            client.put_scene("hall", name="kept")
            said = server.command("exec", "-T", "diorama", "diorama", "backup", "create",
                                  f"--url=http://127.0.0.1:{server.http_port}").stdout
            name = said.splitlines()[-1].split(": ")[0]
            self.assertIn(name, server.inside("ls", "/backups").stdout)
            client.put_scene("hall", name="lost")
        self.assertEqual(0, server.stop()[0])
        server.command("run", "--rm", "--entrypoint", "diorama", "diorama", "backup", "restore",
                       f"/backups/{name}", "/data/restored")
        server.environment["DIORAMA_DATA"] = "/data/restored"
        server.start()
        with Client(server) as client:
            self.assertEqual("kept", client.scene("hall")["name"])


class Bridge(ContainerCase):
    service = profile = "bridge"

    def test_published_ports_take_requests_and_updates_and_publish_events(self):
        server = self.server
        device = UdpDevice("sender")
        self.addCleanup(device.close)
        subscriber = Subscriber(server)
        self.addCleanup(subscriber.close)
        key = self.client.ok("POST", scene_path("hall") + "/object",
                             {"objects": [{"name": "cube"}]})["objects"][0]["key"]
        moved = [1, 0, 0, 7, 0, 1, 0, 8, 0, 0, 1, 9, 0, 0, 0, 1]
        device.send(server, {"msg_type": 1, "key": key, "transform": moved})
        subscriber.wait_for(lambda message: message.topic == "scene.hall.object.1"
                            and message.body["transform"] == moved, 10, "the update on PUB")
        wait_until(lambda: server.health() == "healthy", 60, "health")

    def test_ports_are_published_on_loopback_only(self):
        server = self.server
        bindings = server.container()["NetworkSettings"]["Ports"]
        self.assertEqual({port: [(b["HostIp"], b["HostPort"]) for b in bound]
                          for port, bound in bindings.items()},
                         {"8080/tcp": [("127.0.0.1", str(server.http_port))],
                          "8762/udp": [("127.0.0.1", str(server.udp_port))],
                          "8763/tcp": [("127.0.0.1", str(server.pub_port))]})

    def test_devices_are_not_sent_what_the_bridge_hides(self):
        """The limit that the chapter of Docker tells of: the server sees the bridge, not the device."""
        answer = self.client.request("POST", scene_path("hall") + "/register", scenes(
            {"devices": [{"key": "phone", "hostname": "192.0.2.7", "port": 5000}]}))
        self.assertEqual(answer.body["udp"]["state"], "pending", answer)


class Tls(ContainerCase):
    profile = "tls"
    environment = {"DIORAMA_HTTP_CORS_ORIGINS": "https://scenes.example.org"}

    def setUp(self):
        super().setUp()
        wait_until(lambda: self.server.health("tls") == "healthy", 60, "health of the proxy")
        certificate = ssl.get_server_certificate(("127.0.0.1", self.server.tls_port))
        self.https = HttpsClient(self.server, certificate)
        self.addCleanup(self.https.close)

    def test_https_answers_with_a_certificate_for_localhost(self):
        self.https.put_scene("plaza", name="Plaza")
        self.assertEqual(self.https.ok("GET", scene_path("plaza"))["scenes"][0]["name"], "Plaza")
        self.assertEqual(self.client.ok("GET", scene_path("plaza"))["scenes"][0]["name"], "Plaza")

    def test_whoever_comes_through_the_proxy_is_no_local_user(self):
        device = scenes({"devices": [{"key": "phone", "hostname": "127.0.0.1", "port": 15000}]})
        path = scene_path("plaza") + "/register"
        self.client.ok("POST", path, device)
        for headers in ({}, {"X-Forwarded-For": "127.0.0.1"}, {"X-Forwarded-For": "192.0.2.7"}):
            answer = self.https.request("POST", path, device, headers)
            self.assertEqual((answer.status, answer.body["err_code"]), (422, 111), answer)

    def test_only_names_of_listed_origins_are_answered(self):
        for host, status in (("scenes.example.org", 200), ("other.example.org", 403)):
            answer = self.https.request("GET", "/livez", headers={"Host": host})
            self.assertEqual(answer.status, status, answer)

    def test_proxy_is_confined(self):
        proxy = self.server.container("tls")
        self.assertTrue(proxy["HostConfig"]["ReadonlyRootfs"])
        status = run("docker", "exec", proxy["Id"], "cat", "/proc/1/status").stdout
        self.assertRegex(status, r"Name:\thaproxy\n")
        self.assertRegex(status, rf"Uid:\t{USER}\t")
        self.assertRegex(status, r"CapEff:\t0{16}\n")


class TlsWithOwnCertificate(ContainerCase):
    profile = "tls"

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="diorama-docker-")
        cls.addClassCleanup(shutil.rmtree, folder)
        paths = [os.path.join(folder, name) for name in ("key", "certificate", "server.pem")]
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "2", "-subj",
            "/CN=own", "-addext", "subjectAltName=DNS:localhost", "-keyout", paths[0], "-out",
            paths[1])
        cls.key, cls.certificate = (read_text(path) for path in paths[:2])
        with open(paths[2], "w") as file:
            file.write(cls.certificate + cls.key)
        for path in (folder, *paths):
            os.chmod(path, 0o755)
        cls.environment = {"DIORAMA_TLS_DIR": folder}
        super().setUpClass()

    def test_is_what_https_shows(self):
        https = HttpsClient(self.server, self.certificate)
        self.addCleanup(https.close)
        answer = wait_until(lambda: answer_of(https), 30, "an answer by HTTPS")
        self.assertEqual(answer.body["status"], "ready")


class Standby(ContainerCase):
    """Two servers on one database with a standby: HAProxy in front asks who is ready."""

    service, profile = "balancer", "standby"

    def both(self):
        """(The one in charge, the other one)."""
        first = self.client.get("/readyz").headers["X-Served-By"]
        return first, {"first": "second", "second": "first"}[first]

    def test_all_of_it_is_healthy_and_one_server_is_in_charge(self):
        for service in ("database", "database-standby", "first", "second", "balancer"):
            wait_until(lambda name=service: self.server.health(name) == "healthy", 60, f"health of {service}")
        first, second = self.both()
        ready = [run("docker", "exec", self.server.container(service)["Id"], "diorama", "health",
                     check=False).returncode for service in (first, second)]
        self.assertEqual(ready, [0, 1])

    def test_a_commit_is_on_both_databases_before_it_is_acknowledged(self):
        database = self.server.container("database")["Id"]
        run("docker", "pause", self.server.container("database-standby")["Id"])
        try:
            answer = self.client.request("PUT", scene_path("alone"), scenes({"name": "alone"}))
        finally:
            run("docker", "unpause", self.server.container("database-standby")["Id"])
        self.assertIn(answer.status, (502, 503, 504), answer)
        self.assertEqual(answer.body["err_code"], 120)
        said = run("docker", "exec", database, "psql", "-h", "/tmp", "-U", "postgres", "-tAc",
                   "SELECT sync_state FROM pg_stat_replication").stdout.strip()
        self.assertEqual(said, "sync")
        wait_until(lambda: self.client.request("PUT", scene_path("both"), scenes({"name": "both"})).status == 200,
                   30, "writes")

    def test_the_other_one_goes_on_where_the_one_in_charge_is_killed(self):
        first, second = self.both()
        key = upload(self.client, "/v1/asset", b"a cube").text
        environment = {**os.environ, **self.server.environment, "COMPOSE_PROJECT_NAME": self.server.project,
                       "DIORAMA_COMPOSE": " ".join(self.server.compose)}
        done = run(sys.executable, os.path.join(ROOT, "tools", "examples", "takeover.py"),
                   f"http://127.0.0.1:{self.server.http_port}", env=environment, cwd=ROOT, timeout=90)
        print("\n" + done.stdout)
        self.assertRegex(done.stdout, f"{first} was killed; {second} writes .* after its last answer")
        self.assertIn(", 0 of them are lost", done.stdout)
        self.assertEqual(self.client.get(f"/v1/asset/{key}").content, b"a cube")

    def test_the_servers_share_the_database_and_nothing_else(self):
        folders = [{mount["Source"] for mount in self.server.container(service)["Mounts"] if mount["RW"]}
                   for service in ("first", "second")]
        self.assertEqual(folders[0] & folders[1], set())


def answer_of(client):
    """The answer to /readyz; None while nobody listens."""
    try:
        return client.get("/readyz")
    except ConnectionError:
        return None


def build_images():
    """The images that compose.yaml names here; the short form puts its programs into the first."""
    began = time.monotonic()
    ComposeServer.compose = (["docker", "compose"] if succeeds("docker", "compose", "version")
                             else ["docker-compose"])
    builder = ComposeServer("tls", "tls")
    Server.alive.discard(builder)
    builder.command("build", *([] if LONG else ["tls"]), timeout=BUILD_S)
    builder.command("--profile", "standby", "build", "database", timeout=BUILD_S)
    if not LONG:
        run("docker", "build", "--target", "runtime", "-t", RUNTIME, "-f",
            os.path.join(ROOT, "tools", "Dockerfile"), ROOT, timeout=BUILD_S)
        with open(os.path.join(builder.folder, "Dockerfile"), "w") as file:
            file.write(PREBUILT)
        for program in ("dioramad", "diorama"):
            run("strip", "-o", os.path.join(builder.folder, program), os.path.join(BIN, program))
        run("docker", "build", "-t", NAME, builder.folder)
    builder.end()
    print(f"images built in {time.monotonic() - began:.0f} s")


def remove_image():
    run("docker", "image", "rm", NAME, check=False)


def skip(reason):
    print(f"docker_test is skipped: {reason}")
    sys.exit(SKIPPED)


def main():
    if is_sanitized():
        skip("sanitized programs; the image holds release ones")
    if not succeeds("docker", "info"):
        if os.geteuid() != 0 or not os.path.exists(WITH_DOCKER):
            skip("no Docker engine answers, and there is no ../shared/bin/with-docker to start one")
        code = subprocess.call([WITH_DOCKER, sys.executable, *sys.argv])
        if code == NO_ENGINE:
            skip("../shared/bin/with-docker could get no Docker engine")
        sys.exit(code)
    if not succeeds("docker", "compose", "version") and not succeeds("docker-compose", "version"):
        skip("there is an engine, but neither docker compose nor docker-compose")
    signal.alarm(WHOLE_TEST_S)
    try:
        build_images()
        unittest.main()
    finally:
        remove_image()


def give_up(_number, _frame):
    raise AssertionError(f"the test took longer than {WHOLE_TEST_S} s")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, give_up)
    main()

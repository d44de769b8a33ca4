"""A disk that is soon full: a small tmpfs, which only root may mount; elsewhere tests are skipped."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time

from support import wait_until

DISK_MIB = 96


class SmallDisk:
    """A tmpfs, and a file on it that takes the space away."""

    def __init__(self, case):
        self.path = tempfile.mkdtemp(prefix="diorama-disk-")
        case.addCleanup(os.rmdir, self.path)
        mount = shutil.which("mount") and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", self.path],
            stderr=subprocess.PIPE, text=True)
        if not mount or mount.returncode != 0:
            case.skipTest(f"no tmpfs can be mounted: {mount.stderr if mount else 'no mount'}")
        case.addCleanup(subprocess.run, ["umount", self.path], check=True)
        self.ballast = os.path.join(self.path, "ballast")

    def free_bytes(self):
        status = os.statvfs(self.path)
        return status.f_bavail * status.f_frsize

    def take(self, size):
        with open(self.ballast, "ab") as file:
            if size > 0:
                os.posix_fallocate(file.fileno(), file.tell(), size)

    @contextlib.contextmanager
    def kept_at(self, size):
        """Takes all but `size`, also of what the server frees meanwhile, then gives it back."""
        ended = threading.Event()

        def hog():
            while not ended.is_set():
                with contextlib.suppress(OSError):  # the server was quicker at the last bytes
                    self.take(self.free_bytes() - size)
                time.sleep(0.005)

        thread = threading.Thread(target=hog, daemon=True)
        thread.start()
        try:
            wait_until(lambda: self.free_bytes() <= size, what="the end of space")
            yield
        finally:
            ended.set()
            thread.join()
            os.unlink(self.ballast)

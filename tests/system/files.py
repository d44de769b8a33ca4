"""Files for uploads: forms as clients write them, and models that other projects made.

The models are Debian's assimp-testmodels, and in the long form the controllers of
@webxr-input-profiles/assets. They are fetched once into DIORAMA_CACHE (~/.cache/diorama-tests); where
that cannot be done the tests that need them are skipped.
"""

import glob
import hashlib
import os
import shutil
import subprocess
import uuid

# The smallest of each: one pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000b49"
    "444154789c6360000200000500017a5eab3f0000000049454e44ae426082")
WEBP = bytes.fromhex("524946461a000000574542505650384c0d0000002f00000010071011118888fe0700")

CACHE = os.environ.get("DIORAMA_CACHE", os.path.expanduser("~/.cache/diorama-tests"))
MODELS = (".obj", ".fbx", ".glb", ".gltf", ".bvh", ".dae", ".stl", ".ply", ".blend", ".3ds", ".png")


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def form(*parts, boundary=None):
    """(content type, body) of multipart/form-data. A part is (name, content, filename, type); the
    last two may be None."""
    boundary = boundary or uuid.uuid4().hex
    lines = []
    for name, content, filename, media_type in parts:
        named = f'; filename="{filename}"' if filename is not None else ""
        typed = f"Content-Type: {media_type}\r\n" if media_type else ""
        lines += [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n'
                  f"{typed}\r\n".encode(), content, b"\r\n"]
    body = b"".join(lines) + f"--{boundary}--\r\n".encode()
    return f"multipart/form-data; boundary={boundary}", body


def upload(client, path, content, filename="a.bin", media_type=None):
    """POSTs one file; returns the answer."""
    content_type, body = form(("file", content, filename, media_type))
    return client.request("POST", path, body, {"Content-Type": content_type})


def stored_files(server):
    """Paths of all blobs of a server, and of what is being written or removed."""
    folder = os.path.join(server.flags["data_dir"], "blobs")
    found = {path for path in glob.glob(folder + "/??/*") if os.path.isfile(path)}
    unfinished = {path for path in glob.glob(folder + "/tmp/**", recursive=True) if os.path.isfile(path)}
    return found, unfinished


def fetch_debian():
    folder = os.path.join(CACHE, "assimp-testmodels")
    if not os.path.isdir(folder):
        os.makedirs(CACHE, exist_ok=True)
        subprocess.run(["apt-get", "download", "-qq", "assimp-testmodels"], cwd=CACHE, check=True,
                       timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        [package] = glob.glob(os.path.join(CACHE, "assimp-testmodels_*.deb"))
        subprocess.run(["dpkg-deb", "-x", package, folder + ".new"], check=True)
        os.rename(folder + ".new", folder)
    return folder


def fetch_npm():
    folder = os.path.join(CACHE, "webxr-input-profiles-assets")
    if not os.path.isdir(folder):
        os.makedirs(CACHE, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", "@webxr-input-profiles/assets"], cwd=CACHE,
                       check=True, timeout=300, stdout=subprocess.DEVNULL)
        [package] = glob.glob(os.path.join(CACHE, "webxr-input-profiles-assets-*.tgz"))
        os.makedirs(folder + ".new", exist_ok=True)
        subprocess.run(["tar", "-xzf", package, "-C", folder + ".new"], check=True, timeout=60)
        os.rename(folder + ".new", folder)
    return folder


def models(case, with_controllers=False):
    """Paths of real models; skips the test where there are none."""
    try:
        folders = ["/usr/share/assimp"] if os.path.isdir("/usr/share/assimp/models") else [
            fetch_debian()]
        if with_controllers:
            folders.append(fetch_npm())
    except (OSError, ValueError, subprocess.SubprocessError) as failure:
        shutil.rmtree(os.path.join(CACHE, "assimp-testmodels.new"), ignore_errors=True)
        case.skipTest(f"no models: {failure}")
    return sorted(path for folder in folders
                  for path in glob.glob(folder + "/**/*", recursive=True)
                  if path.lower().endswith(MODELS) and os.path.isfile(path))

"""Client of Diorama, a spatial scene server.

    async with diorama.connect("http://127.0.0.1:8080") as d:
        plaza = await d.join("plaza", device="desk-1")
        async for change in plaza:
            print(change.kind, change.object.name, change.object.transform)

How it behaves: tools/sdk/README.md. Needs nothing but Python 3.11; the sealed form needs libsodium."""

from .client import Client, connect
from .entity import Change, Entity, Json
from .errors import (ApiError, BadInput, Budget, Conflict, ConnectionFailed, DioramaError, DioramaWarning, Forbidden,
                     Locked, Malformed, NotFound, SignedOut, Unavailable)
from .lock import Lock
from .scene import Scene

__all__ = ["ApiError", "BadInput", "Budget", "Change", "Client", "Conflict", "ConnectionFailed",
           "DioramaError", "DioramaWarning", "Entity", "Forbidden", "Json", "Lock", "Locked", "Malformed", "NotFound",
           "Scene", "SignedOut", "Unavailable", "connect"]

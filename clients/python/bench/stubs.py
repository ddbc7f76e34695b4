"""Methods of a service over a channel, without the client: what grpc's generator makes of a service."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from google.protobuf.descriptor import FileDescriptor
from google.protobuf.message_factory import GetMessageClass


def stub_of(channel: Any, file: FileDescriptor) -> Any:
    """Callables by the names of the methods of the only service of a file."""
    (service,) = file.services_by_name.values()
    methods: dict[str, Any] = {}
    for method in service.methods:
        asked, answered = ("stream" if each else "unary" for each in (method.client_streaming, method.server_streaming))
        methods[method.name] = getattr(channel, f"{asked}_{answered}")(
            f"/{service.full_name}/{method.name}",
            request_serializer=GetMessageClass(method.input_type).SerializeToString,
            response_deserializer=GetMessageClass(method.output_type).FromString,
        )
    return SimpleNamespace(**methods)

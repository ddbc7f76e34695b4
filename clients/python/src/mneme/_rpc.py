"""The RPCs of the API, found by their requests: every RPC has a message of its own to ask with."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

#: Services whose answers carry revisions of the change log of memories.
_WITH_REVISIONS = {
    "AdminService",
    "AgentService",
    "ConsolidationService",
    "ContextService",
    "ConversationService",
    "KnowledgeService",
    "MemoryService",
    "NamespaceService",
    "RecallService",
    "SubscriptionService",
}
#: Their answers have messages for what may not be there.
_MAY_HOLD_NOTHING = {
    "GetValue",
    "HasValue",
    "GetTaskState",
    "DiffCheckpoints",
    "GetServerInfo",
    "GetServerStatistics",
    "GetNamespaceStatistics",
    "AssertFact",
}
#: An empty `parent` asks for all namespaces here.
_ABOUT_ALL = {"ReembedMemories", "GetReembedProgress", "MaintainTiers", "ClearRecallCache"}


@dataclass(frozen=True)
class Rpc:
    """An RPC, and what the client adds to its requests and takes from its answers."""

    name: str
    path: str
    request: type[Message]
    response: type[Message]
    is_recall: bool
    has_parent: bool
    has_request_id: bool
    has_min_revision: bool
    has_revision: bool
    #: Messages that every answer has.
    holds: tuple[str, ...]


_found: dict[str, Rpc] = {}


def rpc_of(request: type[Message] | Message) -> Rpc:
    """The RPC that is asked with this message."""
    descriptor = request.DESCRIPTOR
    rpc = _found.get(descriptor.full_name)
    if rpc is None:
        for service in descriptor.file.services_by_name.values():
            for method in service.methods:
                _found[method.input_type.full_name] = _rpc(method)
        rpc = _found.get(descriptor.full_name)
        if rpc is None:
            raise TypeError(f"{descriptor.full_name} is not the request of an RPC")
    return rpc


def _rpc(method: MethodDescriptor) -> Rpc:
    service, asked, answered = method.containing_service, method.input_type, method.output_type
    return Rpc(
        name=method.name,
        path=f"/{service.full_name}/{method.name}",
        request=GetMessageClass(asked),
        response=GetMessageClass(answered),
        is_recall=method.name in ("Recall", "RecallStream", "BuildContext"),
        has_parent=_has(asked, "parent") and method.name not in _ABOUT_ALL,
        has_request_id=_has(asked, "request_id"),
        has_min_revision=_has(asked, "min_revision"),
        has_revision=_has(answered, "revision") and service.name in _WITH_REVISIONS,
        holds=tuple(
            field.name for field in answered.fields if _is_held(field) and method.name not in _MAY_HOLD_NOTHING
        ),
    )


def _is_held(field: FieldDescriptor) -> bool:
    """A message of Mneme, not a list of them."""
    return field.message_type is not None and field.has_presence and field.message_type.file.package == "mneme.v1"


def _has(message: Descriptor, field: str) -> bool:
    return field in message.fields_by_name

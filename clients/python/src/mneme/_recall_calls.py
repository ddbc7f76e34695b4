"""The calls of RecallService that are asked and answered."""

from __future__ import annotations

from typing_extensions import Unpack

from ._face import Calls, call
from ._known import split
from ._read import read_all
from ._recall_messages import hits_of, recall_request, recalled
from .options import CallOptions, ReadOptions
from .recall import RecallPresetDescription, RecallQuery, RecallResult
from .v1 import recall_service_pb2 as pb


class RecallArguments(RecallQuery, ReadOptions, total=False):
    """Keys of `RecallQuery` and `ReadOptions`."""


class RecallCalls(Calls):
    """Recall."""

    @call
    async def recall(
        self, query: str | RecallQuery | None = None, /, **arguments: Unpack[RecallArguments]
    ) -> RecallResult:
        """The most relevant memories for a cue: a text, or any combination of `RecallQuery`.

        ```python
        client.recall("Who makes music?", limit=3, filter=where.type.equals("message"))
        ```
        """
        options, more = split(arguments)
        request = recall_request(query, more, self._namespace)
        answer = await self._ask(request, pb.RecallResponse, options)
        return recalled(answer, hits_of(answer.hits))

    @call
    async def list_recall_presets(self, **options: Unpack[CallOptions]) -> tuple[RecallPresetDescription, ...]:
        """The retrieval forms that `preset` of a recall takes, with their parameters."""
        answer = await self._ask(pb.ListRecallPresetsRequest(), pb.ListRecallPresetsResponse, options)
        return read_all(RecallPresetDescription, answer.presets)

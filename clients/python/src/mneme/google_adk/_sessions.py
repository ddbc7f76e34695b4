"""Sessions of ADK in conversations of Mneme."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import Mapping
from typing import Any, ClassVar

from google.adk.errors._stale_session_error import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events import Event
from google.adk.sessions import BaseSessionService, Session, State
from google.adk.sessions.base_session_service import GetSessionConfig, ListSessionsResponse
from pydantic_core import to_jsonable_python

from .. import errors
from .._adapters import stored, writing
from ..content import Content
from ..conversations import ConversationMessage
from ..filters import where
from ._events import STORED_TYPE, message_of, owner, place, stored_of
from ._service import Service

_KIND = "adk-sessions"
_LOCKS = 64
_STALE = "The session was changed since it was read: get it again before the next event."

_State = dict[str, Any]


class MnemeSessionService(Service, BaseSessionService):
    """Sessions with their events and states, for `Runner(session_service=…)`. It may be used from any thread, event
    loop and process.

    A session is a conversation: message 0 has the initial state, each event is one message after it. An event is thus
    stored together with the change of the session's state, and a session that another writer has changed is stale:
    its number is taken. State of `app:` and `user:` is shared by all sessions and stored after the event; where that
    fails, `append_event` fails, and its repetition stores it. State of `temp:` is not stored.
    """

    #: Writers of one session in this process follow one another.
    _locks: ClassVar = [threading.Lock() for _ in range(_LOCKS)]

    async def create_session(
        self, *, app_name: str, user_id: str, state: _State | None = None, session_id: str | None = None
    ) -> Session:
        """A new session; `AlreadyExistsError` when there is one with the id. Default: a new UUID."""
        id = (session_id or "").strip() or str(uuid.uuid4())
        session = Session(app_name=app_name, user_id=user_id, id=id, last_update_time=time.time())
        shared, own = _split(state or {})
        await writing(lambda: self._create(session, shared, own))
        return session

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """The session with its events, all of them unless `config` limits them; None when there is none."""
        id = session_id.strip() if session_id else session_id
        return await asyncio.to_thread(lambda: self._get(app_name, user_id, id, config or GetSessionConfig()))

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """Sessions of a user, or of all users, with their states and without events; the last changed ones last."""
        sessions = await asyncio.to_thread(lambda: self._all(app_name, user_id))
        sessions.sort(key=lambda each: (each.last_update_time, each.user_id, each.id))
        return ListSessionsResponse(sessions=sessions)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Deletes a session with its events. State of the app and the user stays."""
        conversation = place(_KIND, app_name, user_id, session_id.strip() if session_id else session_id)

        def clear() -> object:
            return self.client.conversations.clear(conversation, timeout_ms=self._timeout_ms)

        await writing(lambda: stored(clear, None))

    async def get_user_state(self, *, app_name: str, user_id: str) -> _State:
        """State of a user, without the prefix `user:`."""
        return await asyncio.to_thread(lambda: self._shared(app_name, user_id))

    async def append_event(self, session: Session, event: Event) -> Event:
        """Stores an event with its changes of state, and appends it to `session`. `SessionNotFoundError` without such a
        session, `StaleSessionError` when another writer has appended since `session` was read. The event that was
        stored last may be sent again."""
        if event.partial:
            return event
        self._apply_temp_state(session, event)
        event = self._trim_temp_delta_state(event)
        await writing(lambda: self._append(session, event))
        return event

    def _create(self, session: Session, shared: Mapping[str, _State], own: _State) -> None:
        header = {
            "session": {"app_name": session.app_name, "user_id": session.user_id, "id": session.id},
            "time": session.last_update_time,
            "nonce": str(uuid.uuid4()),
            "state": own,
        }
        conversation = place(_KIND, session.app_name, session.user_id, session.id)
        first = {"role": "system", "blocks": [{"data": Content(STORED_TYPE, Content.from_json(header).data)}]}
        scope = owner(_KIND, session.app_name, session.user_id)
        exists = f"Session with id {session.id} already exists."
        if self._newest(conversation) is not None:
            raise AlreadyExistsError(exists)
        # First, so that creating the session again after a failure stores what is missing.
        self._share(session.app_name, session.user_id, shared)
        try:
            self.client.conversations.append(
                conversation, [{**first, "sequence": 0}], scope=scope, timeout_ms=self._timeout_ms
            )
        except errors.AlreadyExistsError as error:
            raise AlreadyExistsError(exists) from error
        session.state = self._merged(session.app_name, session.user_id, own)
        session._storage_update_marker = "0"

    def _get(self, app_name: str, user_id: str, id: str, config: GetSessionConfig) -> Session | None:
        messages = self._messages(place(_KIND, app_name, user_id, id))
        session = self._session(messages)
        if session is None:
            return None
        events = [Event.model_validate(found["event"]) for each in messages if "event" in (found := stored_of(each))]
        if config.num_recent_events is not None:
            events = events[-config.num_recent_events :] if config.num_recent_events else []
        if config.after_timestamp is not None:
            older = [at for at, event in enumerate(events) if event.timestamp < config.after_timestamp]
            events = events[older[-1] + 1 :] if older else events
        session.events = events
        return session

    def _all(self, app_name: str, user_id: str | None) -> list[Session]:
        wanted = where.type.equals("message") & where.step.equals(0)
        for field, value in owner(_KIND, app_name, user_id).items():
            wanted = wanted & getattr(where, field).equals(value)
        headers = stored(
            lambda: list(self.client.list(filter=wanted, view="metadata", timeout_ms=self._timeout_ms)), []
        )
        found = (self._session(self._messages(each.scope.session or "")) for each in headers)
        return [session for session in found if session is not None]

    def _session(self, messages: list[ConversationMessage]) -> Session | None:
        """The session that the messages make, without its events."""
        header = stored_of(messages[0]) if messages else {}
        if "session" not in header:
            return None
        session = Session(**header["session"], last_update_time=header["time"])
        own: _State = dict(header["state"])
        for message in messages[1:]:
            found = stored_of(message)
            own.update(found.get("state", {}))
            session.last_update_time = found.get("event", {}).get("timestamp", session.last_update_time)
        session.state = self._merged(session.app_name, session.user_id, own)
        session._storage_update_marker = str(messages[-1].sequence)
        return session

    def _append(self, session: Session, event: Event) -> None:
        conversation = place(_KIND, session.app_name, session.user_id, session.id)
        shared, own = _split((event.actions.state_delta if event.actions else None) or {})
        made = event.model_dump(mode="json", exclude_none=True)
        with self._locks[hash(conversation) % _LOCKS]:
            newest = self._newest(conversation)
            if newest is None:
                raise SessionNotFoundError(f"Session {session.id} not found.")
            if stored_of(newest).get("event") != made:
                sequence = self._next(session, newest)
                message = message_of(event, {"event": made, "state": own}, sequence)
                scope = owner(_KIND, session.app_name, session.user_id)
                try:
                    self.client.conversations.append(conversation, [message], scope=scope, timeout_ms=self._timeout_ms)
                except errors.AlreadyExistsError as error:
                    raise StaleSessionError(_STALE) from error
            else:
                sequence = newest.sequence
            self._share(session.app_name, session.user_id, shared)
            if not any(each.id == event.id and each == event for each in session.events):
                self._commit_event_to_session(session, event)
            session.last_update_time = event.timestamp
            session._storage_update_marker = str(sequence)

    def _next(self, session: Session, newest: ConversationMessage) -> int:
        """The number of the next event of the session as its caller has read it."""
        marker = session._storage_update_marker
        if marker is not None and marker != str(newest.sequence):
            raise StaleSessionError(_STALE)
        found = stored_of(newest)
        time_of = found.get("event", {}).get("timestamp", found.get("time", 0.0))
        if marker is None and time_of > session.last_update_time:
            raise StaleSessionError(_STALE)
        return newest.sequence + 1

    def _share(self, app_name: str, user_id: str, shared: Mapping[str, _State]) -> None:
        for names, changes in (((app_name,), shared["app"]), ((app_name, user_id), shared["user"])):
            values = self.client.session(place(_KIND, *names))
            for key, value in changes.items():
                values.set(f"state.{key}", value, expiry="never", timeout_ms=self._timeout_ms)

    def _shared(self, *names: str) -> _State:
        values = self.client.session(place(_KIND, *names))
        entries = stored(lambda: list(values.get_all(timeout_ms=self._timeout_ms)), [])
        return {each.key.removeprefix("state."): each.value.json() for each in entries}

    def _merged(self, app_name: str, user_id: str, own: _State) -> _State:
        app = {State.APP_PREFIX + key: value for key, value in self._shared(app_name).items()}
        user = {State.USER_PREFIX + key: value for key, value in self._shared(app_name, user_id).items()}
        return {**own, **app, **user}


def _split(state: Mapping[str, Any]) -> tuple[dict[str, _State], _State]:
    """State of the app and the user without prefixes, and of the session; as JSON carries it."""
    shared: dict[str, _State] = {"app": {}, "user": {}}
    own: _State = {}
    for key, value in to_jsonable_python(dict(state), serialize_unknown=True).items():
        if key.startswith(State.APP_PREFIX):
            shared["app"][key.removeprefix(State.APP_PREFIX)] = value
        elif key.startswith(State.USER_PREFIX):
            shared["user"][key.removeprefix(State.USER_PREFIX)] = value
        elif not key.startswith(State.TEMP_PREFIX):
            own[key] = value
    return shared, own

"""SQLite alone with the same rows and a sync for each commit: the least that durable writes cost. It has no search."""

from __future__ import annotations

import sqlite3
import threading

from against_data import BATCH, Data, Narrowing

INSERT = "INSERT INTO memory VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
SCHEMA = """
CREATE TABLE memory (
  id TEXT PRIMARY KEY, session TEXT NOT NULL, agent TEXT NOT NULL, type TEXT NOT NULL, step INTEGER NOT NULL,
  event_s INTEGER NOT NULL, importance REAL NOT NULL, tags TEXT NOT NULL, text TEXT NOT NULL, content TEXT NOT NULL,
  embedding BLOB NOT NULL
);
CREATE INDEX memory_step ON memory (type, step);
"""


class SqliteSystem:
    """One connection for all sessions: SQLite has one writer at a time anyway."""

    def __init__(self, file: str, data: Data) -> None:
        self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._lock = threading.Lock()
        self._data = data

    def session(self) -> SqliteSession:
        return SqliteSession(self._connection, self._lock, self._data)

    def prepare(self) -> None:
        self._connection.executescript(SCHEMA)

    def finish(self) -> None:
        pass

    def is_serving(self) -> bool:
        return True


class SqliteSession:
    def __init__(self, connection: sqlite3.Connection, lock: threading.Lock, data: Data) -> None:
        self._connection = connection
        self._lock = lock
        self._data = data

    def add(self, at: int) -> None:
        with self._lock:
            self._connection.execute(INSERT, self._values(at))

    def add_batch(self, first: int) -> None:
        rows = [self._values(first + i) for i in range(BATCH)]
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(INSERT, rows)
            self._connection.execute("COMMIT")

    def query(self, at: int, narrowing: Narrowing, by_vector_alone: bool = False) -> list[str]:
        raise NotImplementedError

    def get(self, at: int) -> str:
        with self._lock:
            found = self._connection.execute("SELECT * FROM memory WHERE id = ?", (self._data.memory(at).id,))
            return str(found.fetchone()[8])

    def _values(self, at: int) -> tuple[object, ...]:
        memory = self._data.memory(at)
        return (
            memory.id,
            memory.session,
            memory.agent,
            memory.type,
            memory.step,
            memory.event_s,
            memory.importance,
            ",".join(memory.tags),
            memory.text,
            memory.content,
            self._data.vector(at).tobytes(),
        )

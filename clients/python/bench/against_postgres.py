"""PostgreSQL with pgvector, called by libpq: prepared statements, vectors in binary, one connection a session."""

from __future__ import annotations

import json
import struct
from typing import Any

from against_data import BATCH, DIMENSION, LIMIT, Data, Memory, Narrowing, Steps, Vector, Zone
from psycopg import pq

DATABASE = "postgres"
USER = "bench"
COLUMNS = "id, session, agent, type, step, event_time, importance, tags, text, content"
TEXT_COLUMN = 8

TABLE = f"""
CREATE EXTENSION vector;
CREATE TABLE memory (
  id text PRIMARY KEY, session text NOT NULL, agent text NOT NULL, type text NOT NULL, step bigint NOT NULL,
  event_time timestamptz NOT NULL, importance float8 NOT NULL, tags text[] NOT NULL, text text NOT NULL,
  content jsonb NOT NULL, embedding vector({DIMENSION}) NOT NULL
)"""

INDEXES = (
    "SET maintenance_work_mem = '1GB'",
    "CREATE INDEX ON memory USING hnsw (embedding vector_cosine_ops)",
    "CREATE INDEX ON memory (type, step)",
    "CREATE INDEX ON memory USING gin (content jsonb_path_ops)",
    "VACUUM ANALYZE memory",
)

PARAMETERS = 11
"""Of one inserted row; the last one is the vector."""


def _row_of(number: int) -> str:
    first = number * PARAMETERS
    marks = [f"${first + i}" for i in range(1, PARAMETERS + 1)]
    marks[5] = f"to_timestamp({marks[5]})"
    return f"({', '.join(marks)})"


def _insert_of(rows: int) -> str:
    return f"INSERT INTO memory ({COLUMNS}, embedding) VALUES {', '.join(map(_row_of, range(rows)))}"


def _select_of(condition: str) -> str:
    where = f" WHERE {condition}" if condition else ""
    return (
        f"SELECT {COLUMNS}, 1 - (embedding <=> $1::vector) FROM memory{where} "
        f"ORDER BY embedding <=> $1::vector LIMIT {LIMIT}"
    )


STATEMENTS = {
    "add": _insert_of(1),
    "add_batch": _insert_of(BATCH),
    "get": f"SELECT {COLUMNS} FROM memory WHERE id = $1",
    "query": _select_of(""),
}
# Planned for each call by its values: a plan for all values of a filter is three times slower.
STEPS = _select_of("type = $2 AND step >= $3 AND step < $4").encode()
ZONES = _select_of("content @> $2::jsonb").encode()

ROW_FORMATS = [*[pq.Format.TEXT] * (PARAMETERS - 1), pq.Format.BINARY]


class PostgresSystem:
    """`folder` has the socket of the server."""

    def __init__(self, folder: str, data: Data) -> None:
        self._target = f"host={folder} dbname={DATABASE} user={USER}".encode()
        self._data = data

    def session(self) -> PostgresSession:
        return PostgresSession(_connected(self._target), self._data)

    def prepare(self) -> None:
        connection = _connected(self._target)
        _checked(connection, connection.exec_(TABLE.encode()))
        connection.finish()

    def finish(self) -> None:
        connection = _connected(self._target)
        for statement in INDEXES:
            _checked(connection, connection.exec_(statement.encode()))
        connection.finish()

    def is_serving(self) -> bool:
        connection = pq.PGconn.connect(self._target)
        is_open = connection.status == pq.ConnStatus.OK
        connection.finish()
        return bool(is_open)


class PostgresSession:
    def __init__(self, connection: pq.abc.PGconn, data: Data) -> None:
        self._connection = connection
        self._data = data
        # Strict order, as Mneme answers; without it a filter could leave fewer hits than there are.
        _checked(connection, connection.exec_(b"SET hnsw.iterative_scan = strict_order"))
        for name, statement in STATEMENTS.items():
            _checked(connection, connection.prepare(name.encode(), statement.encode()))

    def add(self, at: int) -> None:
        self._execute("add", _values_of(self._data.memory(at), self._data.vector(at)), ROW_FORMATS)

    def add_batch(self, first: int) -> None:
        places = range(first, first + BATCH)
        values = [value for at in places for value in _values_of(self._data.memory(at), self._data.vector(at))]
        self._execute("add_batch", values, ROW_FORMATS * BATCH)

    def query(self, at: int, narrowing: Narrowing, by_vector_alone: bool = False) -> list[str]:
        values = [_vector_of(self._data.queries[at])]
        match narrowing:
            case Steps(type, first, end):
                result = self._planned(STEPS, [*values, type.encode(), b"%d" % first, b"%d" % end])
            case Zone(zone):
                result = self._planned(ZONES, [*values, json.dumps({"zone": zone}).encode()])
            case None:
                result = self._execute("query", values, [pq.Format.BINARY])
        return [_text(result, row, 0) for row in range(result.ntuples) if _text(result, row, TEXT_COLUMN)]

    def get(self, at: int) -> str:
        result = self._execute("get", [self._data.memory(at).id.encode()], [pq.Format.TEXT])
        return _text(result, 0, TEXT_COLUMN)

    def _execute(self, name: str, values: list[bytes], formats: list[pq.Format]) -> Any:
        return _checked(self._connection, self._connection.exec_prepared(name.encode(), values, formats))

    def _planned(self, statement: bytes, values: list[bytes]) -> Any:
        formats = [pq.Format.BINARY, *[pq.Format.TEXT] * (len(values) - 1)]
        return _checked(self._connection, self._connection.exec_params(statement, values, param_formats=formats))


def _connected(target: bytes) -> Any:
    connection = pq.PGconn.connect(target)
    if connection.status != pq.ConnStatus.OK:
        raise ConnectionError(connection.error_message.decode())
    return connection


def _checked(connection: Any, result: Any) -> Any:
    if result.status not in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK):
        raise RuntimeError(connection.error_message.decode())
    return result


def _text(result: Any, row: int, column: int) -> str:
    value = result.get_value(row, column)
    return value.decode() if value else ""


def _vector_of(vector: Vector) -> bytes:
    """The binary form of pgvector: two numbers of 16 bits, then floats, the greatest byte first."""
    return struct.pack(">HH", DIMENSION, 0) + bytes(vector.astype(">f4").tobytes())


def _values_of(memory: Memory, vector: Vector) -> list[bytes]:
    texts = [
        memory.id,
        memory.session,
        memory.agent,
        memory.type,
        str(memory.step),
        str(memory.event_s),
        str(memory.importance),
        "{" + ",".join(memory.tags) + "}",
        memory.text,
        memory.content,
    ]
    return [*(text.encode() for text in texts), _vector_of(vector)]

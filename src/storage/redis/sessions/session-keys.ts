import type { SessionKey } from '../../../memory/session.ts';
import { escaped, roomKey } from '../keys.ts';

/** Keys of the sessions of a namespace: all in one room, so that one script can change a session and what lists it. */
export interface NamespaceKeys {
  readonly room: string;
  /** Ids of sessions, in order. */
  readonly index: string;
  /** Ids of sessions by the instant at which something of them expires, at the earliest. */
  readonly due: string;
  /** Ids of active sessions by the instant at which they are idle. */
  readonly idle: string;
  /** Events of the lifecycle by sequence, as `<sequence>:<instant>:<body>`. */
  readonly events: string;
  /** `newest` and `forgotten` sequence of the events. */
  readonly eventEnds: string;
  /** How far each consumer of events is. */
  readonly eventConsumers: string;
  /** Hash: `epoch` of the room, `version` that every write counts up, whether the room before it was `lost`. */
  readonly marker: string;
  /** There while sessions that are missing may be lost ones. */
  readonly lost: string;
}

export interface SessionKeys extends NamespaceKeys {
  readonly id: string;
  /** What the keys of the session begin with. */
  readonly base: string;
  /** Hash: `json` of the record, `rev`ision. */
  readonly record: string;
  /** Hash: entry of each key, see `entry-codec.ts`. */
  readonly entries: string;
  /** Sorted set: keys that expire, by instant. */
  readonly expiries: string;
  /** Sorted set: notes by sequence. */
  readonly notes: string;
  /** Hashes: JSON of a checkpoint and its manifest by id, packs by number. */
  readonly checkpoints: string;
  readonly manifests: string;
  readonly packs: string;
  /** Sorted set: changes by revision, as JSON. */
  readonly changes: string;
}

export function namespaceKeys(prefix: string, namespace: string): NamespaceKeys {
  const room = roomKey(prefix, 'sessions', namespace);
  return {
    room,
    index: `${room}:index`,
    due: `${room}:due`,
    idle: `${room}:idle`,
    events: `${room}:events`,
    eventEnds: `${room}:event-ends`,
    eventConsumers: `${room}:event-consumers`,
    marker: `${room}:marker`,
    lost: `${room}:lost`,
  };
}

export function sessionKeys(prefix: string, { namespace, session }: SessionKey): SessionKeys {
  const ofNamespace = namespaceKeys(prefix, namespace);
  const base = `${ofNamespace.room}:s:${escaped(session)}`;
  return {
    ...ofNamespace,
    id: session,
    base,
    record: `${base}:record`,
    entries: `${base}:entries`,
    expiries: `${base}:expiries`,
    notes: `${base}:notes`,
    checkpoints: `${base}:checkpoints`,
    manifests: `${base}:manifests`,
    packs: `${base}:packs`,
    changes: `${base}:changes`,
  };
}

/** The keys that a session consists of. */
export function partsOf({
  record,
  entries,
  expiries,
  notes,
  checkpoints,
  manifests,
  packs,
  changes,
}: SessionKeys): string[] {
  return [record, entries, expiries, notes, checkpoints, manifests, packs, changes];
}

/** Where the outcome of a repeatable request is kept. */
export function requestKey({ room }: NamespaceKeys, requestId: string): string {
  return `${room}:r:${escaped(requestId)}`;
}

/** Set of the namespaces that have had sessions. */
export function namespacesKey(prefix: string): string {
  return `${prefix}:session-namespaces`;
}

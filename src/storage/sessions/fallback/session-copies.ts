import { MnemeError } from '../../../memory/errors.ts';
import type { SessionKey, SessionLimits, SessionRecord } from '../../../memory/session.ts';
import type { SessionOp, SessionOutcome, SessionStore, SessionWrite } from '../../session-store.ts';
import type { Detour, LocalState } from './merge-session.ts';

/** Not a prefix of any session id: copies are beside the store's own sessions, and must not be mistaken for these. */
const COPY = '\u{1}';
/** The session whose keys record the copies with local writes, by namespace. */
const DETOURS = '\u{2}';
const PAGE = 500;
const UNLIMITED: SessionLimits = {
  keysMax: Number.MAX_SAFE_INTEGER,
  valueBytesMax: Number.MAX_SAFE_INTEGER,
  notesMax: Number.MAX_SAFE_INTEGER,
  noteBytesMax: Number.MAX_SAFE_INTEGER,
  checkpointsMax: 0,
  checkpointBytesMax: 0,
  changesMax: 100_000,
};
const OF_NOBODY = { project: '', agentType: '', agent: '', defaultTtlUs: 0, idleTtlUs: 0 };
const DRAFT = { ...OF_NOBODY, mustBeNew: false, isSpawned: false };

/** Copies of the sessions of another store, in a durable store of this server, with local writes. */
export class SessionCopies {
  private readonly local: SessionStore;
  /** Name of the store with the original sessions. */
  private readonly original: Pick<SessionStore, 'session' | 'snapshot'>;

  constructor(local: SessionStore, original: Pick<SessionStore, 'session' | 'snapshot'>) {
    this.local = local;
    this.original = original;
  }

  /** The part of a session's read that goes to the copy. Errors name the session. */
  async read<R extends SessionKey, A>(read: R, ask: (store: SessionStore, copy: R) => Promise<A>): Promise<A> {
    try {
      return await ask(this.local, { ...read, session: COPY + read.session });
    } catch (error) {
      throw named(error);
    }
  }

  async record(key: SessionKey): Promise<SessionRecord | undefined> {
    const record = await this.local.session(copyOf(key));
    return record && { ...record, id: key.session };
  }

  /** Applies a write of the session to its copy; the session has the revision of the outcome. */
  async follow(write: SessionWrite, { revision }: SessionOutcome): Promise<void> {
    if (write.ops.some((op) => op.kind === 'transition' && (op.erases || op.to === 'terminated'))) {
      return this.erase(write);
    }
    const copy = await this.local.session(copyOf(write));
    if ((copy?.revision ?? 0) >= revision) return;
    const isNext = (copy?.revision ?? 0) === revision - 1;
    if (!isNext || !write.ops.every(isFollowed)) return this.adopt(write);
    const ops = write.ops.flatMap(followed);
    const { states: _, idempotency, ...rest } = write;
    const isMove = ops.some(({ kind }) => kind === 'transition');
    const states = ['active', 'paused', 'terminating'] as const;
    try {
      const limits = { ...write.limits, changesMax: UNLIMITED.changesMax };
      await this.local.write({
        ...rest,
        ...copyOf(write),
        ops,
        limits,
        states,
        ...(idempotency && !isMove && { idempotency }),
      });
    } catch (error) {
      if (!(error instanceof MnemeError) || error.reason === 'STORAGE_UNAVAILABLE') throw error;
      // The copy differs from the expected state: for example, a store erases expired keys at different times.
      await this.adopt(write);
    }
  }

  /** Makes the copy anew from the session. */
  async adopt({ namespace, session, atUs }: SessionKey & { readonly atUs: number }): Promise<void> {
    const snapshot = await this.original.snapshot({ namespace, session, nowUs: atUs });
    const record = snapshot && (await this.original.session({ namespace, session }));
    // Its changes are deleted too, as their revisions may be reused.
    await this.erase({ namespace, session });
    if (!record || record.state === 'terminated') return;
    const states = ['active', 'paused', 'terminating', 'terminated'] as const;
    const rest = { ...copyOf({ namespace, session }), create: DRAFT, limits: UNLIMITED, atUs, states };
    await this.local.write({ ...rest, ops: [{ kind: 'adopt', record, snapshot }] });
  }

  /** Writes to the copy alone. */
  async write(write: SessionWrite): Promise<SessionOutcome> {
    try {
      const limits = { ...write.limits, changesMax: UNLIMITED.changesMax };
      return await this.local.write({ ...write, ...copyOf(write), limits });
    } catch (error) {
      throw named(error);
    }
  }

  /** The contents and changes of the copy; `undefined` where it is missing or unchanged. */
  async changedSince(
    { namespace, session }: SessionKey,
    revision: number,
    nowUs: number,
  ): Promise<LocalState | undefined> {
    const copy = copyOf({ namespace, session });
    const record = await this.record({ namespace, session });
    const snapshot = record && (await this.local.snapshot({ ...copy, nowUs }));
    if (!record || !snapshot || snapshot.revision === revision) return undefined;
    const { changes } = await this.local.changes({ ...copy, afterRevision: revision, limit: Number.MAX_SAFE_INTEGER });
    return { record, snapshot, changes };
  }

  async erase(key: SessionKey): Promise<void> {
    await this.local.eraseSession(copyOf(key));
  }

  /** The copies of a namespace. */
  async *all(namespace: string): AsyncGenerator<{ readonly session: string; readonly updatedAtUs: number }> {
    for (let afterId = COPY; ; ) {
      const page = await this.local.sessions({ namespace, limit: PAGE, afterId });
      for (const { id, updatedAtUs } of page) {
        if (!id.startsWith(COPY)) return;
        yield { session: id.slice(COPY.length), updatedAtUs };
        afterId = id;
      }
      if (page.length < PAGE) return;
    }
  }

  outcomeOf(write: SessionWrite): Promise<SessionOutcome | undefined> {
    return write.idempotency ? this.local.outcomeOf(write, write.idempotency) : Promise.resolve(undefined);
  }

  /** Records durably that a copy is about to be written to alone. */
  async beginDetour({ namespace, session, atUs }: SessionWrite, detour: Detour): Promise<void> {
    const content = { mediaType: 'application/json', data: Buffer.from(JSON.stringify(detour)) };
    const op: SessionOp = { kind: 'set', key: session, content, expiry: { kind: 'never' } };
    await this.local.write({ namespace, session: DETOURS, create: DRAFT, ops: [op], limits: UNLIMITED, atUs });
  }

  async endDetour({ namespace, session }: SessionKey, atUs: number): Promise<void> {
    const op: SessionOp = { kind: 'delete', key: session };
    await this.local.write({ namespace, session: DETOURS, create: DRAFT, ops: [op], limits: UNLIMITED, atUs });
  }

  /** Copies with local writes in a namespace. */
  async detours(namespace: string): Promise<Map<string, Detour>> {
    const limits = { limit: Number.MAX_SAFE_INTEGER, bytesMax: Number.MAX_SAFE_INTEGER };
    const { entries } = await this.local.list({ namespace, session: DETOURS, ...limits, withValues: true, nowUs: 0 });
    return new Map(
      entries.flatMap(({ key, content }) =>
        content ? [[key, JSON.parse(Buffer.from(content.data).toString()) as Detour] as const] : [],
      ),
    );
  }

  eraseNamespace(namespace: string): Promise<void> {
    return this.local.eraseNamespace(namespace);
  }
}

function copyOf({ namespace, session }: SessionKey): SessionKey {
  return { namespace, session: COPY + session };
}

/** The copy needs no other data for these. */
function isFollowed({ kind }: SessionOp): boolean {
  return kind !== 'restore' && kind !== 'load';
}

/** Checkpoints and events are in the session's own store. */
function followed(op: SessionOp): SessionOp[] {
  if (op.kind === 'checkpoint' || op.kind === 'dropCheckpoint' || op.kind === 'keepCheckpoint') return [];
  if (op.kind === 'clear') return [{ ...op, checkpoints: false }];
  if (op.kind !== 'transition') return [op];
  const { event: _, episode: __, expiresAtUs: ___, ...rest } = op;
  return [rest];
}

function named(error: unknown): unknown {
  if (!(error instanceof MnemeError)) return error;
  const plain = (text: string) => text.replaceAll(COPY, '');
  const metadata = Object.fromEntries(Object.entries(error.metadata).map(([name, value]) => [name, plain(value)]));
  return new MnemeError(error.reason, plain(error.message), { metadata, cause: error });
}

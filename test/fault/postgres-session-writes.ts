import type { SessionStore, SessionTransition, SessionWrite } from '../../src/storage/session-store.ts';
import { append, checkpoint, HERE, LIMITS, NOW_US, set } from '../storage/conformance/session-store/session-of-test.ts';
import { newMemory } from '../support/new-memory.ts';

const DRAFT = {
  project: '',
  agentType: '',
  agent: '',
  defaultTtlUs: 0,
  idleTtlUs: 0,
  mustBeNew: false,
  isSpawned: false,
};

const move = (to: SessionTransition['to'], more: Partial<SessionTransition>): SessionTransition => ({
  kind: 'transition',
  fromGeneration: 0,
  to,
  isFrozen: true,
  metadata: '{}',
  lifecycle: '{}',
  answer: '{}',
  ...more,
});

function writeTo(session: string, requestId: string, ops: SessionWrite['ops']): SessionWrite {
  const idempotency = { requestId, fingerprint: requestId };
  return { namespace: HERE.namespace, session, create: DRAFT, ops, limits: LIMITS, atUs: NOW_US, idempotency };
}

/** Sessions before the writes. */
export const SETUP: readonly SessionWrite[] = [
  writeTo('old', 'old', [set('k', 'one'), append('one'), checkpoint('c1')]),
  writeTo('ended', 'ended', [set('k', 'one'), append('one')]),
];

/** Writes that go out together: a new session, a changed one, and one that ends with an episode and an event. */
export const WRITES: readonly SessionWrite[] = [
  writeTo('new', 'create', [set('k', 'two'), append('two')]),
  writeTo('old', 'change', [
    set('k', 'two'),
    { kind: 'restore', id: 'c1', mode: 'merge' },
    set('other', 'two'),
    append('two'),
    checkpoint('c2'),
  ]),
  writeTo('ended', 'terminate', [
    { kind: 'clear', values: true, task: true, notes: true, checkpoints: true },
    move('terminated', {
      event: '{"ended":true}',
      episode: {
        namespace: HERE.namespace,
        onConflict: 'keep',
        createNamespace: false,
        memories: [newMemory({ id: 'episode' })],
        atUs: NOW_US,
      },
    }),
  ]),
];

/** What is visible of a session: its state, values, notes and checkpoints. */
export async function seenOf(store: SessionStore, session: string): Promise<string> {
  const key = { namespace: HERE.namespace, session };
  const record = await store.session(key);
  const snapshot = await store.snapshot({ ...key, nowUs: NOW_US });
  const checkpoints = await store.checkpoints({ ...key, limit: 10, nowUs: NOW_US });
  const textOf = ({ data }: { readonly data: Uint8Array }) => Buffer.from(data).toString();
  return JSON.stringify([
    record && [record.state, record.revision, record.keyCount, record.noteCount],
    snapshot?.entries.map(({ key: name, content }) => [name, textOf(content)]),
    snapshot?.notes.map(({ content }) => textOf(content)),
    checkpoints.map(({ id }) => id),
  ]);
}

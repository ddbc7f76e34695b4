/** The callers in TypeScript of `make demo-mesh`: writers, recallers and subscribers. README.md says what they print. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Mneme, MnemeError } from '../../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';
import { SIGNALS } from './signals.ts';

interface Stored {
  readonly id: string;
  readonly text: string;
  /** A word that no other memory has. */
  readonly word: string;
}

const UPDATED_EVERY = 5;
const DELETED_EVERY = 7;
/** Changes that a worker of the work queue has at a time. */
const OUTSTANDING = 4;
const [address = '', folder = '', name = '', pauseMs = '0', ...namespaces] = process.argv.slice(2);
const over = new AbortController();
const latest = new Map<string, Stored>();
const caughtUp = new Set<string>();
const opened: Mneme[] = [];
let mneme = open();
let isResting = false;
let isLeaving = false;

function tell(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** With the certificates that are in the folder now. */
function open(): Mneme {
  const file = (each: string) => readFileSync(`${folder}/${each}`);
  const tls = { ca: file('ca.pem'), cert: file('client.pem'), key: file('client.key') };
  const client = connect(address, { ...PATIENT_CLIENT, tls });
  opened.push(client);
  return client;
}

function nameOf(error: unknown): string {
  return error instanceof MnemeError ? `${error.code} ${error.reason ?? error.message}` : String(error);
}

function onBroken(error: unknown): void {
  tell({ broken: nameOf(error) });
}

async function attempt(call: string, work: () => Promise<unknown>): Promise<boolean> {
  const beganMs = Date.now();
  try {
    await work();
    tell({ done: call, beganMs, endedMs: Date.now() });
    return true;
  } catch (error) {
    const { code, reason, message, retryable } =
      error instanceof MnemeError ? error : { code: 'none', reason: 'none', message: String(error), retryable: false };
    tell({ failed: call, beganMs, endedMs: Date.now(), code, reason: reason ?? '', message, retryable });
    return false;
  }
}

/** Repeats a write with its request id until it is acknowledged. */
async function acknowledged(
  write: {
    readonly wrote: 'stored' | 'updated' | 'deleted' | 'set';
    readonly namespace: string;
    readonly id: string;
    readonly text: string;
    readonly tags?: readonly string[];
  },
  work: (options: { requestId: string }) => Promise<unknown>,
): Promise<void> {
  const options = { requestId: randomUUID() };
  while (!(await attempt(write.wrote, () => work(options)))) await pause(Number(pauseMs));
  tell(write);
}

async function write(namespace: string): Promise<void> {
  for (let n = 1; !isResting; n++) {
    const [id, word] = [`${name}-${n}`, `${name}${n}`];
    let text = `${word} lies at anchor.`;
    const tags = n % SIGNALS.every === 0 ? [SIGNALS.tag] : [];
    const calls = () => mneme.withNamespace(namespace);
    await acknowledged({ wrote: 'stored', namespace, id, text, tags }, (options) =>
      calls().store({ id, text, tags }, options),
    );
    await acknowledged({ wrote: 'set', namespace, id: name, text: id }, (options) =>
      calls().session(name).set('last', id, options),
    );
    if (n % UPDATED_EVERY === 0) {
      text = `${word} sails on.`;
      await acknowledged({ wrote: 'updated', namespace, id, text }, (options) => calls().update(id, { text }, options));
    }
    if (n % DELETED_EVERY === 0) {
      await acknowledged({ wrote: 'deleted', namespace, id, text: '' }, (options) => calls().delete(id, options));
    } else latest.set(namespace, { id, text, word });
    await pause(Number(pauseMs));
  }
}

async function recall(namespace: string): Promise<void> {
  while (!isResting) {
    const wanted = latest.get(namespace);
    if (wanted) {
      const calls = mneme.withNamespace(namespace);
      await attempt('recalled', async () => {
        const { hits } = await calls.recall({ text: wanted.word, limit: 1, minRelevance: 0 });
        const [found] = hits;
        if (found?.memory.text !== wanted.text) tell({ wrong: `recall of ${wanted.word}: ${found?.memory.text}` });
      });
      await attempt('read', async () => {
        const { text } = await calls.get(wanted.id);
        if (text !== wanted.text) tell({ wrong: `${wanted.id}: ${text}` });
      });
    }
    await pause(Number(pauseMs));
  }
}

/** Goes on by its resume token, also with another client where certificates are renewed. */
async function watch(namespace: string): Promise<void> {
  let resumeToken = '';
  while (!over.signal.aborted) {
    const client = mneme;
    const query = resumeToken === '' ? {} : { resumeToken };
    for await (const event of client
      .withNamespace(namespace)
      .watch({ ...query, progress: true }, { signal: over.signal, onBroken })) {
      if ('resumeToken' in event) resumeToken = event.resumeToken;
      if (event.kind === 'caught_up') {
        caughtUp.add(namespace);
        if (caughtUp.size === namespaces.length) tell({ ready: true });
        if (client !== mneme) break;
      } else if (event.kind === 'relisting') tell({ wrong: `the watch of ${namespace} has missed changes` });
      else if ('id' in event && event.id !== '') tell({ saw: event.kind, namespace, id: event.id });
    }
  }
}

/** Goes on at its cursor, which the server keeps, also with another client where certificates are renewed. */
async function consume(namespace: string): Promise<void> {
  while (!over.signal.aborted) {
    const client = mneme;
    const { subscriptions } = client.withNamespace(namespace);
    for await (const delivery of subscriptions.consume(
      SIGNALS.subscription,
      name,
      {},
      { signal: over.signal, onBroken },
    )) {
      tell({ delivered: delivery.kind, namespace, id: delivery.id });
      delivery.acknowledge();
      if (client !== mneme) break;
    }
  }
}

/** Shares the work queue with other workers until they leave it, each after a change: an acknowledgement is on disk then. */
async function workOn(namespace: string, worker: number): Promise<void> {
  const query = { maxOutstanding: OUTSTANDING };
  for (let isOver = false; !isOver && !over.signal.aborted; ) {
    const client = mneme;
    const { subscriptions } = client.withNamespace(namespace);
    const options = { signal: over.signal, onBroken };
    for await (const job of subscriptions.consume(SIGNALS.workQueue, `${name}-${worker}`, query, options)) {
      tell({ worked: job.kind, namespace, id: job.id });
      job.acknowledge();
      isOver = isLeaving;
      if (isOver || client !== mneme) break;
    }
  }
  tell({ left: namespace });
}

/** Reports how each answer differs from the one before it, which may be of another client. */
async function subscribe(namespace: string): Promise<void> {
  let before = new Map<string, string>();
  while (!over.signal.aborted) {
    const client = mneme;
    const answers = client.withNamespace(namespace).subscribe(SIGNALS.query, { signal: over.signal, onBroken });
    for await (const { hits } of answers) {
      const after = new Map(hits.map(({ memory: { id, text } }) => [id, text]));
      for (const [id, text] of after) if (before.get(id) !== text) tell({ answered: 'has', namespace, id, text });
      for (const id of before.keys()) if (!after.has(id)) tell({ answered: 'lacks', namespace, id });
      before = after;
      if (client !== mneme) break;
    }
  }
}

function work(): void {
  const working = namespaces.flatMap((namespace) => [write(namespace), recall(namespace)]);
  void Promise.all(working).then(() => tell({ rested: true }));
}

const subscribers = namespaces.flatMap((namespace) => [
  watch(namespace),
  consume(namespace),
  subscribe(namespace),
  ...Array.from({ length: SIGNALS.workers }, (_, worker) => workOn(namespace, worker)),
]);
const following = Promise.all(subscribers).catch((error: unknown) => {
  if (!over.signal.aborted) throw error;
});
for await (const command of createInterface(process.stdin)) {
  if (command === 'begin') work();
  if (command === 'renew') mneme = open();
  if (command === 'rest') isResting = true;
  if (command === 'leave') isLeaving = true;
}
over.abort();
await following;
await Promise.all(opened.map((client) => client.close()));

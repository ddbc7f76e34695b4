/** The callers in TypeScript of `make demo-mesh`: writers, recallers and watchers. README.md says what they print. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Mneme, MnemeError } from '../../../clients/typescript/src/index.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';

interface Stored {
  readonly id: string;
  readonly text: string;
  /** A word that no other memory has. */
  readonly word: string;
}

const UPDATED_EVERY = 5;
const DELETED_EVERY = 7;
const [address = '', folder = '', name = '', pauseMs = '0', ...namespaces] = process.argv.slice(2);
const over = new AbortController();
const latest = new Map<string, Stored>();
const caughtUp = new Set<string>();
const opened: Mneme[] = [];
let mneme = open();
let isResting = false;

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
  write: { readonly wrote: 'stored' | 'updated' | 'deleted' | 'set'; namespace: string; id: string; text: string },
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
    const calls = () => mneme.withNamespace(namespace);
    await acknowledged({ wrote: 'stored', namespace, id, text }, (options) => calls().store({ id, text }, options));
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
        const { hits } = await calls.recall({ text: wanted.word, limit: 1 });
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
    const onBroken = (error: unknown) => tell({ broken: nameOf(error) });
    const query = resumeToken === '' ? {} : { resumeToken };
    for await (const event of client.withNamespace(namespace).watch(query, { signal: over.signal, onBroken })) {
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

function work(): void {
  const working = namespaces.flatMap((namespace) => [write(namespace), recall(namespace)]);
  void Promise.all(working).then(() => tell({ rested: true }));
}

const watching = Promise.all(namespaces.map(watch)).catch((error: unknown) => {
  if (!over.signal.aborted) throw error;
});
for await (const command of createInterface(process.stdin)) {
  if (command === 'begin') work();
  if (command === 'renew') mneme = open();
  if (command === 'rest') isResting = true;
}
over.abort();
await watching;
await Promise.all(opened.map((client) => client.close()));

import type { Mneme } from '../../../clients/typescript/src/index.ts';
import { seededRandom } from '../../support/random.ts';
import { Account } from './account.ts';
import { CALLER_NAMES, Callers } from './callers.ts';
import { breakAndHeal, FAULTS, type FaultName } from './faults.ts';
import { Mesh } from './mesh.ts';
import { type FoundAtServer, undelivered } from './promises.ts';
import { SIGNALS } from './signals.ts';

export interface Plan {
  readonly seed: string;
  /** It ends when this time has passed and each fault has occurred, or after `faultCount` faults where that is set. */
  readonly minutes: number;
  readonly faultCount?: number;
  readonly only?: FaultName;
  readonly withRedis: boolean;
  /** Between the calls of a writer or recaller. */
  readonly pauseMs: number;
  /** Calls of each program between two faults. */
  readonly calls: number;
  /** No other fault follows. */
  readonly signal?: AbortSignal;
}

export interface Played {
  readonly account: Account;
  readonly found: readonly FoundAtServer[];
  readonly seconds: number;
}

const NAMESPACES = ['harbour', 'quay', 'pier'];
/** Of the last signal in each namespace. */
const END = 'end';
/** Wait for the last changes of a work queue: longer than the 30 s of `ack_deadline`. */
const EMPTYING_MS = 60_000;

/** Callers in three languages work while one thing after another is broken. */
export async function play(plan: Plan): Promise<Played> {
  const random = seededRandom('demo-mesh', plan.seed);
  const account = new Account();
  const mesh = await Mesh.started(plan);
  const { pauseMs, calls } = plan;
  let callers: Callers | undefined;
  try {
    const mneme = mesh.client();
    for (const namespace of NAMESPACES) {
      await mneme.namespaces.create(namespace);
      const { subscriptions } = mneme.withNamespace(namespace);
      await subscriptions.create(SIGNALS.subscription, { filter: SIGNALS.filter });
      await subscriptions.create(SIGNALS.workQueue, { filter: SIGNALS.filter, mode: 'work_queue' });
    }
    await mneme.close();
    callers = new Callers(account, {
      address: mesh.address,
      folder: mesh.certificates.folder,
      pauseMs,
      namespaces: NAMESPACES,
    });
    await callers.begin();
    const beganMs = performance.now();
    await callers.succeed(calls);
    for (const fault of schedule(
      plan,
      () => random.next(),
      () => performance.now() - beganMs,
    )) {
      await breakAndHeal(fault, { mesh, callers, account, random, calls });
    }
    const seconds = (performance.now() - beganMs) / 1000;
    await callers.rest();
    await endWork(mesh, callers, account);
    await markTheEnd(mesh, callers, account);
    await emptyQueues(mesh, account);
    const found: FoundAtServer[] = [];
    for (const [at, address] of mesh.addresses.entries()) found.push(await foundAt(mesh, address, `server ${at + 1}`));
    await callers.end();
    return { account, found, seconds };
  } finally {
    callers?.kill();
    await mesh.stop();
  }
}

/** Each fault once in each round, in random order. */
function* schedule(plan: Plan, next: () => number, passedMs: () => number): Generator<FaultName> {
  const kinds: FaultName[] = plan.only ? [plan.only] : [...FAULTS, ...(plan.withRedis ? (['redis'] as const) : [])];
  for (let count = 0; ; ) {
    const round = kinds.map((kind) => ({ kind, place: next() })).sort((a, b) => a.place - b.place);
    for (const { kind } of round) {
      const isDone =
        plan.faultCount === undefined
          ? count >= kinds.length && passedMs() >= plan.minutes * 60_000
          : count >= plan.faultCount;
      if (isDone || plan.signal?.aborted) return;
      count += 1;
      yield kind;
    }
  }
}

async function storeSignal(mneme: Mneme, account: Account, namespace: string, id: string, text: string): Promise<void> {
  const tags = [SIGNALS.tag];
  await mneme.withNamespace(namespace).store({ id, text, tags });
  account.hear('', { wrote: 'stored', namespace, id, text, tags });
}

async function endWork(mesh: Mesh, callers: Callers, account: Account): Promise<void> {
  const mneme = mesh.client();
  await callers.leaveWork(NAMESPACES, (namespace, nth) =>
    storeSignal(mneme, account, namespace, `leave-${nth}`, `Work is over for worker ${nth}.`),
  );
  await mneme.close();
}

/**
 * Takes from each work queue what is still in it: the last signal of the namespace, and changes that a worker had not
 * acknowledged when its stream ended, which come after `ack_deadline` at the latest.
 */
async function emptyQueues(mesh: Mesh, account: Account): Promise<void> {
  const mneme = mesh.client();
  for (const namespace of NAMESPACES) {
    const isLeft = () => undelivered(account).some((change) => change.includes(` ${namespace}/`));
    const { subscriptions } = mneme.withNamespace(namespace);
    const signal = AbortSignal.timeout(EMPTYING_MS);
    try {
      for await (const { kind, id, acknowledge } of subscriptions.consume(SIGNALS.workQueue, 'last', {}, { signal })) {
        account.work.afterwards.push(`${kind} ${namespace}/${id}`);
        acknowledge();
        if (!isLeft()) break;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  await mneme.close();
}

/** The changes of a namespace have one order: no other one follows the last one. */
async function markTheEnd(mesh: Mesh, callers: Callers, account: Account): Promise<void> {
  const mneme = mesh.client();
  for (const namespace of NAMESPACES) {
    await storeSignal(mneme, account, namespace, END, 'The day is over.');
    await callers.haveSeen(namespace, END);
  }
  await mneme.close();
}

async function foundAt(mesh: Mesh, address: string, server: string): Promise<FoundAtServer> {
  const mneme = mesh.client(address);
  const [texts, values, signals] = [new Map<string, string>(), new Map<string, string>(), new Map<string, string>()];
  for (const namespace of NAMESPACES) {
    const calls = mneme.withNamespace(namespace);
    for await (const { id, text } of calls.exportMemories()) texts.set(`${namespace}/${id}`, text);
    const { hits } = await calls.recall(SIGNALS.query);
    for (const { memory } of hits) signals.set(`${namespace}/${memory.id}`, memory.text);
    for (const name of CALLER_NAMES) {
      const entry = await calls.session(name).get('last');
      if (entry) values.set(`${namespace}/${name}`, JSON.stringify(entry.value.json()));
    }
  }
  await mneme.close();
  return { server, texts, values, signals };
}

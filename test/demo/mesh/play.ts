import { seededRandom } from '../../support/random.ts';
import { Account } from './account.ts';
import { CALLER_NAMES, Callers } from './callers.ts';
import { breakAndHeal, FAULTS, type FaultName } from './faults.ts';
import { Mesh } from './mesh.ts';
import type { FoundAtServer } from './promises.ts';
import { SIGNALS } from './signals.ts';

export interface Plan {
  readonly seed: string;
  /** It ends when this time has passed and each fault has occurred, or after `faultCount` faults where that is set. */
  readonly minutes: number;
  readonly faultCount?: number | undefined;
  readonly only?: FaultName | undefined;
  readonly withRedis: boolean;
  /** Servers are of this commit first, and are then replaced one by one. */
  readonly formerCommit?: string | undefined;
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
    await markTheEnd(mesh, callers, account);
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

/** The changes of a namespace have one order: no other one follows the last one. */
async function markTheEnd(mesh: Mesh, callers: Callers, account: Account): Promise<void> {
  const mneme = mesh.client();
  for (const namespace of NAMESPACES) {
    const [id, text] = ['end', 'The day is over.'];
    await mneme.withNamespace(namespace).store({ id, text, tags: [SIGNALS.tag] });
    account.hear('', { wrote: 'stored', namespace, id, text, tags: [SIGNALS.tag] });
    await callers.haveSeen(namespace, id);
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

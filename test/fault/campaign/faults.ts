import { setTimeout as delay } from 'node:timers/promises';
import { anyOf, type Mneme, where } from '../../../clients/typescript/src/index.ts';
import type { Rig } from './rig.ts';
import type { Fault, Round } from './schedule.ts';

/** Brings a fault about, and ends it when the returned function is called. */
type Begin = (rig: Rig, round: Round) => Promise<() => Promise<void>>;

const nothing = async () => {};
const DELAYS_MS = [2, 5, 20, 50, 120];

/** Server and backend are killed by the runner where the round ends so. */
const BEGIN: Readonly<Record<Fault, Begin>> = {
  kill: async () => nothing,
  kill_starting: async () => nothing,
  damaged_page: async () => nothing,
  async kill_backend({ backend }) {
    await backend?.kill();
    return async () => backend?.start();
  },
  async freeze(rig) {
    rig.freeze();
    return async () => rig.thaw();
  },
  async freeze_backend({ backend }) {
    backend?.freeze();
    return async () => backend?.thaw();
  },
  async full_disk({ disk }) {
    disk?.fill();
    return async () => disk?.free();
  },
  async slow_disk({ slowDisk }, { variant }) {
    slowDisk?.set(DELAYS_MS[variant % DELAYS_MS.length] ?? 0);
    return async () => slowDisk?.set(0);
  },
  async clock(rig, { clockOffsetMs }) {
    rig.setClock(clockOffsetMs);
    return nothing;
  },
  async cut({ link }, { variant }) {
    if (variant % 3 === 0) link.reset();
    else if (variant % 3 === 1) link.loseAnswers();
    else link.cutAfter(variant * 20);
    return async () => link.cut();
  },
  async cut_backend({ backend }, { variant }) {
    const link = backend?.link;
    if (variant % 3 === 0) link?.reset();
    else if (variant % 3 === 1) link?.loseAnswers();
    else link?.cutAfter(variant * 20);
    return async () => link?.cut();
  },
  async hostile(rig) {
    const client = rig.client(true);
    const stopping = new AbortController();
    const callers = Array.from({ length: HOSTILE_CALLERS }, () => attack(client, stopping.signal));
    return async () => {
      stopping.abort();
      await Promise.all(callers);
      await client.close();
    };
  },
};

/** The fault lasts as long as the round says; the returned promise resolves when it is over. */
export async function pass(rig: Rig, round: Round): Promise<void> {
  const end = await BEGIN[round.fault](rig, round);
  await delay(round.lastsMs);
  await end();
}

const HOSTILE_CALLERS = 16;
const HOSTILE_MEMORIES = 300;
const HOSTILE_NAMESPACE = 'hostile';
const DEADLINE_MS = 500;

/** Memories that take long to search. */
export async function prepareHostile(client: Mneme): Promise<void> {
  const memories = Array.from({ length: HOSTILE_MEMORIES }, (_, at) => ({ text: `${'x'.repeat(200)} ${at}` }));
  await client.withNamespace(HOSTILE_NAMESPACE).batchStore(memories);
}

/** Lists with slow filters, each abandoned after half a second. */
async function attack(client: Mneme, signal: AbortSignal): Promise<void> {
  const filter = anyOf(...Array.from({ length: 20 }, (_, at) => where.text.matches(`(x+x+)+y${at}`)));
  while (!signal.aborted) {
    const listed = client.withNamespace(HOSTILE_NAMESPACE).listPage({ filter }, { timeoutMs: DEADLINE_MS, signal });
    await listed.catch(() => delay(1));
  }
}

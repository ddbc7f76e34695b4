import { setTimeout as delay } from 'node:timers/promises';
import { type Mneme, MnemeError } from '../../../clients/typescript/src/index.ts';
import { findingsOfDamage } from './damaged-copy.ts';
import { pass } from './faults.ts';
import { type Planned, textOf } from './lane.ts';
import type { Decided, Finding, Model } from './model.ts';
import { observe, otherReads } from './observe.ts';
import { patiently } from './patiently.ts';
import type { Rig } from './rig.ts';
import type { Round } from './schedule.ts';
import type { Watcher } from './watcher.ts';
import { Workload } from './workload.ts';

export interface RoundResult {
  readonly findings: Finding[];
  readonly acknowledged: number;
  readonly unknown: number;
  readonly refused: number;
}

export interface Subjects {
  readonly rig: Rig;
  readonly model: Model;
  readonly watcher: Watcher;
  readonly seed: string;
}

/** Time in which a write that has no answer ends in a server that goes on. */
const IN_FLIGHT_MS = 300;
const HEALTHY_WITHIN_MS = 60_000;
const POLL_MS = 25;
/** Acknowledged writes of a round that are sent again with their request ids. */
const REPEATED_MAX = 6;

/** One round: writes, the fault, the end of the server, its start, and the comparison. */
export async function runRound(subjects: Subjects, round: Round): Promise<RoundResult> {
  const { rig, model, watcher, seed } = subjects;
  const client = rig.client();
  const watching = rig.client(true);
  watcher.follow(watching);
  const workload = new Workload({ mneme: client, model, seed, round: round.number });
  await workload.reached(round.afterWrites);
  await delay(round.delayMs);
  await pass(rig, round);
  if (round.endsWithKill) await rig.kill();
  workload.stop();
  await workload.ended();
  await watcher.stop();
  await Promise.all([client.close(), watching.close()]);
  const findings = [...workload.findings];
  if (round.fault === 'damaged_page') findings.push(...(await findingsOfDamage(rig, model, `${seed}-${round.number}`)));
  if (round.endsWithKill) await rig.start(round);
  else if (model.openCount > 0) await delay(IN_FLIGHT_MS);
  findings.push(...(await compare(subjects, workload)));
  const { acknowledged, unknown, refused } = workload;
  return { findings, acknowledged, unknown, refused };
}

async function compare({ rig, model, watcher }: Subjects, workload: Workload): Promise<Finding[]> {
  const mneme = rig.client(true);
  try {
    await healthy(mneme);
    const first = await patiently(() => observe(mneme));
    const { findings, decided } = model.judge(first.marks);
    findings.push(...first.findings);
    findings.push(...(await sendAgain(mneme, model, decided, workload.planned)));
    const journal = model.takeJournal();
    const second = await patiently(() => observe(mneme));
    findings.push(...model.judge(second.marks).findings, ...second.findings);
    const changed = [...new Set(journal.map(({ id }) => id))];
    const erased = journal.flatMap(({ id, mark, former }) =>
      mark === null && former !== undefined && model.isErased(id) ? [[id, former] as const] : [],
    );
    const stored = changed.filter((id) => model.markOf(id) !== undefined);
    const changes = { stored, erased: new Map(erased) };
    findings.push(...(await patiently(() => otherReads(mneme, second.marks, changes))));
    const { revision } = await patiently(() => mneme.listPage({ pageSize: 1 }));
    await watcher.catchUp(mneme, revision);
    findings.push(...watcher.verify(journal, (id) => model.markOf(id)));
    return findings;
  } finally {
    await mneme.close();
  }
}

/** Waits until every part of the server works again. */
async function healthy(mneme: Mneme): Promise<void> {
  const endsAtMs = performance.now() + HEALTHY_WITHIN_MS;
  let problem = '';
  while (performance.now() < endsAtMs) {
    try {
      const { degraded } = await mneme.admin.getServerInfo();
      if (degraded.length === 0) {
        await mneme.session('lane0').has('key0');
        return;
      }
      problem = degraded.join('; ');
    } catch (error) {
      if (!(error instanceof MnemeError)) throw error;
      // The session is not there yet.
      if (error.code === 'NOT_FOUND') return;
      problem = textOf(error);
    }
    await delay(POLL_MS);
  }
  throw new Error(`the server is not whole ${HEALTHY_WITHIN_MS} ms after its start: ${problem}`);
}

/**
 * Sends writes again with the same request ids: those without an answer, which then have taken effect once, and some with one,
 * which change nothing.
 */
async function sendAgain(
  mneme: Mneme,
  model: Model,
  decided: readonly Decided[],
  planned: ReadonlyMap<string, Planned>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { write, isDone } of decided) {
    const ids = await sent(mneme, planned.get(write.requestId), findings);
    if (!ids || isDone) continue;
    model.begin(write);
    model.acknowledge(write, ids);
  }
  const open = new Set(decided.map(({ write }) => write.requestId));
  const answered = [...planned.values()].filter(({ write }) => !open.has(write.requestId) && isSettled(model, write));
  for (const again of answered.slice(-REPEATED_MAX)) await sent(mneme, again, findings);
  return findings;
}

/** Whether the write has been acknowledged, and not refused. */
function isSettled(model: Model, { after }: Planned['write']): boolean {
  return after.every(({ id, mark }) => id !== '' && (mark === null ? model.isErased(id) : model.markOf(id) === mark));
}

async function sent(
  mneme: Mneme,
  planned: Planned | undefined,
  findings: Finding[],
): Promise<readonly string[] | undefined> {
  if (!planned) return undefined;
  const { write, send } = planned;
  try {
    return await patiently(() => send(mneme, write.requestId));
  } catch (error) {
    if (!(error instanceof MnemeError)) throw error;
    const ids = write.after.map(({ id, mark }) => `${id} ${mark ?? 'erased'}`).join(', ');
    findings.push({ kind: 'wrong', text: `${write.requestId} (${ids}) sent again: ${textOf(error)}` });
    return undefined;
  }
}

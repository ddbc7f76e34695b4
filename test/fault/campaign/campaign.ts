import { prepareHostile } from './faults.ts';
import { type Finding, Model } from './model.ts';
import { Tally } from './report.ts';
import { Rig } from './rig.ts';
import { runRound } from './rounds.ts';
import { type Fault, type Mode, type Round, roundOf } from './schedule.ts';
import { Watcher } from './watcher.ts';

export interface CampaignOptions {
  readonly mode: Mode;
  readonly seed: string;
  /** Time after which no round begins. */
  readonly minutes: number;
  /** Rounds after which it ends before that time. */
  readonly rounds: number;
  /** Ends it at once, in the middle of a round. */
  readonly signal?: AbortSignal;
  readonly onRound?: (round: Round, tallies: ReadonlyMap<Fault | 'all', Tally>) => void;
}

export interface CampaignResult {
  readonly tallies: ReadonlyMap<Fault | 'all', Tally>;
  /** Of the first round that has any, with which the campaign ends. */
  readonly findings: readonly Finding[];
  readonly failed: Round | undefined;
  /** Copy of all files at that moment; empty where nothing was found. */
  readonly kept: string;
  /** Faults that the machine does not offer. */
  readonly without: readonly Fault[];
}

/** Runs the rounds of a seed until one of them has a finding, or the time is over. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { mode, seed } = options;
  const rig = await Rig.open(mode);
  const tallies = new Map<Fault | 'all', Tally>([['all', new Tally()]]);
  const endsAtMs = performance.now() + options.minutes * 60_000;
  const subjects = { rig, seed, model: new Model(), watcher: new Watcher() };
  const end = (failed?: Round, findings: readonly Finding[] = []): CampaignResult => {
    return { tallies, findings, failed, kept: failed ? rig.keep() : '', without: rig.without };
  };
  const aborted = new Promise<CampaignResult>((resolve) => {
    options.signal?.addEventListener('abort', () => resolve(end()), { once: true });
  });
  const run = async (): Promise<CampaignResult> => {
    await prepare(rig);
    for (let number = 0; number < options.rounds && performance.now() < endsAtMs; number++) {
      const round = roundOf(seed, mode, number, rig.without);
      const killsBefore = rig.kills;
      rig.worstRestartMs = 0;
      const result = await runRound(subjects, round).catch((error: Error) => ({
        findings: [{ kind: 'wrong' as const, text: error.stack ?? String(error) }],
        acknowledged: 0,
        unknown: 0,
        refused: 0,
      }));
      // The round was cut short.
      if (options.signal?.aborted) return end();
      const { worstRestartMs } = rig;
      const of = tallies.get(round.fault) ?? new Tally();
      tallies.set(round.fault, of);
      for (const tally of [of, tallies.get('all')]) {
        tally?.add({ ...result, rounds: 1, kills: rig.kills - killsBefore, worstRestartMs });
      }
      options.onRound?.(round, tallies);
      if (result.findings.length > 0) return end(round, result.findings);
    }
    return end();
  };
  try {
    return await Promise.race([run(), aborted]);
  } finally {
    await rig.remove();
  }
}

async function prepare(rig: Rig): Promise<void> {
  await rig.start({ startKillsMs: [], ranker: 'fusion' });
  const client = rig.client(true);
  await client.namespaces.create(client.namespace);
  await prepareHostile(client);
  await client.close();
}

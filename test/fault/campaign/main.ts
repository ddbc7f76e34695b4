/**
 * `make campaign`: a server is killed, frozen, starved and cut off while clients write, and after each round its state is compared
 * with all that it has acknowledged. Exits with 1 on any difference, and says how to replay it.
 */
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { runTrials, summaryOf } from './damage-trials.ts';
import { runWithOwnMounts } from './own-mounts.ts';
import { tableOf } from './report.ts';
import { MODES, type Mode, type Round } from './schedule.ts';

const USAGE = `usage: make campaign ARGS='--mode ${MODES.join('|')} --minutes 10 --rounds 1000 --seed 1'
       make campaign ARGS='--damage 500 --seed 1'`;
const PROGRESS_EVERY = 25;

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'embedded' },
    minutes: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '1000000' },
    damage: { type: 'string' },
    seed: { type: 'string', default: String(Date.now()) },
  },
});
const mode = MODES.find((one) => one === values.mode);
const [minutes, rounds] = [Number(values.minutes), Number(values.rounds)];
if (mode === undefined || !(minutes > 0) || !(rounds > 0) || !(Number(values.damage ?? 1) > 0)) {
  console.error(USAGE);
  process.exit(2);
}
if (values.damage !== undefined) process.exit(await damage(Number(values.damage)));
// PostgreSQL does not run as root, and uses no data folder that could be full.
process.exit((mode.startsWith('postgres') ? undefined : runWithOwnMounts()) ?? (await run(mode)));

async function run(chosen: Mode): Promise<number> {
  const { seed } = values;
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  console.log(`campaign: mode ${chosen}, seed ${seed}, at most ${minutes} minutes and ${rounds} rounds`);
  const result = await runCampaign({
    mode: chosen,
    seed,
    minutes,
    rounds,
    signal: stopping.signal,
    onRound(round, tallies) {
      if ((round.number + 1) % PROGRESS_EVERY !== 0) return;
      const { kills, acknowledged } = tallies.get('all') ?? {};
      console.log(`round ${round.number + 1}: ${kills} kills, ${acknowledged} writes acknowledged`);
    },
  });
  console.log(`\n${tableOf(result.tallies)}`);
  if (result.without.length > 0) console.log(`\nnot offered by this machine: ${result.without.join(', ')}`);
  const { failed } = result;
  if (!failed) return stopping.signal.aborted ? 130 : 0;
  console.log(`\nround ${failed.number} (${describe(failed)}):`);
  for (const { kind, text } of result.findings) console.log(`  ${kind}: ${text}`);
  console.log(`\nfiles: ${result.kept}`);
  console.log(
    `again: make campaign ARGS='--mode ${chosen} --seed ${seed} --rounds ${failed.number + 1} --minutes ${2 * minutes}'`,
  );
  return 1;
}

/** Damages a page in each of so many copies of a data folder. */
async function damage(count: number): Promise<number> {
  const { seed } = values;
  console.log(`${count} damaged data folders, seed ${seed}`);
  const trials = await runTrials({
    count,
    seed,
    onTrial: (_, done) => done % PROGRESS_EVERY === 0 && console.log(`${done} trials`),
  });
  console.log(`\n${summaryOf(trials)}`);
  for (const finding of trials.findings) console.log(`  ${finding}`);
  if (trials.findings.length === 0) return 0;
  console.log(`again: make campaign ARGS='--damage ${count} --seed ${seed}'`);
  return 1;
}

function describe({ fault, endsWithKill, startKillsMs }: Round): string {
  const starts = startKillsMs.length === 0 ? '' : `, killed ${startKillsMs.length} times while it started`;
  return `${fault}${endsWithKill ? ', kill -9' : ''}${starts}`;
}

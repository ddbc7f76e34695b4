/**
 * `make demo-streams`: conversations are streamed turn by turn while standing queries are open, plainly, with the
 * server killed in the middle, and through proxies. Exits with 1 on any violation.
 */
import { parseArgs } from 'node:util';
import { quantile } from '../bench/quantile.ts';
import { PROXIES } from '../support/proxies.ts';
import { readTalk } from './conversation.ts';
import { type Outcome, play, type Scenario } from './scenario.ts';

const SCENARIOS: readonly Scenario[] = [
  { name: 'directly' },
  { name: 'server killed (-9) and restarted', restart: 'server' },
  ...PROXIES.map((proxy): Scenario => ({ name: `through ${proxy}`, proxy })),
  ...PROXIES.map((proxy): Scenario => ({ name: `through ${proxy}, restarted`, proxy, restart: 'proxy' })),
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    conversations: { type: 'string', default: '1' },
    queries: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
  },
});
const [file] = positionals;
if (file === undefined) {
  console.error('usage: make demo-streams SET=path/to/set.json [ARGS="--conversations 1 --queries 20 --only envoy"]');
  process.exit(2);
}

const talk = await readTalk(file, Number(values.conversations), Number(values.queries));
console.log(`${talk.turns.length} turns, one by one, while ${talk.queries.length} standing queries are open\n`);
console.log(`${'how'.padEnd(36)}  turns/s  seen after p50 / p99   changes sent  resumed  equal to Recall`);
let failed = 0;
for (const scenario of SCENARIOS.filter(({ name }) => name.includes(values.only))) {
  try {
    const outcome = await play(scenario, talk);
    console.log(row(scenario, outcome));
    for (const fault of outcome.faults) console.log(`    FAULT: ${fault}`);
    if (outcome.faults.length > 0) failed += 1;
  } catch (error) {
    failed += 1;
    console.log(`${scenario.name.padEnd(36)}  FAULT: ${error instanceof Error ? error.message : String(error)}`);
  }
}
console.log(failed === 0 ? '\nall as it must be' : `\n${failed} not as they must be`);
process.exit(failed === 0 ? 0 : 1);

function row({ name }: Scenario, outcome: Outcome): string {
  const { turnCount, seconds, lagsMs, changeCount, brokenCount, equalCount, subscriberCount } = outcome;
  const lag = (share: number) =>
    `${quantile(
      [...lagsMs].sort((a, b) => a - b),
      share,
    ).toFixed(1)} ms`;
  return [
    name.padEnd(36),
    (turnCount / seconds).toFixed(0).padStart(7),
    `${lag(0.5).padStart(10)} / ${lag(0.99).padEnd(9)}`,
    String(changeCount).padStart(13),
    String(brokenCount).padStart(7),
    `${equalCount} of ${subscriberCount}`.padStart(15),
  ].join('  ');
}

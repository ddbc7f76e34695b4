/**
 * `make test-polyglot`: programs in four languages work on one server that is killed in the meantime, and histories of calls
 * through several servers are linearizable; every night also, an evaluation in two languages gives the same rankings. See
 * README.md.
 */
import { testChecker } from '../fault/linearizability/check.ts';
import { historiesOf } from '../fault/linearizability/report.ts';
import { ALL_TESTS } from '../support/all-tests.ts';
import { Outcomes } from '../support/outcomes.ts';
import type { Account } from './account.ts';
import { promisesOf } from './promises.ts';
import { compareRankings } from './ranking.ts';
import { playTogether } from './together.ts';

/** Questions of each conversation: enough for a result, within half a minute. */
const QUESTIONS_MAX = 25;
const FAULTS_TOLD = 3;
const HISTORIES = 25;
const SEED = process.env['MNEME_TEST_SEED'] ?? String(Date.now());

const outcomes = new Outcomes('test/polyglot');

function note(what: string, faults: readonly string[]): void {
  outcomes.note(what, faults.length === 0);
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'}  ${what}`);
  for (const fault of faults.slice(0, FAULTS_TOLD)) console.log(`      ${fault}`);
  if (faults.length > FAULTS_TOLD) console.log(`      and ${faults.length - FAULTS_TOLD} more`);
}

async function attempt(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    note(what, [error instanceof Error ? error.message : String(error)]);
  }
}

function tell({ ingester, agent, subscriber, recaller, kills }: Account): void {
  const { acknowledged, existing } = ingester;
  const lives = recaller.rightCounts.join(' + ');
  const rows: (readonly [string, string, string, number])[] = [
    ['Rust', `ingested ${acknowledged} (${existing} again)`, `${ingester.brokenCount} resumed`, ingester.seconds],
    ['Python', `stored ${agent.ids.length}`, `${agent.failedCount} calls repeated`, agent.seconds],
    ['Go', `was notified of ${subscriber.seen.length}`, `${subscriber.brokenCount} resumed`, subscriber.seconds],
    ['Java', `recalled ${lives} rightly`, `${recaller.failedCount} calls failed`, recaller.seconds],
  ];
  for (const [language, did, broke, seconds] of rows) {
    console.log(`${language.padEnd(8)}${did.padEnd(44)}${broke.padEnd(20)}${seconds.toFixed(1).padStart(6)} s`);
  }
  for (const { acknowledged: count, downMs } of kills) {
    console.log(`server  killed after ${count} readings, back after ${(downMs / 1000).toFixed(1)} s`);
  }
}

await attempt('four languages on one server', async () => {
  const account = await playTogether();
  tell(account);
  for (const { what, faults } of promisesOf(account)) note(what, faults);
});
await attempt('linearizability', async () => {
  note('the checker of histories finds stale reads, lost and repeated writes', await testChecker());
  const { what, faults } = await historiesOf(HISTORIES, SEED);
  note(what, faults);
});
if (ALL_TESTS) {
  await attempt('the evaluation in two languages', async () => {
    const { questionCount, differing, seconds } = await compareRankings(process.argv[2], QUESTIONS_MAX);
    const took = `TypeScript ${seconds.typescript.toFixed(1)} s, Python ${seconds.python.toFixed(1)} s`;
    note(
      `${questionCount} questions have the same hits in the same order (${took})`,
      questionCount > 0 ? differing : ['none'],
    );
  });
}
outcomes.finish();

import { quantile } from '../../bench/quantile.ts';
import type { Outcomes } from '../../support/outcomes.ts';
import type { Account, Failure } from './account.ts';
import type { Played } from './play.ts';
import { meets, promisesOf } from './promises.ts';

const FAULTS_SHOWN = 10;

/** Prints what happened and whether each guarantee was kept. */
export function report({ account, found, seconds }: Played, outcomes: Outcomes): void {
  const callCount = [...account.latenciesMs.values()].reduce((sum, { length }) => sum + length, 0);
  console.log(`${callCount} calls in ${seconds.toFixed(0)} s (${(callCount / seconds).toFixed(0)} a second)\n`);
  for (const line of [...faultLines(account), '', ...failureLines(account), '', ...latencyLines(account)])
    console.log(line);
  console.log(`\nstreams broken and resumed: ${tally(account.broken)}`);
  const { deliveryCount, delivered } = account.signals;
  const repeatedCount = deliveryCount - [...delivered.values()].reduce((sum, { size }) => sum + size, 0);
  console.log(`durable subscriptions: ${deliveryCount} deliveries, ${repeatedCount} of them repeated`);
  const { work } = account;
  console.log(
    `work queues: ${work.deliveryCount} deliveries, ${work.deliveryCount - work.worked.size} of them repeated\n`,
  );
  for (const { what, faults } of promisesOf(account, found)) {
    outcomes.note(what, faults.length === 0);
    console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'}  ${what}`);
    for (const fault of faults.slice(0, FAULTS_SHOWN)) console.log(`      ${fault}`);
    if (faults.length > FAULTS_SHOWN) console.log(`      and ${faults.length - FAULTS_SHOWN} more`);
  }
}

function faultLines({ windows, failures }: Account): string[] {
  const names = [...new Set(windows.map(({ name }) => name))];
  const rows = names.map((name) => {
    const those = windows.filter((window) => window.name === name);
    const failedCount = failures.filter((failure) => those.some((window) => meets(window, failure))).length;
    return `${name.padEnd(28)}${String(those.length).padStart(6)}${String(failedCount).padStart(14)}`;
  });
  return [`${'fault'.padEnd(28)}${'times'.padStart(6)}${'calls failed'.padStart(14)}`, ...rows];
}

function failureLines({ failures }: Account): string[] {
  const counts = new Map<string, number>();
  const nameOf = ({ call, status, isRetryable }: Failure) =>
    `${status} (${call}, ${isRetryable ? 'retryable' : 'NOT RETRYABLE'})`;
  for (const failure of failures) counts.set(nameOf(failure), (counts.get(nameOf(failure)) ?? 0) + 1);
  return [`calls failed after the client's own attempts: ${tally(counts)}`];
}

function latencyLines({ latenciesMs }: Account): string[] {
  const rows = [...latenciesMs].map(([call, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    const columns = [quantile(sorted, 0.5), quantile(sorted, 0.99), sorted.at(-1) ?? Number.NaN];
    return `${call.padEnd(12)}${String(all.length).padStart(8)}${columns.map((ms) => `${ms.toFixed(0)} ms`.padStart(12)).join('')}`;
  });
  const head = `${'calls'.padEnd(12)}${'count'.padStart(8)}${['p50', 'p99', 'longest'].map((each) => each.padStart(12)).join('')}`;
  return [head, ...rows];
}

function tally(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${count} × ${name.trim()}`).join(', ') || 'none';
}

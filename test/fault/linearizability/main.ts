/**
 * `make test-linearizability`: histories of calls about one memory over three servers that are killed and frozen, checked
 * by Porcupine; see README.md.
 */
import { parseArgs } from 'node:util';
import { Outcomes } from '../../support/outcomes.ts';
import { testChecker } from './check.ts';
import { historiesOf, type Reported } from './report.ts';

const { values } = parseArgs({
  options: { histories: { type: 'string', default: '1000' }, seed: { type: 'string', default: String(Date.now()) } },
});
const reports: Reported[] = [
  { what: 'the checker finds stale reads, lost and repeated writes', faults: await testChecker() },
  await historiesOf(Number(values.histories), values.seed),
];
const outcomes = new Outcomes('test/fault/linearizability');
for (const { what, faults } of reports) {
  outcomes.note(what, faults.length === 0);
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'}  ${what}`);
  for (const fault of faults) console.log(`      ${fault}`);
}
outcomes.finish();

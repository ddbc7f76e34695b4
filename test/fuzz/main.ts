/**
 * `make fuzz`: sends messages that are generated from the descriptors to every method of a server. Exits with 1 where one is answered
 * with INTERNAL, UNKNOWN or DATA_LOSS, the server ends, does not answer or works on a call after its caller has gone, memory grows, or a
 * memory that no message reaches has changed.
 */
import { parseArgs } from 'node:util';
import { growthIn } from './memory-growth.ts';
import { type Finding, runFuzz } from './run-fuzz.ts';

const USAGE = "usage: make fuzz ARGS='--messages 1000000 --seed 1 [--round 7]'";
const MIB = 1_048_576;

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now()) },
    round: { type: 'string' },
  },
});
const messages = Number(values.messages);
const round = values.round === undefined ? undefined : Number(values.round);
if (!(messages > 0) || Number.isNaN(round)) {
  console.error(USAGE);
  process.exit(2);
}
process.exit(await run());

async function run(): Promise<number> {
  const { seed } = values;
  console.log(`fuzz: ${messages} messages, seed ${seed}`);
  const result = await runFuzz({
    messages,
    seed,
    round,
    onRound: ({ number, messages: sent, bytes }) =>
      console.log(`round ${number}: ${sent} messages, the server has ${Math.round(bytes / MIB)} MiB`),
  });
  const codes = [...result.codes].sort(([, a], [, b]) => b - a).map(([code, count]) => `${code} ${count}`);
  console.log(`${result.messages} messages in ${result.calls} calls of ${result.methods} methods: ${codes.join(', ')}`);
  if (result.unanswered.length > 0) console.log(`never answered with a message: ${result.unanswered.join(', ')}`);
  const growth = growthIn(result.rounds);
  for (const finding of result.findings) console.log(textOf(finding, seed));
  if (growth !== undefined) console.log(growth);
  const isFound = result.findings.length > 0 || growth !== undefined;
  console.log(isFound ? `again: make fuzz ARGS='--seed ${seed} --messages ${messages}'` : 'no finding');
  return isFound ? 1 : 0;
}

function textOf({ round: number, text, call }: Finding, seed: string): string {
  const requests = call?.requests.map((bytes) => `  ${Buffer.from(bytes.subarray(0, 3000)).toString('base64')}`) ?? [];
  return [`finding: ${text}`, `  again: --seed ${seed} --round ${number}; messages in base64:`, ...requests].join('\n');
}

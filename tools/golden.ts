/** Runs retrieval cases through the gRPC API: npm run golden -- CASES.json [--memories DIR] [--server ADDRESS]. */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '../clients/typescript/src/index.ts';
import { Outcomes } from '../test/support/outcomes.ts';
import { startOwnServer } from './eval/own-server.ts';
import { casesIn } from './golden/cases.ts';
import { runCases } from './golden/run-cases.ts';

const USAGE = 'usage: npm run golden -- CASES.json [--memories DIR] [--server ADDRESS]';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { memories: { type: 'string' }, server: { type: 'string' } },
    allowPositionals: true,
  });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) {
    console.error(USAGE);
    process.exitCode = 2;
    return;
  }
  const cases = casesIn(file);
  const own = values.server === undefined ? await startOwnServer() : undefined;
  const mneme = connect(own?.address ?? values.server);
  const outcomes = new Outcomes('golden cases');
  try {
    const prefix = `golden-${randomUUID().slice(0, 8)}`;
    for await (const { id, failure } of runCases(mneme, cases, values.memories ?? dirname(file), prefix)) {
      outcomes.note(id, !failure);
      if (failure) console.log(`FAIL ${id}\n    expected: ${failure.expected}\n    got: ${failure.got}`);
    }
  } finally {
    await mneme.close();
    await own?.stop();
  }
  outcomes.finish();
}

await main();

/**
 * Makes a fixture of `older-postgres.test.ts` with server and client of an older checkout, whose packages are installed:
 * node test/compatibility/make-older-postgres.ts CHECKOUT test/fixtures/older-postgres/schema-NN.sql
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startMneme } from '../cli/support/start-mneme.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { type BasicCalls, storeBasics } from './basic-contents.ts';

const [checkout, to] = process.argv.slice(2);
if (checkout === undefined || to === undefined) throw new Error('which checkout, and which file?');
/** As older clients call it. */
type OlderClient = BasicCalls['messages'] & {
  withNamespace(namespace: string): OlderClient;
  session(id: string): BasicCalls['working'];
  close(): Promise<void> | void;
};
const { connect } = (await import(resolve(checkout, 'clients/typescript/src/index.ts'))) as {
  connect(address: string): OlderClient;
};
const postgres = await PostgresServer.started();
try {
  const program = [process.execPath, '--no-warnings', resolve(checkout, 'src/main.ts')] as const;
  const env = { MNEME_POSTGRES_URL: postgres.url };
  const server = await startMneme({ env, program: [...program], flags: ['--embedder', 'none'] });
  const mneme = connect(server.address);
  try {
    await storeBasics({ messages: mneme, states: mneme.withNamespace('states'), working: mneme.session('work') });
  } finally {
    await mneme.close();
    await server.stop();
  }
  // Statements rather than the format of psql, so that any client restores them.
  const dump = postgres.dump(['--inserts', '--no-owner', '--no-privileges', '--schema=mneme']);
  writeFileSync(to, dump.replace(/^(--.*|\\.*|)\n/gm, ''));
} finally {
  await postgres.stop();
  postgres.remove();
}

/**
 * Makes a fixture of `older-folders.test.ts` with server and client of an older checkout, whose packages are installed:
 * node test/compatibility/make-older-folder.ts CHECKOUT test/fixtures/older-folders/schema-NN.db.gz [--no-sessions]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { emptyLog } from '../../src/storage/sqlite/replace-database.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { type BasicCalls, storeBasics } from './basic-contents.ts';

const [checkout, to, flag] = process.argv.slice(2);
if (checkout === undefined || to === undefined) throw new Error('which checkout, and which file?');
/** As older clients call it; a former name of `withNamespace` is `in`. */
type OlderClient = BasicCalls['messages'] & {
  in(namespace: string): OlderClient;
  session(id: string): BasicCalls['working'];
  close(): Promise<void> | void;
};
const { connect } = (await import(resolve(checkout, 'clients/typescript/src/index.ts'))) as {
  connect(address: string): OlderClient;
};
const data = mkdtempSync(join(tmpdir(), 'mneme-older-'));
const program = [process.execPath, '--no-warnings', join(checkout, 'src/main.ts')] as const;
const server = await startMneme({ data, program: [...program], flags: ['--embedder', 'none'] });
const mneme = connect(server.address);
try {
  const working = flag === '--no-sessions' ? undefined : mneme.session('work');
  await storeBasics({ messages: mneme, states: mneme.in('states'), working });
} finally {
  await mneme.close();
  await server.stop();
}
// The first versions left the write-ahead log when they ended.
emptyLog(join(data, 'mneme.db'));
writeFileSync(to, gzipSync(readFileSync(join(data, 'mneme.db')), { level: 9 }));
rmSync(data, { recursive: true });

/**
 * Loaded into a server by `--import`, in each of its threads: appends a line with the thread's number and the URL to the
 * file of `MNEME_TEST_MODULE_PROBE` for each file that Node loads.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { threadId } from 'node:worker_threads';

const file = process.env['MNEME_TEST_MODULE_PROBE'];
if (file) {
  const out = openSync(file, 'a');
  process.on('exit', () => closeSync(out));
  registerHooks({
    load(url, context, nextLoad) {
      if (url.startsWith('file:')) writeSync(out, `${threadId} ${url}\n`);
      return nextLoad(url, context);
    },
  });
}

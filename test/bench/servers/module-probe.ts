/**
 * Loaded into a server by `--import`, in each of its threads: appends the URL of each loaded file to the file of
 * `MNEME_TEST_MODULE_PROBE`, a line each.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['MNEME_TEST_MODULE_PROBE'];
if (file) {
  const out = openSync(file, 'a');
  process.on('exit', () => closeSync(out));
  registerHooks({
    load(url, context, nextLoad) {
      if (url.startsWith('file:')) writeSync(out, `${url}\n`);
      return nextLoad(url, context);
    },
  });
}

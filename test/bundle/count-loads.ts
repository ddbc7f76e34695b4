/** Preloaded with `--import`: writes a line to the file `LOADED_FILES` for each file that Node loads, in every thread. */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { threadId } from 'node:worker_threads';

const file = process.env['LOADED_FILES'];
registerHooks({
  load(url, context, next) {
    if (file !== undefined && url.startsWith('file:')) appendFileSync(file, `${threadId} ${url}\n`);
    return next(url, context);
  },
});

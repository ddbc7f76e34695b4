/**
 * Loaded into a server by `--import`, in each of its threads: appends a line to the file of `MNEME_TEST_CONNECTION_PROBE` for
 * each socket that connects to another program, or that sends datagrams.
 */
import { subscribe } from 'node:diagnostics_channel';
import { closeSync, openSync, writeSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

const file = process.env['MNEME_TEST_CONNECTION_PROBE'];
if (file) {
  const out = openSync(file, 'a');
  process.on('exit', () => closeSync(out));
  for (const channel of ['net.client.socket', 'udp.socket', 'undici:request:create', 'http.client.request.start']) {
    subscribe(channel, () => writeSync(out, `${threadId} ${channel}\n`));
  }
}

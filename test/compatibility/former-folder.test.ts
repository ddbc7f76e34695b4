import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { folderContents } from './folder-contents.ts';

/** Data folders that former versions wrote, each with what a client read from it then (`make-folder.ts`). */
const FORMER = ['folder-2026-11'];

/** Lists had records of fact keys then. */
function withoutKeys(_: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.filter((item: { readonly type?: string } | null) => item?.type !== 'fact_key');
}

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-former-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('data folders of former versions', () => {
  it.each(FORMER)('%s › is opened: all memories are there, and recall finds them', async (name) => {
    const fixture = join(import.meta.dirname, '../fixtures', name);
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    cpSync(join(fixture, 'vectors'), join(data, 'vectors'), { recursive: true });
    writeFileSync(join(data, 'mneme.db'), gunzipSync(readFileSync(join(fixture, 'mneme.db.gz'))));
    const expected: unknown = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8'), withoutKeys);
    for (const start of ['first', 'second']) {
      const server = await startMneme({ data, flags: ['--max-exact-vectors', '8'] });
      const mneme = connect(server.address, PATIENT);
      expect({ start, contents: await folderContents(mneme) }).toEqual({ start, contents: expected });
      await mneme.close();
      await server.stop();
    }
  });
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { expectedBasics, MEMORY_COUNT, readBasics } from './basic-contents.ts';

/** Databases that servers of older schemas wrote (`make-older-folder.ts`), named by the schema. */
const FIXTURES = join(import.meta.dirname, '../fixtures/older-folders');
/** From this schema on there is working memory. */
const SCHEMA_OF_SESSIONS = 4;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-older-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('data folders of older schemas', () => {
  it.each(readdirSync(FIXTURES))('%s › is migrated, whole, reads and recalls; so does its backup', async (name) => {
    const data = join(folder, 'data');
    const backups = join(folder, 'backups');
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(join(data, 'mneme.db'), gunzipSync(readFileSync(join(FIXTURES, name))), { mode: 0o600 });
    const schema = Number(/\d+/.exec(name)?.[0]);
    const refused = await runMneme(['backup', backups, '--data', data]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(` has schema ${schema}, this version `),
    ]);

    const hasSessions = schema >= SCHEMA_OF_SESSIONS;
    const contents = async (of: string) => {
      const server = await startMneme({ data: of, flags: ['--embedder', 'none'] });
      const mneme = connect(server.address, PATIENT);
      try {
        return await readBasics(mneme, hasSessions);
      } finally {
        await mneme.close();
        await server.stop();
      }
    };
    expect(await contents(data)).toEqual(expectedBasics(hasSessions));
    const { code, stdout } = await runMneme(['verify', '--data', data]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(` ${MEMORY_COUNT} memories\n`)]);
    // The copy from before the migration stays.
    expect(readdirSync(data)).toContain(`mneme-before-${schema + 1}.db`);

    const restored = join(folder, 'restored');
    expect(await runMneme(['backup', backups, '--data', data])).toMatchObject({ code: 0 });
    expect(await runMneme(['restore', backups, '--data', restored])).toMatchObject({ code: 0 });
    expect(await contents(restored)).toEqual(expectedBasics(hasSessions));
  });
});

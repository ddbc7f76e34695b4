import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme({ flags: ['--embedder', 'none'] });
});
afterAll(() => server.stop());

const run = (args: readonly string[], stdin?: string) =>
  runMneme(args, { env: { MNEME_SERVER: server.address }, stdin });

interface Shown {
  readonly text: string;
  readonly tags: readonly string[];
  readonly source: object;
  readonly place?: object;
  readonly expireTime?: string;
  readonly validUntil?: string;
  readonly importance: number;
  readonly version: number;
}

async function shown(id: string): Promise<Shown> {
  return JSON.parse((await run(['get', id, '--json'])).stdout) as Shown;
}

describe('mneme update', () => {
  it('an empty part of source or place › removes it, and the other parts stay', async () => {
    await run(['store', 'Ada sings.', '--id', 'parts', '--speaker', 'Ada', '--uri', 'chat:2', '--room', 'hall']);

    expect((await run(['update', 'parts', '--speaker', '', '--room', '', '--origin', 'chat'])).code).toBe(0);

    const { source, place } = await shown('parts');
    expect([source, place]).toEqual([{ uri: 'chat:2', origin: 'chat' }, undefined]);
  });

  it('what is given › changes, and the rest stays', async () => {
    await run(['store', 'Ada plays the cello.', '--id', 'm1', '--speaker', 'Ada', '--uri', 'chat:1', '--tag', 'music']);

    const { code, stdout } = await run([
      'update',
      'm1',
      'Ada plays',
      'the viola.',
      '--speaker',
      'Eve',
      '--room',
      'hall',
    ]);

    expect([code, stdout]).toEqual([0, expect.stringMatching(/^updated m1, version \d+\n$/)]);
    expect(await shown('m1')).toMatchObject({
      text: 'Ada plays the viola.',
      tags: ['music'],
      source: { speaker: 'Eve', uri: 'chat:1' },
      place: { room: 'hall' },
    });
    const former = await run(['get', 'm1', '--revisions']);
    expect(former.stdout).toContain('Ada plays the cello.');
  });

  it('--clear › removes, times are words, and "-" reads the text', async () => {
    await run(['store', 'x', '--id', 'm2', '--ttl', '7d', '--tag', 'a']);

    await run(
      ['update', 'm2', '-', '--clear', 'ttl', '--clear', 'tags', '--valid-until', '2026-11-01'],
      'from stdin\n',
    );

    const memory = await shown('m2');
    expect(memory).toMatchObject({ text: 'from stdin', tags: [], validUntil: '2026-11-01T00:00:00.000Z' });
    expect(memory.expireTime).toBeUndefined();
  });

  it('--if-version › changes only the state that it names', async () => {
    await run(['store', 'x', '--id', 'm3']);
    const { version } = await shown('m3');
    expect((await run(['update', 'm3', '--importance', '0.9', '--if-version', String(version)])).code).toBe(0);

    const { code, stderr } = await run(['update', 'm3', '--importance', '0.1', '--if-version', String(version)]);

    expect(code).toBe(6);
    expect(stderr).toMatch(/^mneme: .*version/);
    expect((await shown('m3')).importance).toBeCloseTo(0.9);
  });

  it.each([
    [['m4', 'x'], 3, 'does not exist'],
    [['m4'], 2, 'nothing to change'],
    [['m4', '--clear', 'speaker'], 2, '--clear: expected one of text, content'],
    [['m4', 'x', '--clear', 'text'], 2, '--clear text: it is set to a new value too'],
    [['m4', '--importance', '2'], 2, 'Expected a number from 0 to 1'],
  ])('mneme update %j › exits with %i', async (args, exitCode, message) => {
    const { code, stdout, stderr } = await run(['update', ...args]);

    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toContain(message);
  });
});

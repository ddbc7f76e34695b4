import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

describe('consolidate', () => {
  let server: ServedMneme;
  beforeAll(async () => {
    server = await serveMneme();
  });
  afterAll(() => server.stop());

  const mneme = (...args: readonly string[]) => runMneme(args, { env: { MNEME_SERVER: server.address } });
  async function lines(...args: readonly string[]): Promise<string[]> {
    const { code, stdout, stderr } = await mneme(...args);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${code}: ${stderr}`);
    return stdout.trim().split('\n');
  }

  it('two notes that say the same › shown with --dry-run, made, taken back, not made again', async () => {
    for (const text of ['The user likes green tea.', 'the user likes green tea']) {
      await lines('store', text, '--type', 'note', '--agent', 'ada');
    }
    const merge = /^[0-9a-f]{8} {2}merge {2}The user likes green tea\. {2}of 2 sources, 2 hidden$/;
    expect(await lines('consolidate', '--dry-run')).toEqual([expect.stringMatching(merge), 'would make 1 memory']);
    expect(await lines('consolidate', '--agent', 'bob')).toEqual(['made 0 memories']);
    const [line, made, hint = ''] = await lines('consolidate', '--agent', 'ada', '--idle', '48h', '--max', '10');
    expect(line).toMatch(merge);
    expect(made).toBe('made 1 memory');
    expect(hint).toMatch(/^take it back: mneme consolidate --undo [0-9a-f-]{36}$/);
    const report = hint.slice(-36);
    expect(await lines('consolidate', '--undo', report)).toEqual(['restored 2, deleted 1']);
    expect(await lines('consolidate')).toEqual(['made 0 memories']);
  });

  it('two groups with --max 1 --json › one memory, with its report and that there are more', async () => {
    for (const text of ['The sky is blue today.', 'the sky is blue today', 'Rain is near here.', 'rain is near here']) {
      await lines('store', text, '--type', 'note', '--namespace', 'sky');
    }
    const [line = ''] = await lines('consolidate', '--max', '1', '--json', '--namespace', 'sky');
    const answer = JSON.parse(line) as { readonly reportId: string };
    expect(answer).toMatchObject({ dryRun: false, hasMore: true, skippedCount: 0, memories: [{ kind: 'merge' }] });
    const [undone = ''] = await lines('consolidate', '--undo', answer.reportId, '--json', '--namespace', 'sky');
    expect(JSON.parse(undone)).toMatchObject({ keptIds: [], deletedIds: [expect.any(String)] });
  });

  it('a report that is not there, --undo with --max, --max 0 › refused with the exit code of each', async () => {
    const missing = await mneme('consolidate', '--undo', 'none');
    expect([missing.code, missing.stderr]).toEqual([expect.any(Number), expect.stringContaining('none')]);
    expect(missing.code).not.toBe(0);
    const both = await mneme('consolidate', '--undo', 'none', '--max', '3');
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--undo goes with no other flag')]);
    expect((await mneme('consolidate', '--max', '0')).code).toBe(2);
  });
});

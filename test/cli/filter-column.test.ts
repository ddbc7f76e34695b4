import { describe, expect, it } from '@jest/globals';
import { runMneme } from './support/run-mneme.ts';

describe('errors in the text of a filter', () => {
  it.each([
    ['type = = 3', 'column 8: '],
    ['type = "a") OR (type = "b"', 'column 11: '],
  ])('%s beside other flags › is reported at its column of the typed text', async (filter, column) => {
    const { code, stderr } = await runMneme(['list', '--session', 's', '--filter', filter, '--json']);
    expect(code).toBe(5);
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
    expect([error.code, error.message]).toEqual(['INVALID_ARGUMENT', expect.stringContaining(`--filter: ${column}`)]);
  });
});

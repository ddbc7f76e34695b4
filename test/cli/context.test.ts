import { afterEach, describe, expect, it } from '@jest/globals';
import { BuildContextResponse } from '../../gen/ts/mneme/v1/context_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

/** Runs commands against a server whose contexts have entries of these relevances. */
function serverOf(...relevance: readonly number[]) {
  const entries = relevance.map((each) => ({ name: 'namespaces/default/memories/m1', relevance: each }));
  const built = BuildContextResponse.create({ text: 'the context', entries, complete: true });
  return against({ context: { buildContext: unary(() => built) } });
}

describe('mneme context', () => {
  it('entries below the threshold of recall › are counted on stderr, with the flag that leaves them out', async () => {
    const run = await serverOf(0.9, 0.069, 0);

    expect(await run(['context', 'Who plays?'])).toEqual({
      code: 0,
      stdout: 'the context\n',
      stderr: '2 of 3 entries are less relevant (--min-relevance 0.07 leaves them out)\n',
    });
  });

  it('relevant entries, a limit of relevance of its own, or JSON › says nothing', async () => {
    const relevant = await serverOf(0.9, 0.07);
    const mixed = await serverOf(0.9, 0);

    expect((await relevant(['context', 'Who plays?'])).stderr).toBe('');
    expect((await mixed(['context', 'Who plays?', '--min-relevance', '0'])).stderr).toBe('');
    expect((await mixed(['context', 'Who plays?', '--json'])).stderr).toBe('');
  });
});

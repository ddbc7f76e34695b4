import { afterEach, describe, expect, it } from '@jest/globals';
import { BuildContextResponse, ContextOmissionReason } from '../../gen/ts/mneme/v1/context_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

/** Runs commands against a server whose contexts have entries of these relevances. */
const OMITTED = ContextOmissionReason.CONTEXT_OMISSION_REASON_LOW_RELEVANCE;

function serverOf(omittedCount: number) {
  const omission = { name: 'namespaces/default/memories/m1', reason: OMITTED };
  const omitted = Array.from({ length: omittedCount }, () => omission);
  const built = BuildContextResponse.fromPartial({ text: 'the context', omitted, complete: true });
  return against({ context: { buildContext: unary(() => built) } });
}

describe('mneme context', () => {
  it('memories below the threshold of recall › are counted on stderr, with the flag that takes them in', async () => {
    const run = await serverOf(2);

    expect(await run(['context', 'Who plays?'])).toEqual({
      code: 0,
      stdout: 'the context\n',
      stderr: '2 less relevant left out; --min-relevance 0 takes them in\n',
    });
  });

  it('relevant entries, a limit of relevance of its own, or JSON › says nothing', async () => {
    const relevant = await serverOf(0);
    const mixed = await serverOf(1);

    expect((await relevant(['context', 'Who plays?'])).stderr).toBe('');
    expect((await mixed(['context', 'Who plays?', '--min-relevance', '0'])).stderr).toBe('');
    expect((await mixed(['context', 'Who plays?', '--json'])).stderr).toBe('');
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import type {
  GetAttributeHistoryRequest,
  GetMemorySequenceRequest,
  GetStatesAtStepsRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import type { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { bareMemoryMessage } from '../client/support/proto-memory.ts';
import { unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

describe('mneme history', () => {
  it('tells each change of the value, one a line', async () => {
    const asked: GetAttributeHistoryRequest[] = [];
    const getAttributeHistory = unary<GetAttributeHistoryRequest, object>((request) => {
      asked.push(request);
      const name = 'namespaces/default/memories/s7';
      const change = { name, step: 7, kind: 2, previousJson: '"hall"', newJson: '"attic"' };
      return { changes: [change], truncated: true, revision: 3n };
    });
    const run = await against({ memory: { getAttributeHistory } });

    const shown = await run(['history', 'position.room', '--agent', 'a', '--from-step', '2']);
    const json = await run(['history', 'position.room', '--json']);

    expect(shown.stdout).toBe('step 7  "hall" → "attic"  s7\n');
    expect(shown.stderr).toContain('there are more');
    expect(asked[0]).toMatchObject({ path: 'position.room', type: 'state', startStep: 2n });
    expect(JSON.parse(json.stdout)).toMatchObject({
      changes: [{ id: 's7', kind: 'changed', previousValue: 'hall', newValue: 'attic' }],
    });
  });

  it('no change › names the type and the path, and what a path is', async () => {
    const run = await against({
      memory: { getAttributeHistory: unary(() => ({ changes: [], truncated: false, revision: 3n })) },
    });

    expect(await run(['history', 'position/room', '--state-type', 'pose'])).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'nothing found: no memory of type pose has a value at position/room; a path is the keys of the content joined ' +
        'by dots, such as position.room\n',
    });
  });
});

describe('mneme states', () => {
  it('shows the state at each step, or that there is none', async () => {
    const asked: GetStatesAtStepsRequest[] = [];
    const getStatesAtSteps = unary<GetStatesAtStepsRequest, object>((request) => {
      asked.push(request);
      return {
        states: [{ step: 1, memory: { ...bareMemoryMessage('s1'), text: 'in the hall' } }, { step: 2 }],
        revision: 3n,
      };
    });
    const run = await against({ memory: { getStatesAtSteps } });

    const { stdout } = await run(['states', '1', '2', '--carry-forward']);

    expect(stdout).toMatch(/^step 1 {2}in the hall\n {8}.* s1\nstep 2 {2}\(none\)\n$/);
    expect(asked[0]).toMatchObject({ steps: [1n, 2n], carryForward: true });
    expect((await run(['states', 'soon'])).code).toBe(2);
  });
});

describe('mneme sequence', () => {
  it('shows what was before and after, with the memory marked', async () => {
    const asked: GetMemorySequenceRequest[] = [];
    const getSequence = unary<GetMemorySequenceRequest, object>((request) => {
      asked.push(request);
      const [before, memory, after] = ['b', 'm', 'a'].map((id) => bareMemoryMessage(id));
      return { before: [before], memory, after: [after], revision: 3n };
    });
    const run = await against({ memory: { getMemorySequence: getSequence } });

    const { stdout } = await run(['sequence', 'm', '--window', '2h', '--same-type', '--after', '1']);

    expect(stdout.split('\n').map((line) => line.slice(0, 3))).toEqual(['  b', '  2', '> m', '  2', '  a', '  2', '']);
    expect(asked[0]).toMatchObject({ timeWindow: { seconds: 7200n }, sameType: true, afterCount: 1 });
  });
});

describe('mneme presets and recall --preset', () => {
  it('lists the presets and tells the parameters of one', async () => {
    const parameter = {
      name: 'hours',
      description: 'How many hours.',
      type: 'number',
      defaultJson: '24',
      limits: 'more than 0',
    };
    const preset = { name: 'last_hours', description: 'The memories of the last hours.', parameters: [parameter] };
    const run = await against({ recall: { listRecallPresets: unary(() => ({ presets: [preset] })) } });

    expect(await run(['presets', 'nope'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no preset "nope"'),
    });
    expect((await run(['presets'])).stdout).toBe('last_hours      The memories of the last hours.\n');
    expect((await run(['presets', 'last_hours'])).stdout).toContain(
      'How many hours. (number; default 24; more than 0)',
    );
    expect((await run(['presets', 'next_hours'])).code).not.toBe(0);
  });

  it('sends the preset with its parameters and leaves the limit to it', async () => {
    const asked: RecallRequest[] = [];
    const recall = unary<RecallRequest, object>((request) => {
      asked.push(request);
      return {
        hits: [],
        lanes: [],
        degraded: [],
        passages: [],
        tokenCount: 0,
        promoted: [],
        damaged: [],
        candidateCount: 0,
        lowRelevanceCount: 0,
        revision: 3n,
      };
    });
    const run = await against({ recall: { recall } });

    await run(['recall', '--preset', 'last_hours', '--parameters', '{"hours": 2}']);

    expect(asked[0]).toMatchObject({ limit: 0, preset: { name: 'last_hours' } });
    expect(asked[0]?.preset?.parameters).toBe('{"hours":2}');
    expect((await run(['recall', '--preset', 'last_hours', '--parameters', '[2]'])).code).toBe(2);
  });
});

import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import {
  LifecyclePhase,
  ServeHookRequest,
  type ServeHookResponse,
} from '../../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { type LifecycleEvent, NEW_LIFE } from '../../../../../src/memory/lifecycle.ts';
import { serveHook } from '../../../../../src/server/grpc/sessions/lifecycle-service.ts';
import { LifecycleHooks } from '../../../../../src/server/operations/sessions/lifecycle/hooks.ts';
import { OpenStreams } from '../../../../../src/server/operations/streams/open-streams.ts';
import { call } from '../../../operations/support.ts';

const SILENCE_MS = 15_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('woken for a question that nobody awaits any more › sends its heartbeat in time', async () => {
  const hooks = new LifecycleHooks(1);
  const asking = new AbortController();
  const newId = () => {
    // Before the stream has come to it.
    void Promise.resolve().then(() => asking.abort(new Error('given up')));
    return 'q';
  };
  const streams = new OpenStreams({ perCallerMax: 1 });
  const deps = { hooks, newId, streams, maxStreamStallMs: 30_000, mayRequireHooks: () => true };
  const stream = serveHook(deps, registering(), call);
  const heard = async () => ((await stream.next()) as IteratorYieldResult<ServeHookResponse>).value.message?.$case;
  expect(await heard()).toBe('registered');
  const startedMs = performance.now();
  const next = heard();
  await jest.advanceTimersByTimeAsync(SILENCE_MS - 1000);
  const answers = hooks.ask('before', EVENT, asking.signal);
  await jest.advanceTimersByTimeAsync(1000);

  expect(await next).toBe('heartbeat');
  expect(performance.now() - startedMs).toBe(SILENCE_MS);
  expect((await answers).reports).toMatchObject([{ hook: 'h', result: 'failed' }]);
});

async function* registering(): AsyncGenerator<ServeHookRequest> {
  const value = { parent: 'namespaces/n', hook: 'h', phases: [LifecyclePhase.LIFECYCLE_PHASE_BEFORE] };
  yield ServeHookRequest.fromPartial({ message: { $case: 'registration', value } });
  // Silent until the end of the test.
  await new Promise<never>(() => {});
}

const EVENT: LifecycleEvent = {
  id: 'e',
  transition: 'spawn',
  phase: 'before',
  session: {
    namespace: 'n',
    id: 's',
    scope: { project: '', agentType: '', agent: '', session: 's' },
    state: 'active',
    generation: 1,
    metadata: {},
    createdAtUs: 1,
    updatedAtUs: 1,
    isFrozen: false,
    life: NEW_LIFE,
    defaultTtlUs: 0,
    idleTtlUs: 0,
  },
  atUs: 1,
  metadata: {},
  checkpointId: '',
  episodeId: '',
  refusal: '',
  durationMs: 0,
};

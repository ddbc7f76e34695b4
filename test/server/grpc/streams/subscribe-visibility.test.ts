import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SpawnSessionRequest } from '../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import { DemoteMemoriesRequest, GetMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { SetScopePolicyRequest } from '../../../../gen/ts/mneme/v1/scope_service.ts';
import { systemClock } from '../../../../src/memory/clock.ts';
import { ask } from '../support/ask.ts';
import { FollowedAnswer, type Query } from '../support/followed-answer.ts';
import { freshNamespace, json, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
const clock = { aheadUs: 0, nowUs: () => systemClock.nowUs() + clock.aheadUs };

beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' }, { clock });
});
afterAll(() => server.stop());

const inUs = (us: number) => ({ seconds: BigInt(Math.floor(us / 1e6)), nanos: (us % 1e6) * 1000 });
const dog = { text: 'the dog sleeps', type: 'fact', embedding: vector(1, 0), content: json({ n: 1 }) };
let count = 0;
/** Memories with equal texts and contents are one hit. */
const another = () => ({ ...dog, content: json({ n: 1, count: ++count }) });

/** A standing query of each kind: by filter, by nearness, by words, and by preset. */
const KINDS: { readonly [kind: string]: Query } = {
  admitted: { filter: undefined, timeWindow: { last: { seconds: 3600n } } },
  near: { embedding: vector(1, 0), minSimilarity: 0.5, weights: { recency: 0 } },
  words: { text: 'dog', weights: { recency: 0 } },
  preset: { preset: { name: 'importance' } },
};

describe.each(Object.entries(KINDS))('Subscribe: a query by %s', (_, query) => {
  async function demote(parent: string, name: string) {
    const { memories } = server;
    const request = DemoteMemoriesRequest.fromPartial({ parent, names: [name], toTier: Tier.TIER_LONG_TERM });
    return (await ask(memories, memories.demoteMemories, request)).revision;
  }

  test('that names tiers › a memory that is demoted leaves one and enters the other, at that revision', async () => {
    const parent = freshNamespace();
    const { name, revision } = await store(server, parent, another());
    const upper = new FollowedAnswer(server, { parent, ...query, tiers: [Tier.TIER_SHORT_TERM] });
    const lower = new FollowedAnswer(server, { parent, ...query, tiers: [Tier.TIER_LONG_TERM] });
    expect([await upper.at(revision), await lower.at(revision)]).toEqual([[name], []]);
    const moved = await demote(parent, name);
    expect([await upper.at(moved), await lower.at(moved)]).toEqual([[], [name]]);
    for (const answer of [upper, lower]) answer.cancel();
  });

  test('of a scope › memories stored by an ancestor enter at that revision, and none of another scope', async () => {
    const parent = freshNamespace();
    const own = await store(server, parent, { ...another(), scope: { project: 'p', session: 's1' } });
    const answer = new FollowedAnswer(server, { parent, ...query, scope: { project: 'p', session: 's1' } });
    expect(await answer.at(own.revision)).toEqual([own.name]);
    const shared = await store(server, parent, { ...another(), scope: { project: 'p' } });
    expect((await answer.at(shared.revision)).sort()).toEqual([own.name, shared.name].sort());
    const whole = await store(server, parent, another());
    expect((await answer.at(whole.revision)).sort()).toEqual([own.name, shared.name, whole.name].sort());
    const other = await store(server, parent, { ...another(), scope: { project: 'p', session: 's2' } });
    expect(await answer.at(other.revision)).not.toContain(other.name);
    answer.cancel();
  });

  test('from outside › memories hidden by a policy leave, and return when the policy is removed', async () => {
    const parent = freshNamespace();
    const { name, revision } = await store(server, parent, { ...another(), scope: { project: 'p' } });
    const answer = new FollowedAnswer(server, { parent, ...query });
    expect(await answer.at(revision)).toEqual([name]);
    const { scopes } = server;
    const set = (isPrivate: boolean) => {
      const policy = { scope: { project: 'p' }, isPrivate };
      return ask(scopes, scopes.setScopePolicy, SetScopePolicyRequest.fromPartial({ parent, policy }));
    };
    await set(true);
    await answer.until(() => answer.names().length === 0);
    const hidden = await store(server, parent, { ...another(), scope: { project: 'p' } });
    expect(await answer.at(hidden.revision)).toEqual([]);
    await set(false);
    await answer.until(() => answer.names().length === 2);
    const seen = await store(server, parent, { ...another(), scope: { project: 'p' } });
    expect(await answer.at(seen.revision)).toHaveLength(3);
    answer.cancel();
  });

  test("of a session alone › includes its project's memories as soon as its owner is known", async () => {
    const parent = freshNamespace();
    const { name } = await store(server, parent, { ...another(), scope: { project: 'p' } });
    const answer = new FollowedAnswer(server, { parent, ...query, scope: { session: 's9' } });
    await answer.until(({ event }) => event?.$case === 'progress');
    expect(answer.names()).toEqual([]);
    const { lifecycle } = server;
    const scope = { project: 'p' };
    await ask(lifecycle, lifecycle.spawnSession, SpawnSessionRequest.fromPartial({ parent, sessionId: 's9', scope }));
    await answer.until(() => answer.names().length === 1);
    expect(answer.names()).toEqual([name]);
    const more = await store(server, parent, { ...another(), scope: { project: 'p' } });
    expect(await answer.at(more.revision)).toHaveLength(2);
    answer.cancel();
  });
});

describe('Subscribe: a window that ends now', () => {
  const windows: [string, Query][] = [
    ['of the request', { timeWindow: { last: { seconds: 7200n } } }],
    ['of the request, near to a vector', { ...KINDS['near'], timeWindow: { last: { seconds: 7200n } } }],
    ['of a preset', { preset: { name: 'window', parameters: '{"last_hours": 2}' } }],
  ];
  test.each(windows)('%s › a future memory enters at its time, and leaves when it is too old', async (_, query) => {
    const parent = freshNamespace();
    const eventTime = inUs(clock.nowUs() + 1_800_000_000);
    const { name, revision } = await store(server, parent, { ...another(), eventTime });
    const answer = new FollowedAnswer(server, { parent, ...query });
    expect(await answer.at(revision)).toEqual([]);
    clock.aheadUs += 1_801_000_000;
    await answer.until(() => answer.names().length === 1, 15_000);
    expect(answer.names()).toEqual([name]);
    clock.aheadUs += 7_200_000_000;
    await answer.until(() => answer.names().length === 0, 15_000);
    answer.cancel();
  });
});

test('Subscribe: a preset that orders by the last access › follows reads with touch', async () => {
  const parent = freshNamespace();
  const [first] = [
    await store(server, parent, another()),
    await store(server, parent, { ...another(), text: 'later' }),
  ];
  const parameters = '{"sort_by": "recency"}';
  const answer = new FollowedAnswer(server, { parent, preset: { name: 'importance', parameters }, limit: 1 });
  await answer.until(({ event }) => event?.$case === 'progress');
  expect(answer.names()).not.toEqual([first.name]);
  const { memories } = server;
  await ask(memories, memories.getMemory, GetMemoryRequest.fromPartial({ name: first.name, touch: true }));
  await answer.until(() => answer.names()[0] === first.name, 15_000);
  answer.cancel();
});

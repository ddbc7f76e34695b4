import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Change, ChangeKind as Kind } from '../../../../gen/ts/mneme/v1/change.ts';
import { type Filter, MemoryField, Operator } from '../../../../gen/ts/mneme/v1/filter.ts';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import { DemoteMemoriesRequest, PromoteMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { WatchMemoriesRequest, type WatchMemoriesResponse } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { CreateSubscriptionRequest, GetSubscriptionRequest } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { ask } from '../support/ask.ts';
import { Consumer } from '../support/consumer.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const { TIER_SHORT_TERM, TIER_INTERMEDIATE, TIER_LONG_TERM } = Tier;
const { CHANGE_KIND_STORED, CHANGE_KIND_MOVED } = Kind;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ embedder: 'none' });
});
afterAll(() => server.stop());

function tierIs(...tiers: readonly string[]): Filter {
  const value = {
    target: { $case: 'field' as const, value: MemoryField.MEMORY_FIELD_TIER },
    op: Operator.OPERATOR_IN,
    values: tiers.map((tier) => ({ kind: { $case: 'stringValue' as const, value: tier } })),
  };
  return { node: { $case: 'comparison', value: { ...value, ignoreCase: false } } };
}

async function demote(parent: string, names: readonly string[], to: Tier): Promise<void> {
  const request = DemoteMemoriesRequest.fromPartial({ parent, names: [...names], toTier: to });
  await ask(server.memories, server.memories.demoteMemories, request);
}

async function promote(parent: string, names: readonly string[], to: Tier): Promise<void> {
  const request = PromoteMemoriesRequest.fromPartial({ parent, names: [...names], toTier: to });
  await ask(server.memories, server.memories.promoteMemories, request);
}

const changesOf = (messages: readonly WatchMemoriesResponse[]) =>
  messages.flatMap(({ event }) => (event?.$case === 'batch' ? event.value.changes : []));
const shown = ({ kind, leaves, memory }: Change) => [kind, leaves, memory?.tier];

/** Events of watches for a series of moves, each up to a memory of its filter that is stored last. */
async function received(
  parent: string,
  watches: Readonly<Record<string, Parameters<typeof WatchMemoriesRequest.fromPartial>[0]>>,
  meanwhile: () => Promise<unknown>,
): Promise<Record<string, unknown>> {
  const streams = Object.entries(watches).map(([name, asked]) => {
    const request = WatchMemoriesRequest.fromPartial({ parent, ...asked });
    return { name, stream: new FollowedStream(server.recalls.watchMemories(request)) };
  });
  for (const { stream } of streams) await stream.until(({ event }) => event?.$case === 'progress');
  await meanwhile();
  const { name: last } = await store(server, parent, { text: 'the last' });
  await demote(parent, [last], TIER_INTERMEDIATE);
  await demote(parent, [last], TIER_LONG_TERM);
  const { name: end } = await store(server, parent, { text: 'the end', tier: TIER_SHORT_TERM });
  const results: Record<string, unknown> = {};
  for (const { name, stream } of streams) {
    const isLast = (change: Change) => change.name === last || change.name === end;
    await stream.until(() => changesOf(stream.messages).some(isLast));
    stream.cancel();
    results[name] = changesOf(stream.messages)
      .filter((change) => !isLast(change))
      .map(shown);
  }
  return results;
}

describe('Watch, moves between tiers', () => {
  it('a filter that looks at the tier › a memory enters and leaves with its tier', async () => {
    const parent = freshNamespace();
    const { name } = await store(server, parent, { text: 'x' });
    const watches = {
      short: { filter: tierIs('short_term') },
      upper: { filter: tierIs('short_term', 'intermediate') },
      long: { filter: tierIs('long_term') },
    };
    const seen = await received(parent, watches, async () => {
      await demote(parent, [name], TIER_INTERMEDIATE);
      await demote(parent, [name], TIER_LONG_TERM);
      await promote(parent, [name], TIER_SHORT_TERM);
    });
    const enters = (tier: Tier) => [CHANGE_KIND_MOVED, false, tier];
    const leaves = [CHANGE_KIND_MOVED, true, undefined];
    expect(seen).toEqual({
      short: [leaves, enters(TIER_SHORT_TERM)],
      upper: [leaves, enters(TIER_SHORT_TERM)],
      long: [enters(TIER_LONG_TERM), leaves],
    });
  });

  it('any other filter › moves are sent only on request', async () => {
    const parent = freshNamespace();
    const { name } = await store(server, parent, { text: 'x' });
    const watches = { plain: {}, all: { includeMoved: true }, touched: { includeTouched: true } };
    const seen = await received(parent, watches, () => demote(parent, [name], TIER_INTERMEDIATE));
    expect(seen).toEqual({ plain: [], all: [[CHANGE_KIND_MOVED, false, TIER_INTERMEDIATE]], touched: [] });
  });

  it('a memory has moved since the start of the watch › entering and leaving events lead to the current filter result', async () => {
    const parent = freshNamespace();
    const { name, revision } = await store(server, parent, { text: 'x' });
    await demote(parent, [name], TIER_LONG_TERM);
    await promote(parent, [name], TIER_SHORT_TERM);
    await demote(parent, [name], TIER_INTERMEDIATE);
    const watches = {
      short: { filter: tierIs('short_term'), startRevision: revision },
      intermediate: { filter: tierIs('intermediate'), startRevision: revision },
    };
    const seen = await received(parent, watches, async () => undefined);
    const enters = (tier: Tier) => [CHANGE_KIND_MOVED, false, tier];
    const leaves = [CHANGE_KIND_MOVED, true, undefined];
    expect(seen).toEqual({
      short: [leaves, enters(TIER_SHORT_TERM), leaves],
      intermediate: [[CHANGE_KIND_STORED, false, TIER_INTERMEDIATE], enters(TIER_INTERMEDIATE)],
    });
  });
});

describe('Consume, moves between tiers', () => {
  it('a filter on the tier, or a subscription that includes moves › sends them, and others do not', async () => {
    const parent = freshNamespace();
    const { name } = await store(server, parent, { text: 'x' });
    const { subscriptions } = server;
    const asked = { plain: {}, moved: { includeMoved: true }, short: { filter: tierIs('short_term') } };
    for (const [subscriptionId, subscription] of Object.entries(asked)) {
      const request = CreateSubscriptionRequest.fromPartial({ parent, subscriptionId, subscription });
      const made = await ask(subscriptions, subscriptions.createSubscription, request);
      const read = GetSubscriptionRequest.fromPartial({ name: `${parent}/subscriptions/${subscriptionId}` });
      const { subscription: kept } = await ask(subscriptions, subscriptions.getSubscription, read);
      expect([made.subscription?.includeMoved, kept?.includeMoved]).toEqual(
        Array.from({ length: 2 }, () => subscriptionId === 'moved'),
      );
    }
    await demote(parent, [name], TIER_INTERMEDIATE);
    const end = await store(server, parent, { text: 'the end' });
    const seen: Record<string, unknown> = {};
    for (const id of Object.keys(asked)) {
      const consumer = new Consumer(server, `${parent}/subscriptions/${id}`, 'c');
      await consumer.until(() => consumer.changes().some((change) => change.name === end.name));
      consumer.cancel();
      seen[id] = consumer
        .changes()
        .filter((change) => change.name !== end.name)
        .map(shown);
    }
    expect(seen).toEqual({
      plain: [],
      moved: [[CHANGE_KIND_MOVED, false, TIER_INTERMEDIATE]],
      short: [[CHANGE_KIND_MOVED, true, undefined]],
    });
  });
});

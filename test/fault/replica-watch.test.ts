import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ChangeKind as Kind } from '../../gen/ts/mneme/v1/change.ts';
import { Tier } from '../../gen/ts/mneme/v1/memory.ts';
import {
  DeleteMemoryRequest,
  DemoteMemoriesRequest,
  PromoteMemoriesRequest,
  UpdateMemoryRequest,
} from '../../gen/ts/mneme/v1/memory_service.ts';
import { ask } from '../grpc/support/ask.ts';
import { FollowedAnswer, recalledNames } from '../grpc/support/followed-answer.ts';
import { freshNamespace } from '../grpc/support/memories.ts';
import { opened } from './replicas.ts';
import { pairOfBlock } from './replicas-of-test.ts';

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `${from + at}`);
const isRising = (revisions: readonly bigint[]) =>
  revisions.every((revision, at) => at === 0 || revision > (revisions[at - 1] ?? 0n));

describe('two servers over one Redis', () => {
  const { pair, restartRedis } = pairOfBlock({ appendonly: 'yes', appendfsync: 'everysec' });

  it('a namespace of the other server › watched here, every change is delivered once and in order', async () => {
    const [here, there] = pair();
    const parent = freshNamespace();
    await there.store(parent, { text: 'before' }, randomUUID());
    const watching = await here.watch({ parent, startRevision: 1n }).live();
    const { memories } = there.clients;
    const id = randomUUID();
    await there.store(parent, { text: 'first state' }, id);
    const name = `${parent}/memories/${id}`;
    // Faster than copies are made: intermediate states are delivered as well.
    for (const text of ['second state', 'third state', 'fourth state']) {
      await ask(
        memories,
        memories.updateMemory,
        UpdateMemoryRequest.fromPartial({ memory: { name, text }, updateMask: ['text'] }),
      );
    }
    await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name }));
    for (const text of numbered(50)) await there.store(parent, { text }, randomUUID());
    await watching.has('49');
    watching.cancel();

    const received = watching.changes().filter((change) => change.name === name);
    expect(received.at(0)?.kind).toBe(Kind.CHANGE_KIND_STORED);
    expect(received.at(-1)?.kind).toBe(Kind.CHANGE_KIND_DELETED);
    expect(watching.texts().filter((text) => /^\d+$/.test(text))).toEqual(numbered(50));
    expect(isRising(watching.changes().map(({ revision }) => revision))).toBe(true);
  }, 240_000);

  it('several states of one memory between two polls › each is delivered, with its former state', async () => {
    const [here, there] = pair();
    const parent = freshNamespace();
    const id = randomUUID();
    await there.store(parent, { text: '0' }, id);
    const watching = await here.watch({ parent }).live();
    const { memories } = there.clients;
    const name = `${parent}/memories/${id}`;
    for (const text of numbered(20, 1)) {
      await ask(
        memories,
        memories.updateMemory,
        UpdateMemoryRequest.fromPartial({ memory: { name, text }, updateMask: ['text'] }),
      );
    }
    await watching.has('20');
    watching.cancel();
    expect(watching.texts()).toEqual(numbered(20, 1));
  }, 240_000);

  it('the other moves memories to another tier › delivered here, and left out for watchers without tier changes', async () => {
    const [here, there] = pair();
    const parent = freshNamespace();
    const id = randomUUID();
    await there.store(parent, { text: 'moving' }, id);
    const asked = [{ filterText: 'tier = "short_term"' }, { includeMoved: true }, {}];
    const watches = await Promise.all(asked.map((query) => here.watch({ parent, ...query }).live()));
    const { memories } = there.clients;
    const names = [`${parent}/memories/${id}`];
    await ask(memories, memories.demoteMemories, DemoteMemoriesRequest.fromPartial({ parent, names }));
    await ask(memories, memories.promoteMemories, PromoteMemoriesRequest.fromPartial({ parent, names }));
    await there.store(parent, { text: 'end' }, randomUUID());
    for (const watching of watches) await watching.has('end');
    for (const watching of watches) watching.cancel();

    const received = watches.map((watching) => watching.changes().map(({ leaves, memory }) => [leaves, memory?.tier]));
    const end = [false, Tier.TIER_SHORT_TERM];
    const [down, up, leaves] = [
      [false, Tier.TIER_INTERMEDIATE],
      [false, Tier.TIER_SHORT_TERM],
      [true, undefined],
    ];
    expect(received).toEqual([[leaves, up, end], [down, up, end], [end]]);
  }, 240_000);

  it('resume token of one used at the other › continues there without loss and without repetition', async () => {
    const [one, two] = pair();
    const [parent, other] = [freshNamespace(), freshNamespace()];
    // Their logs number the same changes differently.
    for (const text of numbered(30)) await one.store(other, { text }, randomUUID());
    await one.store(parent, { text: 'before' }, randomUUID());
    (await two.watch({ parent }).live()).cancel();
    let at = one;
    let token = (await one.watch({ parent }).live()).token();
    const received: string[] = [];
    for (let round = 0; round < 6; round++) {
      const writer = round % 2 === 0 ? two : one;
      for (const text of numbered(10, round * 10)) await writer.store(parent, { text }, randomUUID());
      if (round === 3) await restartRedis();
      const stream = await opened(at, { parent, resumeToken: token, maxBatchChanges: 3 });
      await stream.has(`${round * 10 + 9}`);
      stream.cancel();
      received.push(...stream.texts());
      token = stream.token();
      at = at === one ? two : one;
    }
    expect(received).toEqual(numbered(60));
  }, 240_000);

  it('the server of a watcher is killed › the other continues from its token; so does the killed one later', async () => {
    const [one, two] = pair();
    const parent = freshNamespace();
    await two.store(parent, { text: 'before' }, randomUUID());
    const first = await one.watch({ parent }).live();
    for (const text of numbered(10)) await two.store(parent, { text }, randomUUID());
    await first.has('9');
    const writing = (async () => {
      for (const text of numbered(40, 10)) await two.store(parent, { text }, randomUUID());
    })();
    await one.kill();
    await first.outcome();
    const second = two.watch({ parent, resumeToken: first.token() });
    await Promise.all([second.has('29'), writing]);
    second.cancel();
    await one.restart();
    const third = one.watch({ parent, resumeToken: second.token() });
    // The second may have delivered everything before it.
    await two.store(parent, { text: '50' }, randomUUID());
    await third.has('50');
    third.cancel();
    expect([...first.texts(), ...second.texts(), ...third.texts()]).toEqual(numbered(51));
  }, 240_000);

  it('Subscribe here, stored there, Redis restarted › the state equals the answer of Recall', async () => {
    const [here, there] = pair();
    const parent = freshNamespace();
    await there.store(parent, { text: 'a cello in the attic' }, randomUUID());
    const standing = new FollowedAnswer(here.clients, { parent, text: 'cello', limit: 5 });
    await standing.until(({ event }) => event?.$case === 'progress');
    for (const text of numbered(4)) await there.store(parent, { text: `cello ${text}` }, randomUUID());
    await restartRedis();
    const last = randomUUID();
    await there.store(parent, { text: 'a cello, a cello' }, last);
    await standing.until(() => standing.names().includes(`${parent}/memories/${last}`));
    const expected = await recalledNames(here.clients, standing.query);
    await standing.until(() => JSON.stringify(standing.names()) === JSON.stringify(expected));
    standing.cancel();
    expect(expected).toHaveLength(5);
  }, 240_000);
});

describe.each(['everysec', 'always'])('two servers over one Redis with appendfsync %s', (appendfsync) => {
  const { pair, restartRedis } = pairOfBlock({ appendonly: 'yes', appendfsync });

  it('Redis killed and restarted while both store › no change is lost or delivered twice, both deliver the same', async () => {
    const [one, two] = pair();
    const parent = freshNamespace();
    await one.store(parent, { text: 'before' }, randomUUID());
    const streams = [await one.watch({ parent }).live(), await two.watch({ parent }).live()];
    const writing = [one, two].map(async (replica, at) => {
      for (const text of numbered(60)) await replica.store(parent, { text: `${at}-${text}` }, randomUUID());
    });
    await streams[0]?.has('0-10');
    await restartRedis();
    await streams[0]?.has('1-30');
    await restartRedis();
    await Promise.all(writing);
    for (const stream of streams) await Promise.all([stream.has('0-59'), stream.has('1-59')]);
    for (const stream of streams) stream.cancel();
    const [first, second] = streams.map((stream) => stream.texts());
    expect(first).toEqual(second);
    expect(first?.toSorted()).toEqual([0, 1].flatMap((at) => numbered(60).map((text) => `${at}-${text}`)).toSorted());
    for (const at of [0, 1]) {
      expect(first?.filter((text) => text.startsWith(`${at}-`))).toEqual(numbered(60).map((text) => `${at}-${text}`));
    }
  }, 240_000);
});

import { Memory, Tier } from '../../../gen/ts/mneme/v1/memory.ts';

/** A memory with every field set, as a server would send it. */
export function fullMemoryMessage(id = 'm1'): Memory {
  const time = (seconds: bigint) => ({ seconds, nanos: 123_456_000 });
  return {
    name: `namespaces/default/memories/${id}`,
    scope: { namespace: 'default', project: 'p', agentType: 'planner', agent: 'a', session: 's' },
    type: 'episode',
    step: 9_007_199_254_740_991n,
    eventTime: time(1_700_000_000n),
    createTime: time(1_700_000_001n),
    updateTime: time(1_700_000_002n),
    text: 'tea at five',
    content: { mediaType: 'application/json', body: { $case: 'json' as const, value: '{"a": 1.0}' } },
    tags: ['x', 'y'],
    embedding: { model: 'test', dimension: 3, dataF32le: Buffer.from(new Float32Array([0.1, -2, 3e-38]).buffer) },
    place: {
      point: { x: 1, y: 2, z: 3 },
      geo: { latitudeDeg: 52.5, longitudeDeg: 13.4 },
      location: 'harbour',
      room: 'hall',
      region: 'north',
    },
    importance: 0,
    priority: 0.25,
    source: { speaker: 'Ann', uri: 'file:1', origin: 'import' },
    tier: Tier.TIER_SHORT_TERM,
    retrievalCount: 3,
    lastAccessTime: time(1_700_000_003n),
    expireTime: time(4_000_000_000n),
    validFrom: time(-1n),
    validUntil: time(1_800_000_000n),
    supersededBy: 'namespaces/default/memories/m2',
    checksum: 'c'.repeat(64),
    version: 11n,
    compaction: { checksum: 'd'.repeat(64), contentBytes: 90, droppedKeys: ['debug_info'], decimals: 3 },
  };
}

/** The same with only the fields that the server always sets. */
export function bareMemoryMessage(id: string): Memory {
  const time = { seconds: 1_700_000_000n, nanos: 0 };
  return Memory.fromPartial({
    name: `namespaces/default/memories/${id}`,
    scope: { namespace: 'default' },
    type: 'fact',
    eventTime: time,
    createTime: time,
    updateTime: time,
    text: id,
    importance: 0.5,
    priority: 1,
    tier: Tier.TIER_SHORT_TERM,
    version: 1n,
  });
}

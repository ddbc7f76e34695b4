import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type CreateNamespaceRequest,
  type DeleteNamespaceRequest,
  Namespace,
} from '../../gen/ts/mneme/v1/namespace_service.ts';
import { cleanUp } from '../client/support/clean-up.ts';
import { unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

const STATISTICS = {
  memoryCount: 3,
  contentBytes: 2048,
  embeddedCount: 1,
  embeddingPendingCount: 2,
  importanceMean: 0.5,
  types: [{ type: 'fact', memoryCount: 3 }],
  tiers: [
    { tier: 1, memoryCount: 2, contentBytes: 48, storedBytes: 48, importanceMean: 0.5 },
    { tier: 3, memoryCount: 1, contentBytes: 2000, storedBytes: 500, importanceMean: 0.5 },
  ],
  mostAccessed: [{ name: 'namespaces/a/memories/m1', retrievalCount: 3, lastAccessTime: undefined }],
  leastAccessed: [{ name: 'namespaces/a/memories/m2', retrievalCount: 0, lastAccessTime: undefined }],
  retrievalCount: 4,
};
const NAMESPACE = Namespace.fromPartial({
  name: 'namespaces/a',
  description: 'of team A',
  memoryLimit: 5,
  version: 1n,
});

async function counting() {
  return against({
    admin: {
      getServerInfo: unary(() => ({
        version: '0.1.0',
        startTime: { seconds: 1_700_000_000n, nanos: 0 },
        revision: 9n,
        backends: [{ role: 'memories', technology: 'sqlite 3.54.1', durability: 'power loss' }],
        embedder: { kind: 'none', model: '', dimension: 0, laneWeight: 0 },
        capabilities: [],
        degraded: ['vector index of a'],
        limits: [{ name: 'max_batch_size', value: 1000 }],
      })),
      getServerStatistics: unary(() => ({
        statistics: STATISTICS,
        namespaceCount: 2,
        diskBytes: 5_000_000,
        revision: 9n,
        vectorIndexes: [],
        degraded: ['vector index of a', 'Redis'],
      })),
    },
    namespaces: {
      getNamespace: unary(() => ({ namespace: NAMESPACE })),
      getNamespaceStatistics: unary(() => ({
        statistics: STATISTICS,
        revision: 9n,
        lastMaintenanceTime: { seconds: 1_700_000_000n, nanos: 0 },
      })),
    },
  });
}

/** Without the room that lines the values up. */
const linesOf = (stdout: string) => stdout.split('\n').map((line) => line.replace(/ {2,}/, '  '));

describe('mneme stats', () => {
  it('of the server › tells what it is, holds and lacks', async () => {
    const run = await counting();

    const { code, stdout } = await run(['stats']);

    expect(code).toBe(0);
    for (const line of [
      'server  mneme 0.1.0, up since 2023-11-14T22:13:20.000Z',
      'memories  sqlite 3.54.1, survives power loss',
      'degraded  vector index of a',
      '  Redis',
      'on disk  4.8 MiB',
      'by tier  short_term 2, 48 B, importance 0.50',
      '  long_term 1, 2.0 KiB in 500 B (25 %), importance 0.50',
      'contents  2.0 KiB in 548 B (27 %)',
      'vectors  1 stored, 2 to come',
      'importance  0.50 on average',
      'most recalled  m1 3',
      'least recalled  m2 0',
    ]) {
      expect(linesOf(stdout)).toContain(line);
    }
  });

  it('--json › has server and statistics; of a namespace › namespace and statistics', async () => {
    const run = await counting();

    const server = JSON.parse((await run(['stats', '--json'])).stdout) as object;
    const namespace = JSON.parse((await run(['stats', '--namespace', 'a', '--json'])).stdout) as object;

    expect(server).toMatchObject({
      server: { version: '0.1.0', startTime: '2023-11-14T22:13:20.000Z', limits: { max_batch_size: 1000 } },
      statistics: { memoryCount: 3, namespaceCount: 2, diskBytes: 5_000_000 },
    });
    expect(namespace).toMatchObject({ namespace: { id: 'a', memoryLimit: 5 }, statistics: { memoryCount: 3 } });
    const { stdout } = await run(['stats', '--namespace', 'a']);
    expect(linesOf(stdout)).toContain('maintained  2023-11-14T22:13:20.000Z');
  });
});

describe('mneme namespaces', () => {
  it('list, create and delete › list, create and delete namespaces', async () => {
    const created: CreateNamespaceRequest[] = [];
    const deleted: DeleteNamespaceRequest[] = [];
    const run = await against({
      namespaces: {
        listNamespaces: unary(() => ({ namespaces: [NAMESPACE], nextPageToken: '' })),
        createNamespace: unary<CreateNamespaceRequest, object>((request) => {
          created.push(request);
          return { namespace: NAMESPACE, revision: 1n };
        }),
        deleteNamespace: unary<DeleteNamespaceRequest, object>((request) => {
          deleted.push(request);
          return { forgottenCount: 1, revision: 2n };
        }),
      },
    });

    const list = await run(['namespaces', 'list']);
    const json = await run(['namespaces', 'list', '--json']);
    const create = await run(['namespaces', 'create', 'a', '--description', 'of team A', '--memory-limit', '5']);
    const remove = await run(['namespaces', 'delete', 'a', '--force']);

    expect(list.stdout).toBe('a  of team A\n');
    expect(JSON.parse(json.stdout)).toMatchObject({ name: 'namespaces/a', id: 'a', memoryLimit: 5, version: 1 });
    expect(create.stdout).toBe('a\n');
    expect(created[0]).toMatchObject({ namespace: { name: 'namespaces/a', description: 'of team A', memoryLimit: 5 } });
    expect(remove.stdout).toBe('deleted a with 1 memory\n');
    expect(deleted[0]).toMatchObject({ name: 'namespaces/a', force: true });
  });
});

import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceError } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HealthListRequest, HealthCheckResponse_ServingStatus as Serving } from '../../gen/ts/grpc/health/v1/health.ts';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { ask, refusalOf } from '../server/grpc/support/ask.ts';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { until } from '../support/redis-cluster.ts';

let parent: string;
let data: string;
let mneme: TestServer;
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'mneme-removed-'));
  data = join(parent, 'data');
  mneme = await startTestServer({ data, backendProbeIntervalMs: '50' });
});
afterEach(async () => {
  await mneme.stop().catch(() => undefined);
  rmSync(parent, { recursive: true, force: true });
});

const put = (text: string) => store(mneme, namespace, { text }, text);
const namespace = freshNamespace();

async function servingCount(): Promise<number> {
  const { statuses } = await ask(mneme.health, mneme.health.list, HealthListRequest.fromPartial({}));
  return Object.entries(statuses).filter(([name, { status }]) => name !== '' && status === Serving.SERVING).length;
}

const REFUSED = { code: 'UNAVAILABLE', reason: 'STORAGE_UNAVAILABLE' };
const removals: readonly (readonly [string, () => void])[] = [
  ['removed', () => rmSync(data, { recursive: true })],
  ['moved away', () => renameSync(data, join(parent, 'elsewhere'))],
  [
    'moved away, with a link to itself in its place',
    () => {
      renameSync(data, join(parent, 'elsewhere'));
      symlinkSync(data, data);
    },
  ],
  ['without its database', () => unlinkSync(join(data, 'mneme.db'))],
  ['without its write-ahead log', () => unlinkSync(join(data, 'mneme.db-wal'))],
  ['without its lock', () => unlinkSync(join(data, 'mneme.lock'))],
];

describe('a data folder under a running server', () => {
  it.each(removals)('%s › no write is acknowledged, and no service serves', async (_, remove) => {
    await put('before');
    await until('all serve', async () => (await servingCount()) > 0);
    remove();
    const refused = await put('after').catch((error: unknown) => error);
    expect(refusalOf(refused as ServiceError)).toMatchObject(REFUSED);
    await until('none serves', async () => (await servingCount()) === 0);
    const { degraded } = await ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
    expect(degraded).toEqual([expect.stringMatching(/^data folder: SQLite .*was removed or moved/)]);
  });

  it('moved back › is written to again, and what was refused is not counted as stored', async () => {
    await put('before');
    renameSync(data, join(parent, 'elsewhere'));
    const refused = await put('meanwhile').catch((error: unknown) => error);
    expect(refusalOf(refused as ServiceError)).toMatchObject(REFUSED);
    renameSync(join(parent, 'elsewhere'), data);
    await put('after');
    await until('all serve', async () => (await servingCount()) > 0);
    expect(existsSync(join(data, 'mneme.db'))).toBe(true);
  });
});

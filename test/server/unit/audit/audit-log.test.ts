import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditLog } from '../../../../src/server/audit/audit-log.ts';
import { readAudit } from '../../../../src/server/audit/read-audit.ts';

const LIMITS = { fileBytes: 1_000_000, totalBytes: 10_000_000 };

let folder: string;
let nowUs: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-audit-'));
  nowUs = Date.UTC(2026, 0, 1) * 1000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (limits = LIMITS) => AuditLog.open(folder, limits, { nowUs: () => nowUs });
const operation = (call: string, more = {}) => ({
  call,
  identity: 'ada',
  method: 'mneme.v1.MemoryService/ForgetMemories',
  namespace: 'n',
  names: [],
  request: '',
  ...more,
});
const files = () => readdirSync(folder).sort();

describe('the audit log', () => {
  it('has each operation with its end, from the oldest to the newest', async () => {
    const log = await open();
    await log.append(operation('a', { names: ['namespaces/n/memories/m'] }));
    nowUs += 1e6;
    await log.append(operation('b', { identity: 'bo' }));
    await log.append({ call: 'b', outcome: 'NAMESPACE_NOT_FOUND' });
    await log.append({ call: 'a', outcome: 'OK', count: 7 });
    await log.close();

    expect((await readAudit(folder, {}, 10)).entries).toMatchObject([
      { call: 'a', at: '2026-01-01T00:00:00.000Z', outcome: 'OK', count: 7, names: ['namespaces/n/memories/m'] },
      { call: 'b', at: '2026-01-01T00:00:01.000Z', outcome: 'NAMESPACE_NOT_FOUND', identity: 'bo' },
    ]);
  });

  it('is filtered by identity, namespace, method, outcome and time, and shows the newest', async () => {
    const log = await open();
    for (let at = 0; at < 5; at++) {
      await log.append(operation(`c${at}`, { identity: `i${at % 2}`, namespace: `n${at}` }));
      await log.append({ call: `c${at}`, outcome: at === 4 ? 'INTERNAL' : 'OK' });
      nowUs += 3600e6;
    }
    await log.append(operation('d', { method: 'mneme.v1.NamespaceService/DeleteNamespace' }));
    await log.close();
    const calls = async (filter: Parameters<typeof readAudit>[1], limit = 100) =>
      (await readAudit(folder, filter, limit)).entries.map(({ call }) => call).join();

    expect(await calls({ identity: 'i1' })).toBe('c1,c3');
    expect(await calls({ namespace: 'n2' })).toBe('c2');
    expect(await calls({ method: 'DeleteNamespace' })).toBe('d');
    expect(await calls({ outcome: 'INTERNAL' })).toBe('c4');
    expect(await calls({ outcome: 'UNKNOWN' })).toBe('d');
    expect(await calls({ since: '2026-01-01T01:00:00Z', until: '2026-01-01T03:00:00Z' })).toBe('c1,c2');
    expect(await calls({}, 2)).toBe('c4,d');
  });

  it('filtered by an outcome that is rare › has it, however many others came after it', async () => {
    const at = '2026-01-01T00:00:00.000Z';
    const lines = Array.from({ length: 30_000 }, (_, nth) => [
      { at, ...operation(`c${nth}`) },
      { at, call: `c${nth}`, outcome: nth === 7 ? 'INTERNAL' : 'OK' },
    ]);
    const text = lines.flat().map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(join(folder, 'audit-0000000001.jsonl'), text.join(''));
    const calls = async (outcome: string) =>
      (await readAudit(folder, { outcome }, 1)).entries.map(({ call }) => call).join();

    expect(await calls('INTERNAL')).toBe('c7');
    expect(await calls('OK')).toBe('c29999');
  });

  it('with a torn end › the other lines are read, and the next opening begins a new file', async () => {
    const first = await open();
    await first.append(operation('a'));
    await first.close();
    appendFileSync(join(folder, files()[0] ?? ''), '{"at":"2026-01-01T00:00:00.000Z","call":"b","meth');
    const second = await open();
    await second.append(operation('c'));
    await second.close();

    expect(files()).toHaveLength(2);
    const { entries, unreadableCount } = await readAudit(folder, {}, 10);
    expect(entries.map(({ call }) => call)).toEqual(['a', 'c']);
    expect(unreadableCount).toBe(1);
  });

  it('reaching its limits › goes on in another file, and deletes the oldest', async () => {
    const log = await open({ fileBytes: 1000, totalBytes: 5000 });
    for (let at = 0; at < 200; at++) await log.append(operation(`c${at}`));
    await log.close();

    const sizes = files().map((name) => statSync(join(folder, name)).size);
    expect(Math.max(...sizes)).toBeLessThan(1500);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(6500);
    const { entries } = await readAudit(folder, {}, 1000);
    expect(entries.at(-1)?.call).toBe('c199');
    expect(entries.length).toBeGreaterThan(10);
    expect(files()[0]).not.toBe('audit-0000000001.jsonl');
  });

  it('of many at once › has all of them, each on a line of its own', async () => {
    const log = await open();
    await Promise.all(
      Array.from({ length: 500 }, (_, at) => log.append(operation(`c${at}`, { request: '"\n\u2028\u2029' }))),
    );
    await log.close();

    expect(
      readFileSync(join(folder, files()[0] ?? ''), 'utf8')
        .trimEnd()
        .split('\n'),
    ).toHaveLength(500);
    expect((await readAudit(folder, {}, 1000)).entries).toHaveLength(500);
  });

  it('that cannot be written › fails with STORAGE_UNAVAILABLE; after it is closed, with DRAINING', async () => {
    const log = await open();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    await expect(log.append(operation('a'))).rejects.toMatchObject({ reason: 'STORAGE_UNAVAILABLE' });
    await log.close();
    await expect(log.append(operation('b'))).rejects.toMatchObject({ reason: 'DRAINING' });
  });
});

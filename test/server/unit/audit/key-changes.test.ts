import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditLog } from '../../../../src/server/audit/audit-log.ts';
import { auditedKeyChange } from '../../../../src/server/audit/key-changes.ts';
import { readAudit } from '../../../../src/server/audit/read-audit.ts';

const LIMITS = { fileBytes: 1_000_000, totalBytes: 10_000_000 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-audit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const change = (key: string, make = () => {}, limits = LIMITS) =>
  auditedKeyChange(folder, limits, { identity: 'user:ops', method: 'mneme.cli.Keys/CreateKey', names: [key] }, make);
const files = () => readdirSync(folder).sort();

describe('changes of API keys in an audit log', () => {
  it('have their first line before they are made, and their end after it', async () => {
    const entries = async () => (await readAudit(folder, {}, 10)).entries;
    let seen: ReturnType<typeof entries> | undefined;
    change('k1', () => {
      seen = entries();
    });
    expect(await seen).toMatchObject([{ names: ['k1'] }]);
    const fails = () =>
      change('k2', () => {
        throw new Error('no place');
      });
    expect(fails).toThrow('no place');

    expect(await entries()).toMatchObject([
      { identity: 'user:ops', method: 'mneme.cli.Keys/CreateKey', namespace: '', names: ['k1'], outcome: 'OK' },
      { names: ['k2'], outcome: 'FAILED' },
    ]);
  });

  it('beside a server that writes to the folder › both are read, by time', async () => {
    const clock = { nowUs: () => Date.UTC(2026, 0, 1) * 1000 };
    const log = await AuditLog.open(folder, LIMITS, clock);
    const refused = await AuditLog.open(folder, LIMITS, clock, 'refused');
    change('k1');
    const operation = { identity: 'ada', method: 's/DeleteMemory', namespace: 'n', names: [], request: '' };
    await log.append({ call: 'a', ...operation });
    await refused.append({ call: 'b', ...operation, outcome: 'PERMISSION_MISSING', callCount: 7 });
    await log.close();
    await refused.close();

    const { entries } = await readAudit(folder, {}, 10);
    expect(entries).toMatchObject([
      { call: 'a', outcome: 'UNKNOWN' },
      { call: 'b', outcome: 'PERMISSION_MISSING', callCount: 7 },
      { names: ['k1'], outcome: 'OK' },
    ]);
    expect((await readAudit(folder, {}, 2)).entries).toEqual(entries.slice(1));
    expect((await readAudit(folder, { outcome: 'PERMISSION_MISSING' }, 10)).entries).toEqual([entries[1]]);
    expect(files()).toEqual(['audit-0000000001.jsonl', 'keys-0000000001.jsonl', 'refused-0000000001.jsonl']);
  });

  it('after a torn line › are read', async () => {
    change('k1');
    appendFileSync(join(folder, 'keys-0000000001.jsonl'), '{"at":"2026-01-01T00:00:00.000Z","ca');
    change('k2');
    const { entries, unreadableCount } = await readAudit(folder, {}, 10);
    expect(entries.map(({ names }) => names[0])).toEqual(['k1', 'k2']);
    expect(unreadableCount).toBe(1);
  });

  it('reaching the limits › go on in another file, and the oldest is deleted', async () => {
    for (let at = 0; at < 60; at++) change(`k${at}`, undefined, { fileBytes: 1000, totalBytes: 3000 });
    const sizes = files().map((name) => statSync(join(folder, name)).size);
    expect(Math.max(...sizes)).toBeLessThan(1500);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(4500);
    const { entries } = await readAudit(folder, {}, 100);
    expect(entries.at(-1)).toMatchObject({ names: ['k59'], outcome: 'OK' });
    expect(files()[0]).not.toBe('keys-0000000001.jsonl');
  });

  it.each([
    ['a symbolic link', 'ELOOP', (target: string, path: string) => symlinkSync(target, path)],
    ['a hard link', 'without other links', (target: string, path: string) => linkSync(target, path)],
    ['a pipe', 'must be a regular file', (_: string, path: string) => execFileSync('mkfifo', [path])],
  ])('with %s for their file › are not made, and a file elsewhere stays as it is', (_, problem, put) => {
    const target = join(folder, 'elsewhere');
    writeFileSync(target, 'as before');
    const before = statSync(target);
    const audit = join(folder, 'audit');
    mkdirSync(audit);
    put(target, join(audit, 'keys-0000000001.jsonl'));
    let isMade = false;
    const make = () => {
      isMade = true;
    };
    const about = { identity: 'user:ops', method: 'mneme.cli.Keys/CreateKey', names: [] };
    expect(() => auditedKeyChange(audit, LIMITS, about, make)).toThrow(problem);
    expect(isMade).toBe(false);
    expect(readFileSync(target, 'utf8')).toBe('as before');
    expect(statSync(target).uid).toBe(before.uid);
  });

  it('without a folder that can be written to › are not made', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    let isMade = false;
    const make = () => {
      isMade = true;
    };
    const about = { identity: 'user:ops', method: 'mneme.cli.Keys/CreateKey', names: [] };
    expect(() => auditedKeyChange(file, LIMITS, about, make)).toThrow(
      'cannot be written to (EEXIST): no key was changed',
    );
    expect(isMade).toBe(false);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { freePort } from '../../support/free-port.ts';
import { LiveMneme } from '../support/live-mneme.ts';
import { runMneme } from '../support/run-mneme.ts';
import { serveMneme } from '../support/serve-mneme.ts';
import { REVISIONS, startMcpHost } from './support/mcp-host.ts';

describe.each(REVISIONS)('mneme mcp over stdio, revision %s', (revision) => {
  it('remembers and recalls with an embedded server, and logs on standard error only', async () => {
    const host = await startMcpHost(revision);
    try {
      expect(host.client.getNegotiatedProtocolVersion()).toBe(revision);
      const stored = await host.call('remember', { text: 'Caroline plays the cello.', speaker: 'Caroline' });
      expect(stored).toMatchObject({ isError: false, structured: { memories: [{ id: expect.any(String) }] } });
      const found = await host.call('recall', { text: 'Who plays the cello?' });
      expect(found.structured).toMatchObject({
        nothing_relevant: false,
        memories: [{ text: 'Caroline plays the cello.', speaker: 'Caroline', relevance: expect.any(Number) }],
      });
      expect(found.text).toMatch(/^1\. \[relevance 0\.\d\d\] Caroline plays the cello\.\n/);
      expect(host.said()).toMatch(/^mneme: serving at 127\.0\.0\.1:\d+ while this process runs$/m);
    } finally {
      await host.close();
    }
  });

  it('uses the server and the namespace that are named', async () => {
    const server = await serveMneme();
    const host = await startMcpHost(revision, ['--server', server.address, '--namespace', 'ada']);
    try {
      await host.call('remember', { text: 'The lock is jammed.' });
      const listed = await runMneme(['list', '--server', server.address, '--namespace', 'ada']);
      expect(listed.stdout).toContain('The lock is jammed.');
      expect(host.said()).toBe('');
    } finally {
      await host.close();
      await server.stop();
    }
  });
});

describe('mneme mcp without a server to use', () => {
  it('reports in an answer that the server is unreachable, and finds it once it answers', async () => {
    const port = await freePort();
    const host = await startMcpHost('2025-11-25', ['--server', `127.0.0.1:${port}`, '--timeout', '2s']);
    try {
      const lost = await host.call('recall', { text: 'x' });
      expect(lost.isError).toBe(true);
      expect(lost.text).toMatch(/^no server answers at 127\.0\.0\.1:\d+: connection refused\. Is it running\?/);
      const server = await serveMneme({ listen: `127.0.0.1:${port}` });
      try {
        let found = await host.call('recall', { text: 'x' });
        for (let attempt = 0; found.isError && attempt < 30; attempt++) {
          found = await host.call('recall', { text: 'x' });
        }
        expect(found.structured).toMatchObject({ nothing_relevant: true });
      } finally {
        await server.stop();
      }
    } finally {
      await host.close();
    }
  });

  it('reports that another server locks the data folder', async () => {
    const data = await mkdtemp(join(tmpdir(), 'mneme-mcp-'));
    const server = await serveMneme({ data });
    const { code, stdout, stderr } = await runMneme(['mcp', '--data', data]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /data folder \S+ is in use by another mneme.*; to share it, run "mneme serve" with that folder and name it with --server\n$/,
    );
    await server.stop();
    await rm(data, { recursive: true });
  });

  it('refuses --data with --server', async () => {
    const { code, stderr } = await runMneme(['mcp', '--data', 'x', '--server', '127.0.0.1:1']);
    expect([code, stderr]).toEqual([2, 'mneme: --data and --server exclude each other\n']);
  });
});

it('ends in order on SIGTERM, and when the host closes its side', async () => {
  const data = await mkdtemp(join(tmpdir(), 'mneme-mcp-'));
  const mneme = new LiveMneme(['mcp', '--data', data], {});
  await mneme.says(/serving at/);
  expect(await mneme.interrupt()).toBe(0);
  expect(await runMneme(['mcp', '--data', data])).toMatchObject({ code: 0, stdout: '' });
  await rm(data, { recursive: true });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { collect } from '../client/support/collect.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { PROGRAM } from './support/run-mneme.ts';
import { type ServedMneme, serveMneme } from './support/serve-mneme.ts';

let server: ServedMneme;
const folder = mkdtempSync(join(tmpdir(), 'mneme-chat-extract-'));
beforeAll(async () => {
  server = await serveMneme({ flags: ['--extractor', 'client', '--extraction-attempts', '1'] });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Reads a job and prints what the text of its first message says. */
const SCRIPT = `
let input = '';
process.stdin.on('data', (part) => (input += part)).on('end', () => {
  const { messages: [{ sequence, text }] } = JSON.parse(input);
  if (text === 'crash') process.exit(3);
  const [subject, attribute, value] = text.split(' ');
  const claim = { subject, attribute, value, validFrom: '2026-05-01', sources: [sequence] };
  console.log(text === 'bad' ? '{"claims":[{"subject":"x"}]}' : JSON.stringify({ claims: [claim] }));
});`;

it('extract › runs the command for each job, reports what it prints, and ends with a signal', async () => {
  const script = join(folder, 'extract.cjs');
  writeFileSync(script, SCRIPT);
  const mneme = connect(server.address, { ...PATIENT_CLIENT, namespace: 'by-command' });
  const say = (conversation: string, text: string) =>
    mneme.conversations.append(conversation, [{ role: 'user', text }]);
  await say('c', 'ada likes tea');
  const flags = ['--exec', `node ${script}`, '--name', 'mine', '--namespace', 'by-command'];
  const child = spawn(PROGRAM, ['chat', 'extract', ...flags], {
    env: { ...process.env, MNEME_SERVER: server.address },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  try {
    expect(await mneme.conversations.flush()).toMatchObject({ complete: true });
    expect(
      (await collect(mneme.facts.list())).map(({ value, validFrom }) => [value, validFrom?.toISOString()]),
    ).toEqual([['tea', '2026-05-01T00:00:00.000Z']]);
    await say('d', 'bad');
    expect(await mneme.conversations.flush()).toMatchObject({
      conversations: [{ state: 'failed', error: expect.stringContaining('claims[0] of the output must be an object') }],
    });
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
    await mneme.close();
  }
  expect(output).toBe(
    'c: 1 message, 1 claim, 0 notes\n' +
      'd: 1 message, failed: claims[0] of the output must be an object with sources, an array of sequence numbers\n',
  );
  expect(child.exitCode).toBe(0);
});

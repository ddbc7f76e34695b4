import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { newWebhookSecret, signatureHeaders } from '../../src/server/webhooks/webhook-signature.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/redis-cluster.ts';

const PAGE = new URL('../../docs/streams.md', import.meta.url);
const BODY = Buffer.from('{"changes":[{"kind":"CHANGE_KIND_STORED","name":"namespaces/n/memories/m"}]}');
const PROGRAMS = [
  ['python', ['python3', '-c']],
  ['js', ['node', '--input-type=module', '-e']],
] as const;

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
});

describe('receivers of webhooks in docs/streams.md', () => {
  it.each(PROGRAMS)('%s › takes what is signed, and nothing else', async (language, [program, ...args]) => {
    const page = await readFile(PAGE, 'utf8');
    const section = page.slice(page.indexOf('\n## Webhooks\n'));
    const [, code = ''] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section) ?? [];
    const secret = newWebhookSecret();
    const port = await freePort();
    const env = { ...process.env, SECRET: secret, PORT: String(port) };
    const child = spawn(program, [...args, code], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const post = async (headers: Record<string, string>) => {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: BODY });
      return answer.status;
    };
    const nowSeconds = Math.floor(Date.now() / 1000);
    const signed = (atSeconds: number, secrets: string[]) =>
      signatureHeaders({ id: 'msg_1', atSeconds, body: BODY }, secrets);
    const forged = signed(nowSeconds, [newWebhookSecret()]);
    await until('it listens', async () => (await post(forged).catch(() => 0)) === 401);
    expect(await post({ ...signed(nowSeconds, [secret]), 'webhook-id': 'msg_2' })).toBe(401);
    expect(await post(signed(nowSeconds - 3600, [secret]))).toBe(401);
    expect(output).toBe('');
    expect(await post(signed(nowSeconds, [newWebhookSecret(), secret]))).toBe(204);
    await until('it has printed the change', async () => output === 'CHANGE_KIND_STORED namespaces/n/memories/m\n');
  });
});

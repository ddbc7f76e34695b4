import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MessageLines, type RefusedMessage } from '../../../src/cli/mcp/message-lines.ts';
import { PROGRAM } from '../support/run-mneme.ts';
import { serveMneme } from '../support/serve-mneme.ts';

type Answer = { readonly id: unknown; readonly result?: unknown; readonly error?: { code: number; message: string } };

let server: Awaited<ReturnType<typeof serveMneme>>;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

function startMcp() {
  const child = spawn(PROGRAM, ['mcp', '--server', server.address], { stdio: ['pipe', 'pipe', 'pipe'] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line: string): Promise<Answer> => {
    child.stdin.write(`${line}\n`);
    return JSON.parse((await answers.next()).value as string) as Answer;
  };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const initialize = () => ask(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  return { child, ask, initialize };
}

describe('M3 messages on standard input that cannot be served', () => {
  it('are answered, and the connection goes on', async () => {
    const { child, ask, initialize } = startMcp();
    await initialize();
    const params = { name: 'remember', arguments: { text: 'wheat '.repeat(900_000) } };
    for (const message of [
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params },
      { method: 'tools/call', params, jsonrpc: '2.0', id: 'last-of-all' },
    ]) {
      const answer = await ask(JSON.stringify(message));
      expect(answer).toMatchObject({ id: message.id, error: { code: -32_600 } });
      expect(answer.error?.message).toMatch(/^the message must be at most 4194304 bytes, got 54\d{5}$/);
    }
    expect(await ask('{"jsonrpc":"2.0","id":8,"method":')).toMatchObject({ id: null, error: { code: -32_700 } });
    expect(await ask('[1]')).toMatchObject({ id: null, error: { code: -32_600 } });
    expect(await ask('{"id":9,"method":"ping"}')).toMatchObject({ id: 9, error: { code: -32_600 } });
    expect(await ask('{"jsonrpc":"2.0","id":10,"method":"ping"}\r')).toEqual({ jsonrpc: '2.0', id: 10, result: {} });
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('the process ends where nobody reads its output any more', async () => {
    const { child, initialize } = startMcp();
    await initialize();
    child.stdout.destroy();
    // The answers to these meet the closed pipe.
    for (let id = 1; id < 20; id++) child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
    const [code, signal] = await once(child, 'exit');
    expect([code, signal]).toEqual([0, null]);
  });
});

describe('lines of messages', () => {
  it('have the same outcome however they are cut into pieces', async () => {
    const long = `{"a":{"id":1,"t":"\\"id\\":2}"},"id":"\\u00e9\\"7","x":[{"id":3}],"pad":"${'x'.repeat(300)}"}`;
    const input = Buffer.from(
      `{"jsonrpc":"2.0","method":"a"}\n${long}\n\n  \n{"jsonrpc":"2.0","method":"ü"}\n{"jsonrpc"`,
    );
    for (let size = 1; size <= input.length; size++) {
      const refused: RefusedMessage[] = [];
      const lines = new MessageLines(200, (one) => refused.push(one));
      const source = new PassThrough();
      source.pipe(lines);
      for (let at = 0; at < input.length; at += size) source.write(input.subarray(at, at + size));
      source.end();
      const passed = Buffer.concat(await lines.toArray()).toString();
      expect(passed).toBe('{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"ü"}\n');
      expect(refused).toEqual([
        { id: 'é"7', code: -32_600, message: `the message must be at most 200 bytes, got ${Buffer.byteLength(long)}` },
      ]);
    }
  });
});

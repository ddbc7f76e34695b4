import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../src/server/logger.ts';

function logged(
  logFormat: 'auto' | 'json' | 'text',
  isTTY: boolean,
  write: (log: ReturnType<typeof createLogger>) => void,
) {
  const lines: string[] = [];
  write(createLogger({ logLevel: 'info', logFormat }, { write: (line: string) => lines.push(line), isTTY }));
  return lines;
}

describe('the log', () => {
  it('when memories, vectors or credentials are in an entry › they are not in the line', () => {
    const secret = 'hush';
    const [line] = logged('json', false, (log) =>
      log.info({
        authorization: secret,
        text: secret,
        memory: { text: secret, content: { data: secret }, embedding: [1, 2, 3] },
        metadata: { authorization: secret },
        vectors: [1, 2, 3],
        id: 'kept',
      }),
    );

    expect(line).not.toContain(secret);
    expect(line).not.toContain('[1,2,3]');
    expect(JSON.parse(line ?? '')).toMatchObject({ level: 'info', id: 'kept', text: '[redacted]' });
  });

  it('on a terminal, or when configured › it is text, otherwise JSON', () => {
    const write = (log: ReturnType<typeof createLogger>) =>
      log.child({ part: 'grpc' }).warn({ call: 'x-1' }, 'call ended');

    expect(logged('auto', true, write)[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN grpc: call ended call=x-1\n$/);
    expect(logged('text', false, write)[0]).toContain('WARN grpc: call ended');
    expect(JSON.parse(logged('auto', false, write)[0] ?? '')).toMatchObject({
      level: 'warn',
      part: 'grpc',
      call: 'x-1',
    });
    expect(JSON.parse(logged('json', true, write)[0] ?? '')).toMatchObject({ msg: 'call ended' });
  });

  it('when an entry has an error › the text has its stack', () => {
    const [line] = logged('text', false, (log) => log.error({ err: new Error('broken') }, 'call failed'));

    expect(line).toMatch(/ERROR call failed\nError: broken\n {4}at /);
  });

  it('an entry below the level › is not written', () => {
    expect(logged('json', false, (log) => log.debug('x'))).toEqual([]);
  });
});

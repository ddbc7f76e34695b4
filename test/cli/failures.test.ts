import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp } from '../client/support/clean-up.ts';
import { statusError, unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';
import { runMneme } from './support/run-mneme.ts';

afterEach(cleanUp);

describe('mneme › failures', () => {
  const failing = (code: number, message: string, details: object = {}) =>
    against({
      memory: {
        getMemory: unary(() => {
          throw statusError(code, message, details);
        }),
      },
    });

  it.each([
    [status.NOT_FOUND, 3],
    [status.UNAVAILABLE, 4],
    [status.DEADLINE_EXCEEDED, 4],
    [status.INVALID_ARGUMENT, 5],
    [status.ALREADY_EXISTS, 6],
    [status.ABORTED, 6],
    [status.FAILED_PRECONDITION, 6],
    [status.UNAUTHENTICATED, 7],
    [status.RESOURCE_EXHAUSTED, 8],
    [status.INTERNAL, 1],
  ])('status %i › exits with %i and one line on stderr', async (code, exitCode) => {
    const run = await failing(code, 'what happened');

    const { code: exit, stdout, stderr } = await run(['get', 'm1']);

    expect([exit, stdout]).toEqual([exitCode, '']);
    expect(stderr).toMatch(/^mneme: what happened[^\n]*\n$/);
  });

  it('a missing memory › gives advice', async () => {
    const run = await failing(status.NOT_FOUND, 'namespaces/default/memories/m1 does not exist or has expired', {
      reason: 'MEMORY_NOT_FOUND',
    });

    const { stderr } = await run(['get', 'm1']);

    expect(stderr).toBe(
      'mneme: namespaces/default/memories/m1 does not exist or has expired. "mneme list" shows the ids of stored memories.\n',
    );
  });

  it('no server › explains how to start one', async () => {
    const { code, stderr } = await runMneme(['get', 'm1', '--server', '127.0.0.1:1']);

    expect(code).toBe(4);
    expect(stderr).toBe(
      'mneme: no server answers at 127.0.0.1:1: connection refused. Is it running? ' +
        'Start it with "mneme serve --listen 127.0.0.1:1", or name another server with --server.\n',
    );
  });

  it('--json › reports the failure as JSON on stderr', async () => {
    const violations = [{ field: 'name', description: 'expected a resource name' }];
    const run = await failing(status.INVALID_ARGUMENT, 'name: expected a resource name', {
      reason: 'FIELD_INVALID',
      violations,
    });

    const { code, stdout, stderr } = await run(['get', 'm1', '--json']);

    expect([code, stdout]).toEqual([5, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'INVALID_ARGUMENT',
        reason: 'FIELD_INVALID',
        message: 'name: expected a resource name',
        metadata: {},
        violations,
        retryable: false,
      },
    });
  });

  it.each([
    [['import', '/nowhere/x.jsonl'], 1, '/nowhere/x.jsonl does not exist'],
    [['import', '/dev/null/x'], 1, '/dev/null/x cannot be used (ENOTDIR)'],
    [['list', '--server', 'http://localhost:5'], 2, '--server: leave out http://, such as --server localhost:5'],
    [
      ['list', '--server', 'https://mneme.test/'],
      2,
      '--server: leave out https://, such as --server mneme.test and add --tls',
    ],
    [['list', '--server', 'a/b'], 2, '--server: expected host:port, such as 127.0.0.1:50051, got "a/b"'],
    [['get', 'm1', '--tls-cert', 'x.pem'], 2, '--tls-cert and --tls-key: give both or neither'],
    [['get', 'm1', '--tls-ca', '/nowhere/ca.pem'], 1, '/nowhere/ca.pem does not exist'],
  ])('%j › exits with %i and says what is wrong', async (args, exitCode, sentence) => {
    const { code, stdout, stderr } = await runMneme(args);

    expect([code, stdout, stderr]).toEqual([exitCode, '', `mneme: ${sentence}\n`]);
  });
});

import { Metadata, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import * as errors from '../../clients/typescript/src/errors.ts';
import type { Mneme } from '../../clients/typescript/src/index.ts';
import { cleanUp, serve } from './support/clean-up.ts';
import { statusError, unary } from './support/start-service.ts';

afterEach(cleanUp);

async function failureOf(error: unknown): Promise<unknown> {
  const get = unary(() => {
    throw error;
  });
  const { mneme } = await serve({ memory: { getMemory: get } }, { retry: false });
  return mneme.get('m1').then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

describe('client errors › details', () => {
  it('bad input › names each field, the reason and its metadata', async () => {
    const error = await failureOf(
      statusError(status.INVALID_ARGUMENT, 'memory.text: too long', {
        reason: 'FIELD_INVALID',
        metadata: { limit: '65536' },
        violations: [{ field: 'memory.text', description: 'expected at most 65,536 bytes' }],
      }),
    );

    expect(error).toBeInstanceOf(errors.InvalidArgumentError);
    expect(error).toBeInstanceOf(errors.MnemeError);
    expect(error).toMatchObject({
      name: 'InvalidArgumentError',
      message: 'memory.text: too long',
      code: 'INVALID_ARGUMENT',
      reason: 'FIELD_INVALID',
      metadata: { limit: '65536' },
      violations: [{ field: 'memory.text', description: 'expected at most 65,536 bytes' }],
      retryable: false,
      retryDelayMs: undefined,
    });
  });

  it('a full queue › is retryable after the delay that the server asks for', async () => {
    const details = { reason: 'QUEUE_FULL', retryDelayMs: 250 };
    const error = await failureOf(statusError(status.RESOURCE_EXHAUSTED, 'queue full', details));

    expect(error).toMatchObject({ reason: 'QUEUE_FULL', retryable: true, retryDelayMs: 250 });
  });

  it('a full disk › is not retryable', async () => {
    const error = await failureOf(statusError(status.RESOURCE_EXHAUSTED, 'disk full', { reason: 'STORAGE_FULL' }));

    expect(error).toMatchObject({ reason: 'STORAGE_FULL', retryable: false });
  });

  it('a status without details › has its class and no reason', async () => {
    const error = await failureOf(statusError(status.NOT_FOUND, 'no such thing'));

    expect(error).toBeInstanceOf(errors.NotFoundError);
    expect(error).toMatchObject({ reason: undefined, metadata: {}, violations: [] });
  });

  it('damaged details › do not hide the status', async () => {
    const metadata = new Metadata();
    metadata.set('grpc-status-details-bin', Buffer.from([0xff, 0xff, 0xff]));

    const error = await failureOf({ code: status.ABORTED, details: 'etag', metadata });

    expect(error).toBeInstanceOf(errors.AbortedError);
    expect(error).toMatchObject({ reason: undefined, message: 'etag' });
  });
});

describe('client errors › classes', () => {
  it.each([
    [status.CANCELLED, errors.CancelledError],
    [status.UNKNOWN, errors.UnknownError],
    [status.INVALID_ARGUMENT, errors.InvalidArgumentError],
    [status.DEADLINE_EXCEEDED, errors.DeadlineExceededError],
    [status.NOT_FOUND, errors.NotFoundError],
    [status.ALREADY_EXISTS, errors.AlreadyExistsError],
    [status.PERMISSION_DENIED, errors.PermissionDeniedError],
    [status.RESOURCE_EXHAUSTED, errors.ResourceExhaustedError],
    [status.FAILED_PRECONDITION, errors.FailedPreconditionError],
    [status.ABORTED, errors.AbortedError],
    [status.OUT_OF_RANGE, errors.OutOfRangeError],
    [status.UNIMPLEMENTED, errors.UnimplementedError],
    [status.INTERNAL, errors.InternalError],
    [status.UNAVAILABLE, errors.UnavailableError],
    [status.DATA_LOSS, errors.DataLossError],
    [status.UNAUTHENTICATED, errors.UnauthenticatedError],
  ])('status %i › has its own class and name', async (code, Class) => {
    const error = await failureOf(statusError(code, 'why'));

    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({ code: status[code], name: Class.name });
    expect((error as Error).message).toMatch(/^why/);
  });
});

describe('client errors › whole numbers', () => {
  const calls: [field: string, call: (mneme: Mneme) => Promise<unknown>][] = [
    ['memory.step', (mneme) => mneme.store({ text: 'tea', step: 1.5 })],
    ['ifVersion', (mneme) => mneme.delete('m1', { ifVersion: 1.5 })],
    ['ifVersion', (mneme) => mneme.session('s').set('k', 1, { ifVersion: 2 ** 53 })],
    ['minRevision', (mneme) => mneme.get('m1', { minRevision: 0.1 })],
    ['steps[1]', (mneme) => mneme.getStatesAtSteps([1, 2.5])],
    ['nearTime.step', (mneme) => mneme.recall({ text: 'tea', nearTime: { step: 0.5, stepScale: 1 } })],
    ['tokensUsed', (mneme) => mneme.episodes.record({ task: 't', outcome: 'success', tokensUsed: 1e20 })],
    ['sequence', (mneme) => mneme.conversations.append('c', [{ role: 'user', text: 'hi', sequence: 0.5 }])],
  ];

  it.each(calls)('%s that is none › InvalidArgumentError with the field, and nothing is sent', async (field, call) => {
    const { mneme } = await serve({}, { retry: false });
    const error = await call(mneme).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(errors.InvalidArgumentError);
    expect(error).toMatchObject({ message: expect.stringContaining(`${field}: must be a whole number`) });
  });
});

import { readFileSync } from 'node:fs';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { ErrorReason } from '../../../../gen/ts/mneme/v1/error_reason.ts';
import { MnemeError } from '../../../../src/memory/errors.ts';
import { failureOf, RULES } from '../../../../src/server/grpc/edge/status.ts';
import { refusalOf } from '../support/ask.ts';

const PREFIX = 'ERROR_REASON_';
const proto = readFileSync(new URL('../../../../proto/mneme/v1/error_reason.proto', import.meta.url), 'utf8');

describe('the table of statuses', () => {
  it('when compared with the API › has every reason, with the status that is documented', () => {
    const documented = Object.keys(ErrorReason)
      .filter((name) => name.startsWith(PREFIX) && name !== `${PREFIX}UNSPECIFIED`)
      .map((name) => name.slice(PREFIX.length));

    expect(Object.keys(RULES).sort()).toEqual(documented.sort());
    for (const [reason, { code }] of Object.entries(RULES)) {
      const comment = new RegExp(`// ([A-Z_]+): (?:(?!\\n {2}ERROR)[\\s\\S])*\\n {2}${PREFIX}${reason} =`).exec(proto);
      expect([reason, comment?.[1]]).toEqual([reason, status[code]]);
    }
  });

  it('when an error is sent › details, message and metadata arrive unchanged', () => {
    const violations = [{ field: 'memory.text', description: 'must be short' }];
    const error = new MnemeError('QUEUE_FULL', 'wait', { metadata: { key: 'välue' }, violations });

    expect(refusalOf(failureOf(error, 'c'))).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      message: 'wait',
      reason: 'QUEUE_FULL',
      metadata: { key: 'välue' },
      fields: ['memory.text'],
      descriptions: ['must be short'],
      retryDelayMs: 100,
      requestId: 'c',
    });
  });

  it('when many violations are long › as many as fit are sent, starting with the first', () => {
    const violations = Array.from({ length: 40 }, (_, i) => ({ field: `f${i}`, description: 'ü'.repeat(200) }));
    const refused = refusalOf(failureOf(new MnemeError('FIELD_INVALID', 'x', { violations }), 'c'));

    expect(refused.fields[0]).toBe('f0');
    expect(refused.fields.length).toBeGreaterThan(2);
    expect(refused.trailerBytes).toBeLessThan(4096);
  });
});

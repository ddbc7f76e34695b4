import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as admin from '../../../../../gen/ts/mneme/v1/admin_service.ts';
import * as lifecycle from '../../../../../gen/ts/mneme/v1/lifecycle_service.ts';
import * as namespaces from '../../../../../gen/ts/mneme/v1/namespace_service.ts';
import * as session from '../../../../../gen/ts/mneme/v1/session.ts';
import * as subscriptions from '../../../../../gen/ts/mneme/v1/subscription_service.ts';
import { type Codec, decode, encode } from '../../../../../src/server/grpc/edge/codec.ts';

const messages: Readonly<Record<string, unknown>> = {
  ...admin,
  ...lifecycle,
  ...namespaces,
  ...session,
  ...subscriptions,
};

interface Message {
  fromPartial(object: object): object;
}

/** Every map of texts in the protos, as message and field. */
const fields = readdirSync('proto/mneme/v1').flatMap((file) => {
  let message = '';
  return readFileSync(`proto/mneme/v1/${file}`, 'utf8')
    .split('\n')
    .flatMap((line): [string, string][] => {
      message = /^message (\w+)/.exec(line)?.[1] ?? message;
      const [, field] = /^ +map<string, string> (\w+) =/.exec(line) ?? [];
      return field === undefined ? [] : [[message, field]];
    });
});

describe('a map field', () => {
  it('is found in the protos', () => expect(fields.length).toBeGreaterThan(10));

  it.each(fields)('%s.%s › keeps every key, including names of object properties', (name, field) => {
    const codec = messages[name] as Message & Codec<unknown>;
    const entries = ['__proto__', 'constructor', 'plain', '7'].map((key) => [key, key] as const);
    const provided = codec.fromPartial({ [field]: Object.fromEntries(entries) });
    const read = decode(codec, encode(codec, provided)) as Readonly<Record<string, object>>;

    const keys = (map: unknown) => Object.entries(map as object).toSorted();
    expect(keys(read[field])).toEqual(entries.toSorted());
  });
});

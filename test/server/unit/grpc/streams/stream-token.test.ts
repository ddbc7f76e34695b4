import { describe, expect, it } from '@jest/globals';
import { pageToken } from '../../../../../src/server/grpc/edge/page-token.ts';
import { placeIn, streamToken } from '../../../../../src/server/grpc/streams/watch-messages.ts';
import { because } from '../../../../storage/conformance/memory-store/store-of-test.ts';

const query = { method: 'Watch', request: () => Buffer.from('a request') };

describe('a resume token', () => {
  it.each([
    ['of one server', { log: 'l', revision: 7, epoch: '', origin: 0, term: 't' }],
    ['of servers over one Redis', { log: 'l', revision: 7, epoch: 'e', origin: 5, term: 't' }],
    ['before everything', { log: 'l', revision: 0, epoch: '', origin: 0, term: '' }],
  ])('%s › is the place that it was made of, for the same request only', (_, place) => {
    const token = streamToken(query, place);
    expect(placeIn(query, token)).toEqual(place);
    const other = { ...query, request: () => Buffer.from('another') };
    expect(() => placeIn(other, token)).toThrow(expect.objectContaining(because('RESUME_TOKEN_INVALID')));
  });

  it('from before there were terms › is a place whose term is not known', () => {
    const token = pageToken(query, { revision: 7, log: 'l' });
    expect(placeIn(query, token)).toEqual({ log: 'l', revision: 7, epoch: '', origin: 0, term: '' });
  });
});

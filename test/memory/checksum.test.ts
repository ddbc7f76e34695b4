import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../src/memory/checksum.ts';

const content = (mediaType: string, data: string) => ({ mediaType, data: Buffer.from(data) });

describe('checksumOf', () => {
  it('text alone and with content › SHA-256 over the parts behind their lengths in bytes', () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(checksumOf('é')).toBe(sha256('2:é'));
    expect(checksumOf('hi', content('text/plain', 'yo'))).toBe(sha256('2:hi10:text/plain2:yo'));
  });

  it('parts that run together to the same bytes › different sums', () => {
    const sums = [
      checksumOf('ab'),
      checksumOf('a', content('b/c', '')),
      checksumOf('a', content('b/', 'c')),
      checksumOf('', content('ab/c', '')),
      checksumOf('ab/c', content('', '')),
      checksumOf('ab/c'),
    ];
    expect(new Set(sums).size).toBe(sums.length);
  });
});

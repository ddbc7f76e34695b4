import { describe, expect, it } from '@jest/globals';
import { tokensIn } from '../../../../src/server/config/access.ts';
import { WatchedTokens } from '../../../../src/server/jobs/file-job.ts';

describe('tokens of a file that is edited', () => {
  const watched = () => new WatchedTokens(['a', 'b'], (text) => tokensIn('fixed', text));

  it('a token that is added › is admitted at the first look', () => {
    const tokens = new WatchedTokens(['fixed', 'a'], (text) => tokensIn('fixed', text));
    expect(tokens.look('a\n')).toBeUndefined();
    expect(tokens.look('a\nb\n')).toEqual(['fixed', 'a', 'b']);
    expect(tokens.look('a\nb\n')).toBeUndefined();
  });

  it('a token that is removed › is refused at the second look with the same text', () => {
    const tokens = watched();
    expect(tokens.look('a\nc')).toEqual(['a', 'b', 'fixed', 'c']);
    expect(tokens.look('a\nc')).toEqual(['fixed', 'a', 'c']);
  });

  it('a file that is written in parts › no token is refused in between', () => {
    const tokens = new WatchedTokens(['fixed', 'a', 'b'], (text) => tokensIn('fixed', text));
    for (const text of ['', 'a', 'a\nb\n', 'a\nb\n']) expect(tokens.look(text)).toBeUndefined();
  });

  it('a file that stays without a token › admits none of it', () => {
    const tokens = new WatchedTokens(['a'], (text) => tokensIn('', text));
    expect(tokens.look('\n')).toBeUndefined();
    expect(tokens.look('\n')).toEqual([]);
  });
});

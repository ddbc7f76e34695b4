import { expect, test } from '@jest/globals';
import { xmlText } from '../../../clients/typescript/src/quoting.ts';
import { xmlText as xmlTextOfContexts } from '../../../src/memory/context/escape.ts';
import { INJECTIONS } from '../../memory/context/injections.ts';

test.each(INJECTIONS)('T1: %j is quoted as in a context of the server', (text) => {
  expect(xmlText(text)).toBe(xmlTextOfContexts(text));
});

// Time that grows with the square of the length would be minutes here.
test.each(['\n', ' ', '[ ', '*', 'a_', 'tools', 'system\n', '-system ', '# '])(
  'T1: a text of 200,000 characters that repeats %j is quoted at once',
  (part) => {
    const repeated = part.repeat(200_000 / part.length);
    for (const text of [`x${repeated}x`, `[${repeated}x`, `[ a ${repeated}9 x]`, `system${repeated}x`]) {
      expect(xmlText(text)).toBe(text);
    }
  },
);

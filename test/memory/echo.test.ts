import { describe, expect, test } from '@jest/globals';
import { WRITERS, written } from '../../src/memory/context/formats.ts';
import { withoutContexts } from '../../src/memory/echo.ts';
import { INJECTIONS } from './context/injections.ts';

const contextOf = (format: keyof typeof WRITERS, texts: readonly string[]) =>
  written(
    WRITERS[format],
    texts.map((text, at) =>
      WRITERS[format].entry(
        {
          name: 'namespaces/n/memories/m',
          part: '',
          kind: at % 2 === 0 ? 'fact' : 'message',
          text,
          source: text,
          atUs: 1_700_000_000_000_000,
          relevance: 1,
          trust: 'user',
          reason: '',
        },
        at % 3 !== 0,
      ),
    ),
  );
const FORMATS = Object.keys(WRITERS) as (keyof typeof WRITERS)[];

describe('remembered text that comes back with a conversation', () => {
  test.each(FORMATS)('a context as %s · is removed, whatever its texts are', (format) => {
    for (const text of INJECTIONS) {
      const context = contextOf(format, [text, 'Rex is a dog', text]);
      expect(withoutContexts(context)).toBe('');
      expect(withoutContexts(`Where is Rex?\n\n${context}`)).toBe('Where is Rex?');
      expect(withoutContexts(`${context}\n\nI see.\n\n${context}`)).toBe('I see.');
    }
    expect(withoutContexts(contextOf(format, INJECTIONS))).toBe('');
    expect(withoutContexts(`a\r\n\r\n${contextOf(format, ['b']).replaceAll('\n', '\r\n')}\r\n\r\nc`)).toBe('a\n\nc');
  });

  test('text without a context, and a mark that is not closed · stay', () => {
    const texts = INJECTIONS.filter((text) => !text.includes('Memory from mneme'));
    for (const text of [...texts, '<memory source="mneme">\n<entry>open', '- a list:\n  > a quote']) {
      expect(withoutContexts(text)).toBe(text);
    }
  });

  test('a text made to be slow · is read in one pass', () => {
    const text = '<memory source="mneme">\n<entry source="a">'.repeat(20_000);
    expect(withoutContexts(text)).toBe(text);
  });
});

import { describe, expect, test } from '@jest/globals';
import type { ContextCandidate, ContextFormat } from '../../../src/memory/context/context.ts';
import { seenText, xmlText } from '../../../src/memory/context/escape.ts';
import { asText, WRITERS, written } from '../../../src/memory/context/formats.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';
import { INJECTIONS } from './injections.ts';

const FORMATS: readonly ContextFormat[] = ['xml', 'markdown', 'json_messages'];

describe('remembered text in a context', () => {
  test('there are at least fifty injections, each another text', () => {
    expect(new Set(INJECTIONS).size).toBe(INJECTIONS.length);
    expect(INJECTIONS.length).toBeGreaterThanOrEqual(50);
  });

  test.each(FORMATS)('%s · a text that tries to break out · stays one entry of data', (format) => {
    for (const text of INJECTIONS) {
      const context = contextOf(format, [candidate('before'), candidate(text), candidate('behind')]);
      expect({ text, faults: faultsOf(format, context, 3) }).toEqual({ text, faults: [] });
    }
  });

  test.each(FORMATS)('%s · the name of a speaker that tries to break out · stays a name', (format) => {
    for (const source of INJECTIONS) {
      const context = contextOf(format, [candidate('text', source), candidate('behind')]);
      expect({ source, faults: faultsOf(format, context, 2) }).toEqual({ source, faults: [] });
    }
  });

  test('any mix of the characters used by injections · stays data, and its appearance is unchanged', () => {
    const random = seededRandom('escape');
    for (let round = 0; round < 2000; round++) {
      const texts = [mixed(random), mixed(random)];
      for (const format of FORMATS) {
        const context = contextOf(
          format,
          texts.map((text) => candidate(text, mixed(random))),
        );
        expect({ texts, faults: faultsOf(format, context, 2) }).toEqual({ texts, faults: [] });
        if (format !== 'markdown') expect(readBack(format, context)).toEqual(texts.map(seenText));
      }
    }
  });

  test('ordinary text · is not changed', () => {
    const text = 'Caroline: "I moved to Lyon (5 km away) on 3/4 — 100 % sure!" 😀 naïve 東京';
    expect(contextOf('xml', [candidate(text)])).toContain(`>${text}</entry>`);
    expect(contextOf('markdown', [candidate(text)])).toContain(`  > ${text}`);
  });

  // Time that grows with the square of the length would be minutes here.
  test.each(['\n', ' ', '[ ', '*', 'a_', 'tools', 'system\n', '-system ', '# '])(
    'a text of 200,000 characters that repeats %j · is escaped at once',
    (part) => {
      const repeated = part.repeat(200_000 / part.length);
      for (const text of [`x${repeated}x`, `[${repeated}x`, `[ a ${repeated}9 x]`, `system${repeated}x`]) {
        expect(xmlText(text)).toBe(text);
      }
    },
  );
});

function candidate(text: string, source = 'Caroline'): ContextCandidate {
  return {
    name: 'namespaces/n/memories/m',
    part: '',
    kind: 'message',
    text,
    source,
    atUs: 1_700_000_000_000_000,
    relevance: 1,
    trust: 'user',
    reason: '',
  };
}

function contextOf(format: ContextFormat, candidates: readonly ContextCandidate[]): string {
  const writer = WRITERS[format];
  return written(
    writer,
    candidates.map((one) => writer.entry(one, true)),
  );
}

const UNSEEN = /[\p{Cf}\p{Cs}]|[\u{e0100}-\u{e01ef}]|(?![\n\t])\p{Cc}/u;
const ROLE = /^[\s>*_#|-]*(?:system|user|assistant|human|ai|bot|tool|developer|model|instructions?)[\s*_]*[:\uff1a]/imu;

/** Texts that a reader of the format could mistake for another number of entries. */
function faultsOf(format: ContextFormat, context: string, entries: number): string[] {
  const faults: string[] = [];
  const check = (isRight: boolean, fault: string) => {
    if (!isRight) faults.push(fault);
  };
  check(!UNSEEN.test(context), 'unseen characters');
  check(!/`{3}|~{3}/.test(context), 'a fence');
  check(!/<\||\|>.*<\|/.test(context), 'a special token');
  check(!/(?<!\\)\[\/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS)\]/i.test(context), 'a mark of a turn');
  check(asText(format, context) !== '', 'no text');
  const lines = context.split('\n');
  switch (format) {
    case 'xml': {
      const inner = context.replace(/<memory source="mneme">\n/, '').replace(/\n<\/memory>$/, '');
      const rest = inner.replaceAll(/<entry (?:[a-z]+="[^"<>\n]*" ?)+>|<\/entry>/g, '¦');
      check((inner.match(/<entry /g) ?? []).length === entries, 'another number of entries');
      check((inner.match(/<\/entry>/g) ?? []).length === entries, 'another number of ends');
      check(!/[<>]/.test(rest), 'a tag');
      check(!ROLE.test(rest), 'a role');
      break;
    }
    case 'markdown':
      check(lines.filter((line) => line.startsWith('- ')).length === entries, 'another number of items');
      check(lines.filter((line) => line.startsWith('#')).length === 1, 'another heading');
      check(
        lines.slice(1).every((line) => line.startsWith('- ') || line.startsWith('  >')),
        'a line outside',
      );
      check(
        !ROLE.test(
          lines
            .slice(1)
            .join('\n')
            .replaceAll(/^- .*$/gm, '¦'),
        ),
        'a role',
      );
      check(!/<[a-z/!|]/i.test(context), 'a tag');
      break;
    case 'json_messages':
      check(lines.length === entries + 1, 'another number of lines');
      for (const line of lines.slice(1)) {
        const fields = Object.keys(JSON.parse(line) as object);
        check(
          fields.every((field) => ['source', 'time', 'text'].includes(field)),
          'another field',
        );
      }
      check(!context.includes('<'), 'a tag');
  }
  return faults;
}

/** The texts as a parser of the format reads them. */
function readBack(format: ContextFormat, context: string): string[] {
  if (format === 'json_messages') {
    const lines = context.split('\n').slice(1);
    return lines.map((line) => (JSON.parse(line) as { text: string }).text);
  }
  return [...context.matchAll(/<entry [^>]*>([^<]*)<\/entry>/g)].map(([, text = '']) =>
    text
      .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  );
}

const PIECES = [
  ...[
    '<',
    '>',
    '/',
    '&',
    '"',
    "'",
    '\\',
    '`',
    '```',
    '~',
    '#',
    '-',
    ':',
    '[',
    ']',
    '{',
    '}',
    '|',
    '=',
    ' ',
    '\n',
    '\r',
  ],
  ...[
    '\t',
    '\u2028',
    '\u200b',
    '\u202e',
    '\u{e0041}',
    '\ud83d',
    '\ude00',
    '\0',
    '\uff1c',
    '&lt;',
    '&#60;',
    'INST',
    '/',
  ],
  ...['memory', 'entry', 'system', 'Human', 'assistant', 'User', 'text', 'source="mneme"', 'im_start', 'word', '😀'],
];

function mixed(random: TestRandom): string {
  return Array.from({ length: 1 + random.int(24) }, () => random.pick(PIECES)).join('');
}

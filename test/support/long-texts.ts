const WHO = [
  'The harbour master',
  'A young painter',
  'The old sailor',
  'My neighbour',
  'The ferry captain',
  'A tourist',
];
const DID = ['walked along the pier', 'mended a net', 'counted the gulls', 'asked for the way', 'waited for the tide'];
const WHEN = [
  'in the early morning',
  'after the rain',
  'on a quiet Sunday',
  'before the market opened',
  'late at night',
];
const WHY = ['because of the wind', 'without saying a word', 'as every year', 'to please the children', 'for an hour'];

/**
 * A tale of approximately that many characters in paragraphs of some sentences, that ends with a distinct paragraph.
 */
export function longText(length: number, lastParagraph: string): string {
  const paragraphs: string[] = [];
  let written = 0;
  for (let at = 0; written < length; at++) {
    const sentences = Array.from({ length: 3 + (at % 5) }, (_, i) => sentence(at * 7 + i * 3));
    const paragraph = sentences.join(' ');
    paragraphs.push(paragraph);
    written += paragraph.length + 2;
  }
  return [...paragraphs, lastParagraph].join('\n\n');
}

function sentence(at: number): string {
  const pick = (from: readonly string[], step: number) => from[Math.floor(at / step) % from.length] ?? '';
  return `${pick(WHO, 1)} ${pick(DID, 2)} ${pick(WHEN, 3)} ${pick(WHY, 5)}, and chapter ${at} went on.`;
}

/** Fifty of them by id, of everyday matters. */
export const SHORT_TEXTS: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 50 }, (_, at) => {
    const thing = ['bread', 'a lamp', 'two tickets', 'the blue paint', 'a bicycle pump'][at % 5] ?? '';
    return [`short${at}`, `${['Mia', 'Tom', 'Ada', 'Ben'][at % 4]} bought ${thing} for ${at + 3} euros.`];
  }),
);

/**
 * A phrase of a model in place of a computed sentence; `undefined` where it may say something else: it names a number or a
 * quotation that the sentence lacks, loses a quotation, generalizes, links to somewhere, or is far longer.
 */
export function acceptedPhrase(sentence: string, phrase: string): string | undefined {
  const text = phrase
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  if (text === '' || text.length > PHRASE_LENGTH_MAX || text.length > 2 * sentence.length + LENGTH_MARGIN)
    return undefined;
  const isKnown = (part: (of: string) => Set<string>) => isWithin(part(text), part(sentence));
  const keepsQuotations = isWithin(quotationsIn(sentence), quotationsIn(text));
  const says = [numbersIn, quotationsIn, quantifiersIn].every(isKnown);
  return says && keepsQuotations && !LINK.test(text) ? text : undefined;
}

const PHRASE_LENGTH_MAX = 1000;
const LENGTH_MARGIN = 80;
const LINK = /https?:|www\.|\]\(|<\w/i;
const NUMBER = /\d+(?:[.,:]\d+)*/g;
const QUOTATION = /“[^”]*”|"[^"]*"/g;
/** Words that claim more than counts do. */
const QUANTIFIERS = new Set(['always', 'never', 'every', 'all', 'none', 'only', 'guaranteed', 'proves', 'causes']);
const NUMBER_WORDS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'zero,,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,sixteen,seventeen,eighteen,nineteen,twenty'
      .split(',')
      .map((word, value) => [word, value]),
  ),
  ...{ thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90, hundred: 100, thousand: 1000 },
  ...{
    million: 1e6,
    dozen: 12,
    twice: 2,
    double: 2,
    doubled: 2,
    triple: 3,
    tripled: 3,
    half: 0.5,
    halves: 0.5,
    third: 1 / 3,
  },
  ...{ quarter: 0.25, quarters: 0.25, thirds: 1 / 3, tenfold: 10, twofold: 2, threefold: 3 },
};

/** Numbers in digits or words, by their value, outside of quotations. */
function numbersIn(text: string): Set<string> {
  const plain = text.replaceAll(QUOTATION, ' ');
  const digits = (plain.match(NUMBER) ?? []).map((number) => String(Number(number.replaceAll(',', '')) || number));
  const words = wordsIn(plain).flatMap((word) => {
    const value = Object.hasOwn(NUMBER_WORDS, word) ? NUMBER_WORDS[word] : undefined;
    return value === undefined ? [] : [String(value)];
  });
  return new Set([...digits, ...words]);
}

function quotationsIn(text: string): Set<string> {
  return new Set(text.match(QUOTATION) ?? []);
}

function quantifiersIn(text: string): Set<string> {
  return new Set(wordsIn(text.replaceAll(QUOTATION, ' ')).filter((word) => QUANTIFIERS.has(word)));
}

function isWithin(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  return [...some].every((one) => all.has(one));
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? [];
}

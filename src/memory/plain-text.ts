/** The first digits after those of ASCII are Arabic. */
const BEYOND_LATIN = /[\u0660-\uffff]/;
const OTHER_DIGIT = /[[\p{Nd}]--[0-9]]/gv;
const DIGIT = /\p{Nd}/u;
/** A separator between digits, as groups of thousands have it. */
const SEPARATED = /\d[,.'’٬，\u00a0\u2009\u202f ]\d/;
/**
 * 1,250 and 1,250,000.00, 1.250 and 1.250,50, 1'250, 1 250 with a narrow or unbreakable space, 12,50,000 of India. An
 * address such as 192.168.100.200 is no number.
 */
const GROUPED =
  /(?<![\p{L}\p{N}.,])(?!\d+\.\d+\.\d+\.\d)([1-9]\d{0,2}(?:(?:,\d{2,3})*,\d{3}|(?:\.\d{3})+|(?:['’٬，\u00a0\u2009\u202f]\d{3})+))(?:[.,٫](\d+))?(?![\p{L}\p{N}]|[.,]\d)/gu;
/** A plain space may also separate two numbers. */
const SPACED = /(?<![\p{L}\p{N}.,])(?<!\d )[1-9]\d{0,2}(?: \d{3})+(?![\p{L}\p{N}]|[ .,]\d)/gu;

const CLOCK = /\d(?: ?[ap]\.?m\b|h\d\d|:\d\d)/i;
/** 7:30 pm, 7 p.m., 12am. */
const HALF_DAYS = /(?<![\p{L}\p{N}.:,])(1[0-2]|0?[1-9])(?::([0-5]\d))?[ \u00a0\u202f]?([ap])(?:m\b|\.m\b\.?)/giu;
/** 09:30, 19h30. */
const CLOCK_24 = /(?<![\p{L}\p{N}.:,])(?:0(\d)|(\d{1,2}))[:h]([0-5]\d)(?![\p{L}\p{N}])/giu;

/** The text with times of the day as a clock of 24 hours shows them: `19:30`. */
function plainTimes(text: string): string {
  return text
    .replace(HALF_DAYS, (_, hour: string, minute: string = '00', half: string) => {
      return `${(Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)}:${minute}`;
    })
    .replace(CLOCK_24, (_, one: string, two: string, minute: string) => `${one ?? two}:${minute}`);
}

/**
 * The text with numbers in one form: digits of ASCII, no separators of thousands, no decimals that are all zero, times
 * of the day by 24 hours. Behind groups with plain spaces comes the same number without them.
 */
export function plainNumbers(text: string): string {
  const digits = BEYOND_LATIN.test(text) ? text.replace(OTHER_DIGIT, digitOf) : text;
  const plain = CLOCK.test(digits) ? plainTimes(digits) : digits;
  if (!SEPARATED.test(plain)) return plain;
  return plain
    .replace(GROUPED, (_, whole: string, decimals: string = '') => {
      const number = whole.replace(/\D/g, '');
      return /[1-9]/.test(decimals) ? `${number}.${decimals}` : number;
    })
    .replace(SPACED, (groups) => `${groups} ${groups.replaceAll(' ', '')}`);
}

/** Ten digits follow each other in every script, from a code point that ends in 0 or 6. */
function digitOf(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  const low = point & 0xf;
  return String(DIGIT.test(String.fromCodePoint(point - low)) ? low : low - 6);
}

/** Letters that have no decomposition in Unicode, each with what people type for it: a letter and its replacement. */
const LETTERS = new Map(
  `æae øo đd ðd ħh ıi ĸk łl ŋn œoe ŧt þth ßss ŉn ƀb ƃb ƈc ƌd ƒf ƙk ƚl ƞn ƥp ƫt ƭt ƴy ƶz ǝe ǥg ȡd ȥz ȴl ȵn ȶt ȷj ȼc ȿs ɀz ɇe
  ɉj ɋq ɍr ɏy ɓb ɔo ɖd ɗd əe ɛe ɠg ɡg ɣg ɦh ɨi ɩi ɫl ɬl ɭl ɱm ɲn ɳn ɵo ɽr ʂs ʃs ʈt ʉu ʊu ʋv ʐz ʑz ʒz ẜs ẝs ỿy ⱡl ⱥa ⱦt ⱨh
  ⱪk ⱬz ⱱv ⱳw ꝁk ꝑp ꝥth ꞌ ꞑn ꞓc ꞡg ꞣk ꞥn ꞧr ꞩs ʻ ʼ ʽ ʾ ʿ ʹ ـ ςσ ךכ םמ ןנ ףפ ץצ یي کك ىي`
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);
const LETTER = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g');

/** Replaces letters that have no decomposition: `łódź` becomes `lódź`. Of a text in lower case. */
export function plainLetters(lower: string): string {
  return lower.replace(LETTER, (letter) => LETTERS.get(letter) ?? letter);
}

/**
 * Marks on letters that readers may omit: accents, and vowels of Hebrew and Arabic. Marks of other scripts are letters
 * as good as any, and so are those that voice Japanese signs.
 */
const ACCENTS =
  /[[\p{Mn}&&[\p{sc=Inherited}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}]]--[\u3099\u309a]]/gv;

/** A word in lower case without accents. */
export function withoutAccents(lower: string): string {
  return plainLetters(lower.normalize('NFD').replace(ACCENTS, '').normalize('NFC'));
}

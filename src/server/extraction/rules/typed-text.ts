/** A full stop inside of a word, a number, a name or an abbreviation, which ends no sentence: "J.P. Morgan", "3.5". */
export const DOT = '\u2024';

/** A text with ordinary full stops. */
export function withFullStops(text: string): string {
  return text.replaceAll(DOT, '.');
}

/** Abbreviations with a full stop. */
const ABBREVIATION =
  /^(?:mr|mrs|ms|dr|prof|st|mt|ft|gen|sen|rep|gov|capt|lt|col|sgt|rev|hon|sr|jr|inc|ltd|corp|co|bros|llc|plc|dept|univ|vs|etc|approx|no|nr|vol|fig|est|ave|blvd|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|ph|e\.g|i\.e|\p{L}|\p{L}{1,3}(?:\.\p{L}{1,3})+)$/iu;
/** Abbreviations at the end of names: their full stop stays also at the end of a sentence. */
const ENDS_NAME = /^(?:inc|ltd|corp|co|bros|sr|jr|\p{L}{1,3}(?:\.\p{L}{1,3})+)$/iu;
/** Words that begin a sentence, and follow no abbreviation inside of one. */
const BEGINS_SENTENCE =
  /^\s+(?:i|i['’]?(?:m|ve|ll|d)|my|we|we['’](?:re|ve)|our|it|its|it['’]s|he|she|they|you|your|but|so|this|that|there|then|now|please|pls|also|what|how|can|could|do|from|always|never|call|thanks|the|yes|no|nice|moved|joined|left|started|got)\b/i;

/** Marks the full stops that end no sentence. */
export function withDots(text: string): string {
  return text.replaceAll(/\./g, (stop, at: number) => {
    const after = text.slice(at + 1, at + 24);
    // "in riga.i work": a sentence begins without a space.
    if (/^[\p{L}\d]/u.test(after)) return /^i(?:['’]?(?:m|ve)|d)?\s/i.test(after) ? '. ' : DOT;
    const [word = ''] = /[\p{L}.]{1,24}$/u.exec(text.slice(Math.max(0, at - 24), at)) ?? [];
    if (word === 'I' || word === 'i' || !ABBREVIATION.test(word)) return stop;
    const isEnd = /^["”’)]?\s*(?:$|\n)/.test(after) || BEGINS_SENTENCE.test(after);
    return isEnd ? (ENDS_NAME.test(word) ? `${DOT}${/^\s*$/.test(after) ? '' : '.'}` : stop) : DOT;
  });
}

/** What is typed on a phone, and what it stands for. */
const TYPED: readonly (readonly [RegExp, string])[] = [
  [/(?<=\p{L})’(?=(?:m|ve|re|d|ll|s|t)\b)/giu, "'"],
  [/(?<![\p{L}'-])i(?=['\s,.!?;:)]|$)/gu, 'I'],
  [/(?<![\p{L}'-])(?:im|Im|IM|i m)(?= )/gu, "I'm"],
  [/(?<![\p{L}'-])[Ii]ve(?= )/gu, "I've"],
  [/(?<![\p{L}'-])[Ii]ll(?= (?:be|go|have|take|move|start|get|do|let|always|never|probably)\b)/gu, "I'll"],
  [/(?<![\p{L}'-])[Ii]d(?= (?:rather|love|like|be|prefer|want|hate|never|go|say)\b)/gu, "I'd"],
  [/\b(do|does|did|is|was|are|have|has|had|would|could|should|ca|wo)nt\b/gi, "$1n't"],
  [/\b(you|they)re\b/gi, "$1're"],
  [/\bu\b(?!\.)/g, 'you'],
  [/\bur\b/gi, 'your'],
  [/\b(?:pls|plz)\b/gi, 'please'],
  [/\bgonna\b/gi, 'going to'],
  [/\bwanna\b/gi, 'want to'],
  [/\b(?:cuz|cos|bc)\b/gi, 'because'],
  [/\b(?:rn|atm)\b/gi, 'right now'],
  [/\b(?:tmrw|tmr)\b/gi, 'tomorrow'],
  [/\b(?:bday|b-day)(s?)\b/gi, 'birthday$1'],
  [/\b[Mm]y birthdays (?=(?:on|is)\b)/g, 'My birthday is '],
  [/\b[Mm]y birthday is is\b/g, 'My birthday is'],
  [/\b(?:fav|fave)\b/gi, 'favorite'],
  [/\bgf\b/gi, 'girlfriend'],
  [/\bbf\b/gi, 'boyfriend'],
  [/\byrs\b/gi, 'years'],
  [/\b[Mm]y names(?: is)?(?= )/g, 'My name is'],
  [/\b([Mm]y \p{L}+?)s name is\b/gu, "$1's name is"],
  [/\bany ?more\b/gi, 'anymore'],
  [/\s*\b(?:lol|lmao|lmfao|rofl|haha+|hehe+|tbh|ngl|imo|imho|fyi|omg|smh|xd|xx+|btw)\b(?=\W|$)/gi, ''],
  [/\s*(?:\p{Extended_Pictographic}\uFE0F?)+/gu, ''],
];

/** Words of a sentence whose subject "I" is left out. */
const ADVERBS = '(?:(?:just|finally|recently|actually|now|already|officially|also|still|really|currently|even) )*';
const PAST =
  'moved|relocated|turned(?= \\d)|joined|left|quit|started|stopped|sold|bought|traded|switched|adopted|became|graduated|got|gave up|resigned|dropped out|used to|no longer|went (?=vegan|vegetarian)';
const PRESENT =
  "work|live|love|hate|like|dislike|prefer|enjoy|speak|play|drive|use|eat|drink|study|can't stand|don't|do not|can't";
const STATES =
  'allergic to|not allergic to|no longer allergic to|majoring in|working (?:as|at|for)|living in|based in|originally from|married|divorced|engaged|retired|vegan|vegetarian|pescatarian|starting (?:as|at)|now (?:working|living|based)|(?:a )?(?:big|huge) fan of|not (?:a )?(?:big |huge )?fan of|not (?:a )?(?:big|huge) fan of|obsessed with|(?:going|planning|hoping) to';

const LEFT_OUT: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^(?=${ADVERBS}(?:${PAST})\\b)`, 'i'), 'I '],
  [
    /^(?=(?:really |also |still |just )*(?:love|hate|like|can't stand) (?!it\b|that\b|this\b|the\b|you\b|how\b|your\b)[a-z]+(?: [a-z]+)?\W*$)/i,
    'I ',
  ],
  [/^(?=(?:don't|do not|can't|no longer) (?:like|drink|eat|enjoy) )/i, 'I '],
  [/^(?=been (?:at|with|living|working) )/i, "I've "],
  [/^(?=born (?:and raised )?in )/i, 'I was '],
  [/^(?=deadline is )/i, 'The '],
  [/^(?=favou?rite [\w ]{2,20} (?:is|are) )/i, 'My '],
  [/^new (number|phone number|email|address|job|phone)\s*(?:is|:)\s*/i, 'My new $1 is '],
  [
    new RegExp(
      `^(?=${ADVERBS}(?:${STATES})(?![^.!?]* (?:is|was|are|has|would|will|makes?|feels?|sounds?|seems?|can)\\b))`,
      'i',
    ),
    "I'm ",
  ],
];
/** A verb or state after "and" or "but", without a subject of its own. */
const SHARED = new RegExp(
  `\\b(?:and|but|then) (?:(?=${ADVERBS}(?:${PAST}|${PRESENT})\\b)|(?=${ADVERBS}(?:${STATES})\\b))`,
  'gi',
);
/** Words before it of another subject, or of a verb that governs both. */
const GOVERNS_BOTH =
  /\b(?:used to|would|could|might|will|can|should|if|who|that|which|it|they|he|she|you|want|plan|hope|going|need|to|try|decided|let's)\b[^,]*$/i;
const STATE_BEGINS = new RegExp(`^${ADVERBS}(?:${STATES})\\b`, 'i');

/** A sentence as it would be written: abbreviations of chats in full, "I" where it is left out. */
export function asWritten(sentence: string): string {
  let text = sentence;
  for (const [typed, written] of TYPED) text = text.replaceAll(typed, written);
  return text.trim();
}

/** A sentence with "I" where it is left out: "moved to Riga", "I left Globex and joined Initech". */
export function withSubject(sentence: string): string {
  let text = sentence;
  for (const [left, subject] of LEFT_OUT) {
    const whole = text.replace(left, subject);
    if (whole === text) continue;
    text = whole;
    break;
  }
  return text.replaceAll(SHARED, (conjunction: string, at: number) => {
    const [, own] = /\bI\b(?!.*\bI\b)(.*)$/i.exec(text.slice(0, at)) ?? [];
    if (own === undefined || GOVERNS_BOTH.test(own)) return conjunction;
    const isState = STATE_BEGINS.test(text.slice(at + conjunction.length));
    return isState && !own.startsWith("'m") ? conjunction : `${conjunction}${isState ? "I'm " : 'I '}`;
  });
}

/** True of a message without capital letters where names begin with one, typed in haste: "i live in riga". */
export function isTyped(message: string): boolean {
  const words = message.replaceAll(/(?<![\p{L}'’-])I(?:['’](?:m|ve|ll|d))?(?![\p{L}])/gu, 'i');
  if (/(?<=[^\s.!?]["”’)]?\s+["“‘(]?)\p{Lu}/u.test(words)) return false;
  const isSloppy =
    /^\W*\p{Ll}/u.test(message) || /(?<![\p{L}'’])i(?:m|ve)?(?![\p{L}.])/u.test(message) || !/[.!?…]\W*$/.test(message);
  return isSloppy && message.length < 2_000;
}

import { phrase, type Rule, type RuleClaim } from './rule.ts';

/** A thing that is stated of: "our release", "the audit", or without an article at the beginning of a clause. */
const THING =
  "(?:^|[,;—–]\\s*|\\b(?:and|but|also|so)\\s+)(?:(?<article>[Oo]ur|[Mm]y|[Tt]he)\\s+)?(?<what>[\\p{L}\\d][\\p{L}\\d/’'-]*(?: [\\p{L}\\d/’'-]+){0,4}?)";
/** Words that name no thing by themselves, or nothing that is worth remembering. */
const NO_THING =
  /^(?:since|especially|after|before|because|while|once|considering|it|this|that|these|those|there|here|everything|everyone|something|nothing|all|both|which|what|who|i|we|you|he|she|they|one|some|most|each|if|when|as|in|on|at|for|to|from|with|so|then|now|let|by)\b|\b(?:i|we|you|he|she|they|is|are|was|were|be|been|has|have|had|will|can|do|does|did|that|which|who)\b|\b(?:code|tests?|scripts?|files?|functions?|commands?|links?|pages?|work|things?|days?|weeks?|years?|time|answer|problem|question|way|rest)$/i;

const STATE =
  'done|live|complete|completed|finished|approved|rejected|shipped|launched|released|cancelled|canceled|pending|delayed|accepted|published|signed|on hold|in beta|in review|in production|up and running';
const BE = '(?:is|are|was|were|got|has been|have been|just got)(?: (?:still|now|finally|already|just|also))*';

const NUMBER = '[$€£]?\\d(?:[\\p{L}\\d%,.]*[\\p{L}\\d%])?';
const ABOUT = '(?:about |around |roughly |nearly |almost |over |only |just )?';
const MOVED =
  '(?:dropped|went|rose|grew|jumped|fell|increased|decreased|improved|climbed|shrank|(?:is|are) (?:now )?(?:down|up))(?: (?:down|up))?(?: from [^.!?]{1,24}?)? to';
/** Nouns of counts that hold for a moment only. */
const PASSING =
  /\b(?:questions?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|options?|problems?|issues?|things?|ideas?|errors?|meetings?|choices?|reasons?|points?|left)\b/i;

const AMOUNT = new RegExp(`^${NUMBER}`, 'u');

/** The words right after a number that belong to it. */
function ofNumber(rest: string): string {
  const words = /^\s/.test(rest) ? phrase(rest.trimStart(), 5) : '';
  return words === '' ? '' : ` ${words}`;
}

function level(what: string, value: string, verb: string): RuleClaim[] {
  // A comma in a number ends no clause.
  const [number = ''] = AMOUNT.exec(value) ?? [];
  const found = `${number}${number === '' ? '' : ofNumber(value.slice(number.length))}`;
  if (found === '' || NO_THING.test(what)) return [];
  return [
    {
      subject: subjectOf(what),
      attribute: 'level',
      value: found,
      text: `${sentenceStart(what)} ${verb} ${found}.`,
      confidence: 0.75,
    },
  ];
}

/** A word of a state. */
const STATED = new RegExp(`\\b(?:${STATE}|went live)\\b`);
const DIGIT = /\d/;

/** States of things and numbers that change: a newer one of the same thing replaces the one before. */
export const STATE_RULES: readonly Rule[] = [
  {
    cue: STATED,
    pattern: new RegExp(`${THING}(?: for [^.!?,]{2,40}?)? ${BE} (?<state>${STATE})\\b`, 'gu'),
    claims: (part) => status(part('what'), part('state')),
  },
  {
    cue: STATED,
    pattern:
      /^(?:(?:[Oo]ur|[Mm]y|[Tt]he) )?(?<what>[\p{L}\d/-]+(?: [\p{L}\d/-]+){0,3}?) (?<state>shipped|launched|went live)(?=\W*$)/gu,
    claims: (part) => status(part('what'), part('state') === 'went live' ? 'live' : part('state')),
  },
  {
    cue: DIGIT,
    pattern: new RegExp(
      `${THING} (?:hit|reached|${MOVED}|(?:is|are)(?: now| still| currently)* at) ${ABOUT}(?<value>${NUMBER}[^.!?]*)`,
      'gu',
    ),
    claims: (part) => level(part('what'), part('value'), 'is at'),
  },
  {
    cue: DIGIT,
    pattern: new RegExp(
      `${THING} takes? ${ABOUT}(?<value>${NUMBER} (?:seconds|minutes|hours|days|weeks|months|years)[^.!?]*)`,
      'gu',
    ),
    claims: (part) => {
      const value = phrase(part('value'), 4).replace(/ (?:to|on|for|per|in)\b.*$/, '');
      const what = part('what');
      if (value === '' || NO_THING.test(what)) return [];
      return [
        {
          subject: subjectOf(what),
          attribute: 'takes',
          value,
          text: `${sentenceStart(what)} takes ${value}.`,
          confidence: 0.75,
        },
      ];
    },
  },
  {
    cue: DIGIT,
    pattern: new RegExp(
      `\\b(?:I|[Ww]e)(?:'m|’m| am|'re|’re| are)(?: now| currently| already)* (?:at|up to|down to) ${ABOUT}(?<value>${NUMBER} ?[\\p{L}%][^.!?]*)`,
      'gu',
    ),
    claims: (part) => {
      const value = phrase(part('value'), 6);
      if (value === '' || PASSING.test(value) || /^\d+ (?:people|[ap]m)\b/.test(value)) return [];
      return [{ attribute: 'level', value, text: `{name} is at ${value}.`, confidence: 0.75 }];
    },
  },
  {
    cue: DIGIT,
    pattern: new RegExp(
      `\\b(?:I|[Ww]e)(?:'ve got|’ve got| have| now have| currently have)(?: an? [^.!?,;]{2,25}? with)? ${ABOUT}(?<count>\\d[\\d,.]*[KkMm]?\\+?) (?<what>[\\p{L}-]+(?: [\\p{L}-]+){0,3})`,
      'gu',
    ),
    claims: (part) => {
      const what = phrase(part('what'), 4).replace(
        / (?:and|or|in|on|at|of|for|to|from|with|so|that|who|which)\b.*$/,
        '',
      );
      if (what === '' || PASSING.test(what) || /^(?:so|of|more|in|on|and|to|or|a)\b/.test(what)) return [];
      const value = `${part('count')} ${what}`;
      return [{ attribute: `number of ${what}`, value, text: `{name} has ${value}.`, confidence: 0.75 }];
    },
  },
];

/** "Soil survey" at the beginning of a sentence is the soil survey. */
function subjectOf(what: string): string {
  return what.replace(/^\p{Lu}(?=\p{Ll}+ )/u, (letter) => letter.toLowerCase());
}

function sentenceStart(what: string): string {
  return /^\p{Lu}/u.test(what) ? what : `The ${what}`;
}

function status(what: string, state: string): RuleClaim[] {
  if (NO_THING.test(what)) return [];
  return [
    {
      subject: subjectOf(what),
      attribute: 'status',
      value: state,
      text: `${sentenceStart(what)} is ${state}.`,
      confidence: 0.75,
    },
  ];
}

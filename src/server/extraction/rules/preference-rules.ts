import type { Micros } from '../../../memory/memory.ts';
import { timesNamedIn } from '../../../memory/time/time-expressions.ts';
import { I_OR_WE, named, type Rule, type RuleClaim, TO_END } from './rule.ts';

const THIRD: Readonly<Record<string, string>> = {
  prefer: 'prefers',
  love: 'loves',
  like: 'likes',
  enjoy: 'enjoys',
  hate: 'hates',
  dislike: 'dislikes',
  adore: 'loves',
  despise: 'dislikes',
  loathe: 'dislikes',
  detest: 'dislikes',
  "can't stand": 'dislikes',
  "can't bear": 'dislikes',
  "don't like": 'dislikes',
  'do not like': 'dislikes',
  "don't enjoy": 'dislikes',
  "don't love": 'dislikes',
  "don't care for": 'dislikes',
};

const MONTH =
  '(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\.?';
const WEEKDAY = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)';
const DATE = `(?:${MONTH} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?|\\d{1,2}(?:st|nd|rd|th)? (?:of )?${MONTH}(?:,? \\d{4})?|\\d{4}-\\d\\d-\\d\\d|(?:next|this) (?:${WEEKDAY}|week|month)|tomorrow|${WEEKDAY})`;
/** Cue of `DATE`. */
const DATED = /\d|day|week|month|tomorrow/i;

export const PREFERENCE_RULES: readonly Rule[] = [
  {
    readsNegation: true,
    pattern: new RegExp(
      `${I_OR_WE} (?:(?:come|came|grown|grew|learned|learnt|started|begun|began) to )?(?<verb>${Object.keys(THIRD).join('|').replaceAll("don't ", "don't (?:really |actually |even |particularly )?")}) (?:it )?(?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      if (part('who') !== 'I') return [];
      const rest = part('rest')
        .replace(/^(?:it )?when you give me /, '')
        .replace(/^when (?=code examples)/, '');
      const value = named(rest, 12);
      if (value === '' || /^(?:how|what|when|being able|your|when|where|to (?:know|see|hear|think))\b/.test(value))
        return [];
      // "I love the view" is of the moment.
      if (/^(?:love|like)$/.test(part('verb')) && /^(?:the|all the|this|that|these|those)\b/.test(value)) return [];
      if (/\byou\b|\bso much$/.test(value)) return [];
      const verb = THIRD[part('verb').replace(/(?<=don't )(?:really|actually|even|particularly) /, '')] ?? part('verb');
      return [{ attribute: verb, value, text: `{name} ${verb} ${value}.`, confidence: 0.8 }];
    },
  },
  {
    readsNegation: true,
    pattern: new RegExp(
      `\\bI(?:'m| am) (?:really |just |still |honestly )*(?:not (?:really )?(?:(?:a )?(?:(?:big|huge) )?fan of|into|keen on|fond of)|sick of|no fan of) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest'), 6);
      return value === '' || /^(?:your|being)\b/.test(value)
        ? []
        : [{ attribute: 'dislikes', value, text: `{name} dislikes ${value}.`, confidence: 0.8 }];
    },
  },
  {
    pattern: new RegExp(`\\bI(?:'d| would) rather (?:have |drink |eat |use |take )(?<rest>${TO_END})`, 'g'),
    claims: (part) => {
      const value = named(part('rest').replace(/ (?:than|instead of|over) .*$/, ''), 6);
      return value === '' ? [] : [{ attribute: 'prefers', value, text: `{name} prefers ${value}.`, confidence: 0.75 }];
    },
  },
  {
    pattern: new RegExp(String.raw`\bI (?:usually|always|generally|typically) (?:need|want) (?<rest>${TO_END})`, 'g'),
    claims: (part) => {
      const value = named(part('rest'), 8);
      return value === '' ? [] : [{ attribute: 'prefers', value, text: `{name} prefers ${value}.`, confidence: 0.75 }];
    },
  },
  {
    cue: DATED,
    pattern: new RegExp(
      `\\b(?:the|our|my) (?<what>[\\w -]{2,30}?) (?:is|was|got|has been|is now)(?: (?:pushed|moved|rescheduled|postponed|delayed|brought forward))(?: back)? (?:to|until|for) (?<date>${DATE})`,
      'gi',
    ),
    claims: (part, { saidAtUs }) => dated(part('what'), 'date', part('date'), saidAtUs, 'was moved to'),
  },
  {
    cue: DATED,
    pattern: new RegExp(
      `\\b(?:I|we|We)(?:'ve| have)? (?:got )?(?:have )?an? (?<what>[\\w -]{2,40}?) (?:scheduled |coming up )?(?:on|for) (?<date>${DATE})`,
      'g',
    ),
    claims: (part, { saidAtUs }) => dated(part('what'), 'date', part('date'), saidAtUs, 'is on'),
  },
  {
    cue: DATED,
    pattern: new RegExp(
      `\\b(?:my|our|the) (?<what>[\\w -]{2,30}?) (?:is|will be)(?: scheduled| set| due)? (?:on|for) (?<date>${DATE})`,
      'gi',
    ),
    claims: (part, { saidAtUs }) => dated(part('what'), 'date', part('date'), saidAtUs, 'is on'),
  },
  {
    cue: /deadline/i,
    pattern: new RegExp(
      `\\b(?:my|our|the) (?<what>[\\w -]{2,30}? )?deadline (?:is|of|is on|is now|for) (?<date>${DATE})`,
      'gi',
    ),
    claims: (part, { saidAtUs }) =>
      dated(part('what').trim() || 'work', 'deadline', part('date'), saidAtUs, 'has the deadline'),
  },
  {
    cue: DATED,
    pattern: new RegExp(
      `\\b(?:[Mm]y birthday is (?:on )?(?:the )?|I was born (?:on )?(?:the )?)(?<date>${DATE})`,
      'gi',
    ),
    claims: (part) => [
      { attribute: 'birthday', value: part('date'), text: `{name}’s birthday is ${part('date')}.`, confidence: 0.9 },
    ],
  },
  {
    cue: DATED,
    pattern: new RegExp(
      `\\bI(?:'ll| will|'m going to)? start(?:ing)? (?:my (?:new )?job |work )?(?:on )?(?<date>${DATE})`,
      'g',
    ),
    claims: (part, { saidAtUs }) => [
      {
        attribute: 'start_date',
        value: dateText(part('date'), saidAtUs),
        text: `{name} starts ${dateText(part('date'), saidAtUs)}.`,
        confidence: 0.8,
      },
    ],
  },
];

function dated(what: string, attribute: string, date: string, saidAtUs: Micros, verb: string): RuleClaim[] {
  if (/^(?:new )?birthday$/i.test(what)) return [];
  const subject = what.replace(/^(?:big|important|really|very|new|upcoming) /, '').trim();
  if (subject === '' || /^(?:it|lot|few|couple|one)$/i.test(subject)) return [];
  const value = dateText(date, saidAtUs);
  return [{ subject, attribute, value, text: `The ${subject} ${verb} ${value}.`, confidence: 0.8 }];
}

/** A date with its day, where it is relative to the time of the message. */
function dateText(date: string, saidAtUs: Micros): string {
  if (/\d/.test(date)) return date;
  const spans = timesNamedIn(/^[A-Z]/.test(date) ? `next ${date}` : date, saidAtUs);
  const span = spans.find(({ untilUs }) => untilUs > saidAtUs);
  return span ? `${date} (${new Date(span.fromUs / 1000).toISOString().slice(0, 10)})` : date;
}

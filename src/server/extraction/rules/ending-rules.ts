import { ADVERBS, named, OFTEN, type Rule, type RuleClaim, TO_END } from './rule.ts';

/** Verbs of what lasts: base, gerund, and the attributes that have their objects. */
const LASTING: readonly (readonly [string, string, readonly string[]])[] = [
  ['like', 'liking', ['likes', 'loves', 'enjoys']],
  ['love', 'loving', ['loves', 'likes', 'enjoys']],
  ['enjoy', 'enjoying', ['enjoys', 'likes', 'loves']],
  ['prefer', 'preferring', ['prefers']],
  ['want', 'wanting', ['prefers']],
  ['hate', 'hating', ['dislikes', 'hates']],
  ['dislike', 'disliking', ['dislikes', 'hates']],
  ['mind', 'minding', ['dislikes', 'hates']],
  ['avoid', 'avoiding', ['avoids']],
  ['use', 'using', ['uses']],
  ['drink', 'drinking', ['drinks']],
  ['eat', 'eating', ['eats']],
  ['play', 'playing', ['plays']],
  ['speak', 'speaking', ['speaks']],
  ['drive', 'driving', ['drives', 'car']],
  ['ride', 'riding', ['drives', 'bike']],
  ['own', 'owning', ['owns', 'has', 'drives', 'car']],
  ['have', 'having', ['has', 'owns', 'drives', 'health', 'allergy', 'car']],
  ['wear', 'wearing', ['wears']],
  ['take', 'taking', ['takes']],
  ['collect', 'collecting', ['collects']],
  ['grow', 'growing', ['grows']],
  ['coach', 'coaching', ['coaches', 'coach']],
  ['teach', 'teaching', ['teach', 'teaches']],
  ['learn', 'learning', ['learning']],
  ['study', 'studying', ['studies', 'study', 'learning', 'major']],
  ['practise', 'practising', ['practising']],
  ['practice', 'practicing', ['practicing']],
  ['manage', 'managing', ['manage', 'managing']],
  ['lead', 'leading', ['lead', 'leading']],
  ['run', 'running', ['run', 'running']],
  ['maintain', 'maintaining', ['maintain']],
  ['work on', 'working on', ['work_on', 'working_on']],
  ['volunteer at', 'volunteering at', ['volunteer_at']],
  ['subscribe to', 'subscribing to', ['subscribes_to']],
  ['suffer from', 'suffering from', ['suffers_from', 'health']],
  ['build', 'building', ['building']],
  ['write', 'writing', ['writing']],
];
const BY_VERB = new Map(
  LASTING.flatMap(([base, gerund, attributes]) => [[base, attributes] as const, [gerund, attributes] as const]),
);

/** Attributes that a thing or an activity may be a value of. */
const OF_THINGS = [
  'has',
  'owns',
  'drives',
  'car',
  'bike',
  'phone_model',
  'laptop',
  'subscribes_to',
  'run',
  'running',
  'business',
  'company',
  'shop',
  'store',
  'boat',
  'camera',
  'guitar',
];
const OF_ACTIVITIES = [
  'plays',
  'learning',
  'studies',
  'study',
  'uses',
  'drinks',
  'eats',
  'takes',
  'collects',
  'practising',
  'practicing',
];

const BASES = LASTING.map(([base]) => base).join('|');
const GERUNDS = LASTING.map(([, gerund]) => gerund).join('|');
const HAVE = "(?:'ve| have)";
const DIETS = '(?:an? )?(?:strict )?(?<diet>vegetarian|vegan|pescatarian|gluten[- ]free|lactose intolerant)';

function ended(attribute: string, value: string): RuleClaim {
  return { attribute, value, confidence: 0.8, retracts: true };
}

function endedOf(attributes: readonly string[], text: string): RuleClaim[] {
  const value = named(text, 7).replace(/^(?:my|the|any|our|that|much) /, '');
  return value === '' ? [] : attributes.map((attribute) => ended(attribute, value));
}

/** "running home" may come of "run home", and "cycling" of "cycle". */
function basesOf(what: string): string[] {
  const [, stem, rest = ''] = /^([a-z]+)ing\b(.*)$/.exec(what) ?? [];
  if (stem === undefined) return [what];
  return [stem, `${stem}e`, stem.replace(/([a-z])\1$/, '$1')].map((base) => `${base}${rest}`);
}

/** What was so and is so no more, in any attribute of several values; the end of a value that never held has no effect. */
export const ENDING_RULES: readonly Rule[] = [
  {
    readsNegation: true,
    cue: /\b(?:no longer|don't|do not|doesn't|used to|not|never)\b/,
    pattern: new RegExp(
      `\\bI(?:'m| am)? ${ADVERBS}(?:no longer|don't|do not|used to|not) ${ADVERBS}(?<verb>${BASES}|${GERUNDS}) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => endedOf(BY_VERB.get(part('verb')) ?? [], part('rest')),
  },
  {
    readsNegation: true,
    cue: /\b(?:stopped|quit|gave up|given up|done|finished|over)\b/,
    pattern: new RegExp(
      `\\bI(?:${HAVE}|'m| am)? ${ADVERBS}(?:stopped|quit|gave up|given up|done|finished|gotten over|got tired of) (?<verb>${GERUNDS}) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => endedOf(BY_VERB.get(part('verb')) ?? [], part('rest')),
  },
  {
    readsNegation: true,
    pattern: new RegExp(
      `\\b(?:I|[Ww]e)(?:${HAVE})? ${ADVERBS}(?<how>gave up|given up|quit|stopped|dropped|ditched|cancelled|canceled|sold|gave away|got rid of|returned|traded in|no longer (?:have|own)) (?:on )?(?:(?:my|the|our) )?(?<rest>(?!my\\b)${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const isOfThings = /^(?:sold|gave away|got rid|returned|traded|no longer)/.test(part('how'));
      const text = part('rest').replace(/ (?:for|to|on|subscription|membership)\b.*$/, '');
      return endedOf(isOfThings ? OF_THINGS : [...OF_ACTIVITIES, ...OF_THINGS], text);
    },
  },
  {
    pattern: new RegExp(
      `\\bI(?:${HAVE})? ${ADVERBS}(?:traded|swapped|exchanged)(?: in)? (?:my|the) (?<from>[^.!?,]{2,30}?) for (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest'), 5);
      if (value === '') return [];
      return [
        ...endedOf(OF_THINGS, part('from')),
        { attribute: 'has', value, text: `{name} has ${value}.`, confidence: 0.8 },
      ];
    },
  },
  {
    readsNegation: true,
    pattern: new RegExp(
      `\\bI(?:(?:'m| am) ${ADVERBS}(?:not|no longer)| ${ADVERBS}used to be) (?:really |very )?(?:into|obsessed with|fond of|keen on|passionate about|(?:a )?(?:(?:big|huge) )?fan of) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => endedOf(['likes', 'loves', 'enjoys'], part('rest')),
  },
  {
    readsNegation: true,
    cue: new RegExp(OFTEN),
    pattern: new RegExp(
      `\\bI(?:${HAVE})? ${ADVERBS}(?:no longer|don't|do not|used to|stopped|quit|gave up) (?<what>[a-z]+(?: [^.!?,;]{1,40}?)?) (?<often>${OFTEN})`,
      'g',
    ),
    claims: (part) => basesOf(part('what')).map((what) => ended('habit', `${what} ${part('often')}`)),
  },
  {
    readsNegation: true,
    cue: /allergic/,
    pattern: new RegExp(
      `\\bI(?:(?:'m| am) ${ADVERBS}(?:not|no longer)|${HAVE}? ?${ADVERBS}(?:used to be|stopped being)) ${ADVERBS}allergic to (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => endedOf(['allergy'], part('rest')),
  },
  {
    readsNegation: true,
    pattern: new RegExp(
      `\\bI(?:(?:'m| am) ${ADVERBS}(?:no longer|not)|(?:${HAVE})? ${ADVERBS}(?:stopped being|quit being|gave up being|used to be|am done being)) ${ADVERBS}${DIETS}\\b`,
      'g',
    ),
    claims: (part) => [ended('diet', part('diet'))],
  },
  {
    cue: /\b(?:meat|fish)\b/,
    pattern: new RegExp(
      `\\bI(?:${HAVE}|'m| am)? ${ADVERBS}(?:eat|eating|started eating|went back to eating) meat\\b`,
      'g',
    ),
    claims: () => ['vegetarian', 'vegan', 'pescatarian'].map((diet) => ended('diet', diet)),
  },
  {
    readsNegation: true,
    pattern: new RegExp(
      `\\bI(?:'m| am) ${ADVERBS}(?:no longer|not) ${ADVERBS}(?<state>married|single|engaged|divorced)\\b`,
      'g',
    ),
    claims: (part) => [ended('marital_status', part('state'))],
  },
  {
    cue: /\b(?:broke up|split up|broken up|dumped|left me)\b/,
    pattern:
      /\b(?:(?:I|[Ww]e|[Mm]e and \w+|\w+ and I)(?:'ve| have)? (?:just |recently |finally )?(?:broke up|broken up|split up)|I (?:just )?dumped|[Mm]y (?:girlfriend|boyfriend|partner) (?:broke up|left me|dumped me))\b/g,
    claims: () => ['girlfriend', 'boyfriend', 'partner', 'fiancé', 'fiancée'].map((attribute) => ended(attribute, '')),
  },
  {
    readsNegation: true,
    pattern:
      /\bI (?:don't|do not|no longer) have (?:a|my) (?<who>girlfriend|boyfriend|partner|dog|cat|boss|manager|car|phone|laptop|landlord|roommate|flatmate)\b/g,
    claims: (part) => [ended(part('who'), ''), ended('has', part('who'))],
  },
];

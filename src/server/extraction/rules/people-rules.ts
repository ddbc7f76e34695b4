import { NAME } from './names.ts';
import { named, type Rule, type RuleClaim, type RuleContext, relationClaim, TO_END } from './rule.ts';

const RELATIONS =
  'wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|child|baby|dog|cat|brother|sister|mother|father|mom|mum|dad|grandmother|grandfather|grandma|grandpa|aunt|uncle|cousin|niece|nephew|boss|manager|advisor|supervisor|mentor|best friend|roommate|flatmate|neighbou?r|colleague|team lead|tech lead|teacher|doctor|landlord|CEO|CTO|CFO|co-founder';
const WHOSE = `\\b(?:[Mm]y|[Oo]ur) (?:(?:older|younger|little|elder|eldest|youngest|oldest) )?(?<relation>${RELATIONS})`;

/** Verbs of lasting facts, with the attribute of each. */
const VERBS: Readonly<Record<string, string>> = {
  loves: 'loves',
  likes: 'likes',
  prefers: 'prefers',
  hates: 'dislikes',
  enjoys: 'enjoys',
  'works at': 'employer',
  'works for': 'employer',
  'lives in': 'home_city',
  studies: 'studies',
  plays: 'plays',
  speaks: 'speaks',
  'is allergic to': 'allergy',
  'is severely allergic to': 'allergy',
  'is a': 'is',
  'is an': 'is',
};
const PROPER_ONLY: ReadonlySet<string> = new Set(['employer', 'home_city']);

/** Facts of people and animals by their relation to the speaker: "my daughter Lea is allergic to nuts". */
export const PEOPLE_RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `${WHOSE},? (?<name>${NAME})(?=(?<next>,| and\\b)| (?:is|has|was|works|lives|loves|likes|hates|prefers|enjoys|plays|studies|speaks|started|turned|goes|got|will|just|also)\\b)`,
      'gu',
    ),
    // "my wife cooks and cleans": without capital letters a verb resembles a name.
    claims: (part, { isTyped }) =>
      isTyped && part('next') !== '' ? [] : [relationClaim(part('relation'), part('name'))],
  },
  {
    pattern: new RegExp(
      `${WHOSE}(?:,? (?<name>${NAME}),?)? (?<verb>${Object.keys(VERBS)
        .sort((a, b) => b.length - a.length)
        .join('|')}) (?<rest>${TO_END})`,
      'gu',
    ),
    claims: (part, { isProper }) => ofPerson(part, isProper),
  },
];

function ofPerson(part: (name: string) => string, isProper: RuleContext['isProper']): RuleClaim[] {
  const [relation, name, verb] = [part('relation'), part('name'), part('verb')];
  const attribute = VERBS[verb] ?? verb;
  const value = named(part('rest'), 7);
  if (value === '' || /^(?:bit|lot|little|big fan|good|great|how|when|to)\b/.test(value)) return [];
  if (PROPER_ONLY.has(attribute) && !isProper(value)) return [];
  const who = name === '' ? `{name}’s ${relation}` : `${name} ({name}’s ${relation})`;
  const subject = name === '' ? `{speaker}’s ${relation}` : name;
  return [{ subject, attribute, value, text: `${who} ${verb} ${value}.`, confidence: 0.8 }];
}

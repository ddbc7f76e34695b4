import { isNameOfSpeaker, NAME, PLACE } from './names.ts';
import { BE, named, phrase, type Rule, type RuleClaim, relationClaim, TO_END } from './rule.ts';
import { DOT } from './typed-text.ts';

function nameClaim(value: string): RuleClaim[] {
  return value === '' || !isNameOfSpeaker(value)
    ? []
    : [{ attribute: 'name', value, text: `{name} is called ${value}.`, confidence: 0.9 }];
}

/** "Dr. " before a name. */
const TITLE = `(?:(?:Prof|Dr|Mr|Ms|Mrs)[${DOT}]? )?`;

const RELATIONS =
  'wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|dog|cat|brother|sister|mother|father|mom|mum|dad|boss|manager|advisor|supervisor|mentor|best friend|roommate|flatmate|landlord|doctor|dentist|therapist|teacher|accountant|lawyer|colleague|team lead|tech lead';

export const PROFILE_RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `\\b(?:[Mm]y (?:full |first |new )?name is(?: now)?|[Mm]y name's|I go by|I'm called|[Pp]eople call me) (?<name>${NAME})`,
      'gu',
    ),
    claims: (part) => nameClaim(part('name')),
  },
  {
    ofRequests: true,
    cue: /\b(?:call me|(?:address|refer to) me as) /i,
    pattern: new RegExp(
      `(?:^|[,;:] |\\b(?:[Pp]lease|[Jj]ust|can|or|but|and|you|now on|[Aa]lways|to|should|forward|future|today) )(?:[Cc]all me|[Aa]ddress me as|[Rr]efer to me as) (?<name>${TITLE}${NAME})(?=[,.!;]|$| from now on| instead| now\\b| please| going forward)`,
      'gu',
    ),
    claims: (part) => nameClaim(part('name')),
  },
  {
    pattern: new RegExp(
      `^I(?:'m|’m| am) (?<name>${NAME})(?=[,.!—–]|\\s+[—–]|\\s+(?:and|from|nice|by the way)\\b|$)(?<mark>!)?`,
      'u',
    ),
    claims: (part, { isIntroduction, isGreeted, isTyped }) =>
      isIntroduction && (isGreeted || !(isTyped || part('mark') === '!')) ? nameClaim(part('name')) : [],
  },
  {
    pattern:
      /\bI(?:'ve|’ve| have) been (?<what>[a-z]+ing [^.!?,]{2,40}?) for (?:about |around |over |almost |nearly |the (?:last|past) )?(?<years>\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty) years\b/g,
    claims: (part) => experience(part('what'), part('years')),
  },
  {
    pattern:
      /\bI(?:'ve|’ve| have)(?: got)? (?:about |around |over )?(?<years>\d+\+?) years(?: of|’|')? (?<what>[^.!?,]{2,60})/g,
    claims: (part) => experience(part('what'), part('years')),
  },
  {
    pattern: new RegExp(
      `\\bI(?:${BE})? (?<what>interested in|responsible for|in charge of|new to|fluent in|certified in|struggling with) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest'), 7);
      return value === ''
        ? []
        : [{ attribute: part('what'), value, text: `{name} is ${part('what')} ${value}.`, confidence: 0.75 }];
    },
  },
  {
    pattern: /\bI know (?<what>[A-Z][^.!?,]{0,40}?) (?:really |very |pretty |quite |fairly )?well\b/g,
    claims: (part) => [
      { attribute: 'knows', value: part('what'), text: `{name} knows ${part('what')} well.`, confidence: 0.8 },
    ],
  },
  {
    pattern: new RegExp(
      `\\b[Mm]y (?:new )?(?<relation>${RELATIONS})(?<named>'s name| name)? is (?:now )?(?<called>called |named )?(?<name>${TITLE}${NAME})`,
      'gu',
    ),
    // "my dog is sick": without capital letters a state resembles a name.
    claims: (part, { isTyped }) =>
      isTyped && part('named') + part('called') === '' && !/[A-Z]/.test(part('name'))
        ? []
        : [relationClaim(part('relation'), part('name'))],
  },
  {
    cue: / my /,
    pattern: new RegExp(`^(?<name>${TITLE}${NAME}) is (?:now )?my (?:new )?(?<relation>${RELATIONS})\\b`, 'u'),
    claims: (part, { isTyped }) => (isTyped ? [] : [relationClaim(part('relation'), part('name'))]),
  },
  {
    pattern: new RegExp(
      `\\b(?:I|We|we) (?:have|got|adopted|own|have got|just got) (?:another |an? |two |three )?(?<kind>(?:[\\w-]+ )?(?:dogs?|cats?|sons?|daughters?|kids?|puppy|kitten|horse|parrot|rabbit))(?: named| called|,| whose name is) (?<name>${NAME}(?: and ${NAME})?)`,
      'gu',
    ),
    claims: (part) => [
      {
        attribute: 'has',
        value: `${part('kind')} named ${part('name')}`,
        text: `{name} has a ${part('kind')} named ${part('name')}.`,
        confidence: 0.85,
      },
    ],
  },
  {
    pattern:
      /\bI(?:'m| am)(?: now| already| currently| only| just)? (?:(?<age>\d{1,2}) years old\b|(?<years>\d{2})(?=\s*(?:[,.!;]|$|and\b|now\b|from\b|but\b|years(?! old))))|\bI(?:'ve)? (?:just |recently |finally )?turned (?<turned>\d{1,2})\b(?! (?:off|on))/g,
    claims: (part) => ageClaim(part('age') || part('years') || part('turned')),
  },
  {
    pattern: new RegExp(`^I(?:'m| am) ${NAME},? (?<age>\\d{2})(?=[,.!]|$| (?:and|from|years)\\b)`, 'u'),
    claims: (part, { isIntroduction }) => (isIntroduction ? ageClaim(part('age')) : []),
  },
  {
    pattern: new RegExp(`^I(?:'m| am) ${NAME}(?:, \\d{2})?,? from (?<place>${PLACE})`, 'u'),
    claims: (part, { isIntroduction }) =>
      isIntroduction
        ? [
            {
              attribute: 'hometown',
              value: part('place'),
              text: `{name} comes from ${part('place')}.`,
              confidence: 0.85,
            },
          ]
        : [],
  },
  {
    pattern:
      /\bI(?:(?:'ve| have) (?:been|gone|become)|'m| am|(?:just )? ?went|became|turned)(?: now| actually| also| currently| back to being)?(?: an?)? (?:strict )?(?<diet>vegetarian|vegan|pescatarian|gluten[- ]free|lactose intolerant)\b/g,
    claims: (part) => [
      { attribute: 'diet', value: part('diet'), text: `{name} is ${part('diet')}.`, confidence: 0.85 },
    ],
  },
  {
    pattern: new RegExp(
      String.raw`\bI(?:'m| am)(?: severely| very| also| still| really| now| actually| mildly| deathly| quite| so)* allergic to (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest'), 6);
      return value === ''
        ? []
        : [{ attribute: 'allergy', value, text: `{name} is allergic to ${value}.`, confidence: 0.9 }];
    },
  },
  {
    pattern: new RegExp(
      String.raw`(?<!\b[Oo]ne of )\b[Mm]y (?:new |all-time )?(?<what>favou?rite [\w -]{2,30}?) (?:is|are)(?: now| currently| still| actually)* (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest'), 8);
      return value === '' || /^not\b/.test(value)
        ? []
        : [{ attribute: part('what'), value, text: `{name}’s ${part('what')} is ${value}.`, confidence: 0.85 }];
    },
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:My|my|Our|our) (?:new |current )?(?<what>pronouns|nickname|height|weight|salary|email(?: address)?|e-mail|phone number|number|mobile|time ?zone|budget|(?:main |overall |long-term |ultimate )?goal|target|deadline|address|home address|thesis(?: topic)?|native language|nationality|major|username|tech stack|stack|main model) (?:is|are)(?: now| about| currently)? (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const text = part('rest');
      const value = /stack/.test(part('what')) ? text.replace(/ (?:and we).*$/, '').trim() : phrase(text, 12);
      // A date of a deadline is read as a date.
      if (part('what') === 'deadline' && /\d|tomorrow|day\b/.test(value)) return [];
      if (value === '' || /^(?:not|to be|too|very|so|the same|pending)\b/.test(value)) return [];
      const isPhone = /^(?:number|mobile)$/.test(part('what'));
      if (isPhone && !/\d{3}/.test(value)) return [];
      const attribute = isPhone ? 'phone' : part('what');
      return [{ attribute, value, text: `{name}’s ${part('what')} is ${value}.`, confidence: 0.8 }];
    },
  },
  {
    cue: /\bteam /,
    pattern:
      /\b(?:[Oo]ur |[Mm]y |[Tt]he )?team (?:is|is now|size is|grew to|of)(?: now)?(?: at)? (?<count>\d+)(?: people| engineers)?(?: now)?(?=[\s,.:;!]|$)/g,
    claims: (part) => [teamClaim(part('count'))],
  },
  {
    pattern: /\bwe(?:'re| are) (?:now )?(?:at )?(?<count>\d+) people\b/g,
    claims: (part) => [teamClaim(part('count'))],
  },
];

function ageClaim(age: string): RuleClaim[] {
  return [{ attribute: 'age', value: age, text: `{name} is ${age} years old.`, confidence: 0.85 }];
}

/** "6 years of experience in welding", "been welding pipes for 6 years". */
function experience(text: string, years: string): RuleClaim[] {
  const what = phrase(text, 6)
    .replace(/^(?:experience|practice)(?: (?:in|with|as|of))? |^of /, '')
    .replace(/ experience$/, '');
  if (what === '' || /^(?:ago|old|left|to|until|before|in|on|and|with|together)\b|\b(?:it|this|that|them)\b/.test(what))
    return [];
  const sentence = `{name} has ${years} years of experience in ${what}.`;
  return [{ attribute: `years of ${what}`, value: years, text: sentence, confidence: 0.8 }];
}

function teamClaim(count: string): RuleClaim {
  return { attribute: 'team_size', value: count, text: `{name}’s team has ${count} people.`, confidence: 0.8 };
}

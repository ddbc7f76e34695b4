import { BE, I_OR_WE, NAME, named, phrase, type Rule, type RuleClaim, relationClaim, TO_END } from './rule.ts';

const PLACE =
  "[A-Z][\\p{L}'’.-]+(?:(?: (?:de|del|la|le|of|the|am|upon))* [A-Z][\\p{L}'’.-]+){0,3}(?:, [A-Z][\\p{L}.]+(?: [A-Z][\\p{L}]+)?)?";
const ROLES =
  'engineer|developer|designer|manager|coordinator|researcher|student|teacher|professor|lecturer|nurse|doctor|physician|surgeon|dentist|pharmacist|therapist|founder|co-founder|CEO|CTO|CFO|COO|VP|director|lead|architect|analyst|scientist|consultant|writer|editor|journalist|author|artist|musician|photographer|lawyer|attorney|paralegal|accountant|chef|cook|baker|barista|driver|pilot|electrician|plumber|carpenter|mechanic|technician|administrator|assistant|secretary|intern|freelancer|contractor|entrepreneur|owner|trainer|coach|marketer|strategist|specialist|officer|programmer|biologist|chemist|physicist|mathematician|economist|historian|psychologist|veterinarian|vet|farmer|gardener|librarian|translator|salesperson|recruiter|streamer|principal|producer|PM|SRE|DBA';
/** Words that look like names after "I'm". */
const NO_NAME =
  /^(?:Not|Just|Also|Now|So|Very|Really|Still|From|In|At|On|The|A|An|[A-Z][a-z]+(?:ing|ish|ese|ian|ican|ean)|French|German|Dutch|Greek|Swiss|Irish|Muslim|Jewish|Hindu|Buddhist|OK|TAing|[A-Z]{2,})(?!\p{L})/u;

function nameClaim(value: string): RuleClaim[] {
  return value === '' || NO_NAME.test(value)
    ? []
    : [{ attribute: 'name', value, text: `{name} is called ${value}.`, confidence: 0.9 }];
}

const ORGANISATION =
  /^(?:an? |the |our )?(?:[A-Z]|[\w -]*\b(?:startup|company|agency|firm|bank|hospital|clinic|school|university|college|studio|lab|store|shop|restaurant|charity|nonprofit|non-profit|hotel|museum|library|organization|organisation|government|ministry|department)\b)/;

function roleClaims(part: (name: string) => string): RuleClaim[] {
  const role = part('role').trim();
  const article = /^[aeiou]/i.test(role) && !/^(?:uni|use|UX|one)/.test(role) ? 'an' : 'a';
  const found = organisationIn(part('rest'));
  const organisation = ORGANISATION.test(found) ? found : '';
  const where = organisation === '' ? '' : ` at ${organisation}`;
  const claims: RuleClaim[] = [
    { attribute: 'job_title', value: role, text: `{name} is ${article} ${role}${where}.`, confidence: 0.85 },
  ];
  if (organisation !== '') claims.push(employerClaim(organisation));
  return claims;
}

/** "at a fintech startup in Milan", "of HealthPulse". */
function organisationIn(rest: string): string {
  const [, at = ''] =
    /^(?:[^.!?,;—–]*?) (?:at|for) ([^.!?,;—–]+)/.exec(rest) ?? /^ of ([A-Z][^.!?,;—–]*)/.exec(rest) ?? [];
  return phrase(at.replace(/ (?:called|named) /, ' '), 9).replace(/ and .*$/, '');
}

function employerClaim(organisation: string): RuleClaim {
  return { attribute: 'employer', value: organisation, text: `{name} works at ${organisation}.`, confidence: 0.85 };
}

function homeClaim(value: string): RuleClaim {
  const city = value.replace(/\.$/, '');
  return { attribute: 'home_city', value: city, text: `{name} lives in ${city}.`, confidence: 0.85 };
}

const RELATIONS =
  'wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|dog|cat|brother|sister|mother|father|mom|mum|dad|boss|manager|advisor|supervisor|mentor|best friend|roommate|colleague|team lead|tech lead';

export const PROFILE_RULES: readonly Rule[] = [
  {
    pattern: new RegExp(`\\b(?:[Mm]y name is|[Mm]y name's|[Cc]all me|I go by) (?<name>${NAME})`, 'gu'),
    claims: (part) => nameClaim(part('name')),
  },
  {
    pattern: new RegExp(`^I(?:'m|’m| am) (?<name>${NAME})(?=[,.!—–]|\\s+[—–]|\\s+and\\b|\\s+from\\b|$)`, 'u'),
    claims: (part, { isIntroduction }) => (isIntroduction ? nameClaim(part('name')) : []),
  },
  {
    pattern: new RegExp(
      `\\bI(?:'m|’m| am| work as| became| just became)(?: currently| now)? (?:${NAME}, )?(?:an? |the )(?<role>(?:[\\w/&+-]+ ){0,5}?(?:${ROLES})(?: (?:${ROLES}))*)\\b(?<rest>[^.!?]*)`,
      'gu',
    ),
    claims: roleClaims,
  },
  {
    pattern:
      /\bI (?:just )?(?:got|was|am being|have been) promoted to (?:an? |the )?(?<role>[\w -]+?)(?=[,.!;—–]|$| and| at)/g,
    claims: (part) => [
      { attribute: 'job_title', value: part('role'), text: `{name} was promoted to ${part('role')}.`, confidence: 0.9 },
    ],
  },
  {
    cue: /[Ss]tarting /,
    pattern: new RegExp(
      `(?:\\bI(?:'m|’m| am) |^)[Ss]tarting (?:work )?as (?:an? |the )(?<role>(?:[\\w/&+-]+ ){0,5}?(?:${ROLES})(?: (?:${ROLES}))*)\\b`,
      'g',
    ),
    claims: (part) => [
      { attribute: 'job_title', value: part('role'), text: `{name} starts as ${part('role')}.`, confidence: 0.8 },
    ],
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
    cue: / new /,
    pattern:
      /\b(?:[Mm]y|[Tt]he) new (?:role|job|position|title) is (?:an? |the )?(?<role>[\w -]+?)(?: position| role)?(?=[,.!;—–]|$| and| at)/g,
    claims: (part) => [
      { attribute: 'job_title', value: part('role'), text: `{name}’s new role is ${part('role')}.`, confidence: 0.85 },
    ],
  },
  {
    pattern:
      /\bI (?:work|'m working|am working|started working|started|just started)(?: now)? (?:at|for) (?<rest>(?:an? |the )?[\p{L}][^.!?]*)/gu,
    claims: (part) => {
      const organisation = phrase(part('rest'), 8).replace(/ (?:as|on) .*$/, '');
      return /^(?:an? |the )?(?:[A-Z]|[\w-]+ (?:startup|company|agency|firm|bank|hospital|school|university|studio))/.test(
        organisation,
      )
        ? [employerClaim(organisation)]
        : [];
    },
  },
  {
    pattern:
      /\bI(?:'ve| have)? (?:just )?(?:accepted (?:an offer|a job|a position)|got (?:an? (?:new )?|the )?[\w -]*?(?:job|position|offer)|joined|landed a job) ?(?:at|with|from)? (?<rest>(?:an? )?[\p{L}][^.!?]*)/gu,
    claims: (part) => {
      const organisation = phrase(part('rest'), 8).replace(/ as .*$/, '');
      if (
        !/^(?:[A-Z]|an? [\w -]*(?:startup|company|agency|firm|bank|hospital|school|university|studio))/.test(
          organisation,
        )
      )
        return [];
      return [{ ...employerClaim(organisation), text: `{name} accepted a job at ${organisation}.` }];
    },
  },
  {
    pattern: new RegExp(
      `\\b(?:I|I'm|I am|we|We)\\b[^.!?,;]*?\\b(?:live|(?<=(?:ve|have) )lived|living|based|located|reside) in (?<place>${PLACE})`,
      'gu',
    ),
    claims: (part) => [homeClaim(part('place'))],
  },
  {
    pattern: new RegExp(
      `${I_OR_WE} (?:moved|relocated)(?: back)?(?: over)?(?: from ${PLACE})? to (?<place>${PLACE})`,
      'gu',
    ),
    claims: (part) => [homeClaim(part('place'))],
  },
  {
    pattern: new RegExp(
      `\\bI (?:come from|grew up in|was born in|'m originally from|am originally from) (?<place>${PLACE})`,
      'gu',
    ),
    claims: (part) => [
      { attribute: 'hometown', value: part('place'), text: `{name} comes from ${part('place')}.`, confidence: 0.85 },
    ],
  },
  {
    pattern: new RegExp(
      `\\b[Mm]y (?<relation>${RELATIONS})(?:'s name| name)? is (?:called |named )?(?<name>(?:Prof\\. |Dr\\. |Mr\\. |Ms\\. |Mrs\\. )?${NAME})`,
      'gu',
    ),
    claims: (part) => [relationClaim(part('relation'), part('name'))],
  },
  {
    pattern: new RegExp(
      `\\b(?:I|We|we) (?:have|got|adopted|own) (?:another |an? |two |three )?(?<kind>(?:[\\w-]+ )?(?:dogs?|cats?|sons?|daughters?|kids?|puppy|kitten|horse|parrot|rabbit))(?: named| called|,) (?<name>${NAME}(?: and ${NAME})?)`,
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
    pattern: /\bI(?:'m|’m| am) (?<age>\d{1,2}) years old\b/g,
    claims: (part) => [
      { attribute: 'age', value: part('age'), text: `{name} is ${part('age')} years old.`, confidence: 0.85 },
    ],
  },
  {
    pattern:
      /\bI(?:(?:'ve|’ve| have) been|'m|’m| am)(?: an?)? (?:strict )?(?<diet>vegetarian|vegan|pescatarian|gluten[- ]free|lactose intolerant)\b/g,
    claims: (part) => [
      { attribute: 'diet', value: part('diet'), text: `{name} is ${part('diet')}.`, confidence: 0.85 },
    ],
  },
  {
    readsNegation: true,
    pattern:
      /\bI(?:'m|’m| am) (?:no longer|not) (?:an? )?(?:strict )?(?<diet>vegetarian|vegan|pescatarian|gluten[- ]free|lactose intolerant)\b/g,
    claims: (part) => [{ attribute: 'diet', value: part('diet'), confidence: 0.85, retracts: true }],
  },
  {
    pattern:
      /\bI(?:'ve|’ve| have)? (?:just |recently |finally )?(?:quit|resigned from|(?:quit|left|lost) my (?:job|position|role) (?:at|with)|stopped working (?:at|for)) (?<rest>[A-Z][^.!?]*)/g,
    claims: (part) => {
      const value = phrase(part('rest'), 6);
      return value === '' ? [] : [{ attribute: 'employer', value, confidence: 0.85, retracts: true }];
    },
  },
  {
    pattern: new RegExp(String.raw`\bI(?:'m|’m| am)(?: severely| very)? allergic to (?<rest>${TO_END})`, 'g'),
    claims: (part) => {
      const value = named(part('rest'), 6);
      return value === ''
        ? []
        : [{ attribute: 'allergy', value, text: `{name} is allergic to ${value}.`, confidence: 0.9 }];
    },
  },
  {
    pattern: new RegExp(
      String.raw`(?<!\b[Oo]ne of )\b[Mm]y (?<what>favou?rite [\w -]{2,30}?) (?:is|are) (?<rest>${TO_END})`,
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
      String.raw`\b(?:My|my|Our|our) (?<what>email(?: address)?|phone number|time ?zone|budget|(?:main |overall |long-term |ultimate )?goal|target|deadline|address|home address|thesis(?: topic)?|native language|nationality|job|role|title|major|username|tech stack|stack|main model) (?:is|are)(?: now| about| currently)? (?<rest>${TO_END}(?:[.@][\w.-]+)*)`,
      'g',
    ),
    claims: (part) => {
      const text = part('rest');
      const value = /stack/.test(part('what')) ? text.replace(/ (?:and we).*$/, '').trim() : phrase(text, 12);
      if (value === '' || /^(?:not|to be|too|very|so|the same|pending)\b/.test(value)) return [];
      return [{ attribute: part('what'), value, text: `{name}’s ${part('what')} is ${value}.`, confidence: 0.8 }];
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

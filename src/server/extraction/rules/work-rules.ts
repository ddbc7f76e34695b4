import { NAME, typedNameAt } from './names.ts';
import { ADVERBS, phrase, type Rule, type RuleClaim, type RuleContext, TO_END } from './rule.ts';

export const ROLES =
  'engineer|developer|dev|designer|manager|coordinator|researcher|student|teacher|professor|lecturer|nurse|doctor|physician|surgeon|dentist|pharmacist|therapist|founder|co-founder|CEO|CTO|CFO|COO|VP|director|lead|architect|analyst|scientist|consultant|writer|editor|journalist|author|artist|musician|photographer|lawyer|attorney|paralegal|accountant|chef|cook|baker|barista|bartender|waiter|waitress|cashier|driver|pilot|electrician|plumber|carpenter|welder|mechanic|technician|administrator|assistant|secretary|receptionist|intern|apprentice|freelancer|contractor|entrepreneur|owner|trainer|coach|tutor|marketer|strategist|specialist|officer|firefighter|paramedic|midwife|soldier|programmer|biologist|chemist|physicist|mathematician|economist|historian|psychologist|veterinarian|vet|farmer|gardener|florist|butcher|hairdresser|librarian|translator|salesperson|recruiter|streamer|principal|producer|actor|actress|singer|dancer|banker|broker|realtor|builder|cleaner|courier|nanny|PM|SRE|DBA';
/** A role with the words before it: "a senior tree surgeon". */
const ROLE = `(?<role>(?:[\\w/&+-]+ ){0,5}?(?:${ROLES})(?: (?:${ROLES}))*)`;

/** Nouns of organisations, of which a name has no capital letter. */
const ORGANISATION =
  /^(?:an? |the |our |my )?(?:[A-Z]|[\w -]*\b(?:startup|company|agency|firm|bank|hospital|clinic|school|university|college|studio|lab|store|shop|supermarket|restaurant|cafe|bakery|factory|council|charity|nonprofit|non-profit|hotel|museum|library|organization|organisation|government|ministry|department)\b)/;

const BE = "(?:'m| am)";
const HAVE = "(?:'ve| have)";
const JOB =
  '(?:(?:an?|my|the|this) )?(?:(?:brand )?new )?(?:[\\w-]+ )?(?:job|position|role|offer|gig|career|internship)';

/** Statements that an employment holds or begins; the name of the employer follows. */
const EMPLOYED = [
  `I ${ADVERBS}work ${ADVERBS}(?:at|for)`,
  `I${BE} ${ADVERBS}(?:working|employed) ${ADVERBS}(?:at|for|by)`,
  `I${HAVE} ${ADVERBS}(?:been ${ADVERBS}(?:(?:working|employed) )?(?:at|with)|been ${ADVERBS}(?:working|employed) (?:for|by)|worked (?:at|for))`,
  `I(?:${HAVE}|${BE})? ${ADVERBS}(?:joined|started (?:work |working )?(?:at|for)|began (?:work|working) (?:at|for)|went to work (?:at|for)|signed with)`,
  `I(?:${HAVE})? ${ADVERBS}(?:was |got |been )?hired ${ADVERBS}(?:by|at)`,
  `I(?:${HAVE})? ${ADVERBS}(?:got|accepted|landed|took|found|started|began) ${JOB} (?:at|with|from|for)`,
  '[Mm]y (?:new |current )?(?:employer|workplace) is(?: now)?(?: called)?',
  '[Mm]y (?:new |current )?job is (?:now )?(?:at|with)',
  '[Mm]y (?:new |current )?company is (?:now )?called',
];

/** Statements that an employment has ended; the name of the employer follows. */
const LEFT = [
  `I(?:${HAVE})? ${ADVERBS}(?:resigned from|retired from|walked out of|stopped working (?:at|for))`,
  `I(?:${HAVE})? ${ADVERBS}(?:quit|left|lost|gave up|resigned from) (?:my|the) (?:[\\w-]+ )?(?:job|position|role|work|gig) (?:at|with)`,
  `I(?:${HAVE})? ${ADVERBS}(?:got|was|been) (?:fired|laid off|let go|sacked|made redundant) (?:from|by|at)`,
  `I(?:${BE})? ${ADVERBS}(?:no longer|not|don't|do not|used to) (?:(?:work|working|employed) )?(?:at|for|with|by)`,
];
/** What was left may be an employer, a place or a school: the one that holds ends. */
const LEFT_ANY = `(?:I(?:${HAVE})? ${ADVERBS}(?:left|quit)|(?:[Aa]fter|[Ss]ince|[Hh]aving) (?:leaving|quitting|left|quit))`;

/** Statements that whatever employment there was has ended. */
const WITHOUT_WORK = `\\bI(?:${HAVE})? ${ADVERBS}(?:(?:quit|left|lost|resigned from) my job(?! (?:at|with)\\b)|(?:got|was|been) (?:fired|laid off|sacked|made redundant)(?! (?:from|by|at)\\b))|\\bI(?:${BE}) ${ADVERBS}(?:unemployed|jobless|out of work|between jobs|retired)\\b|\\bI(?:${HAVE})? ${ADVERBS}(?:retired|quit)(?=\\W*$| (?:last|yesterday|today|on|in|this) )`;

function either(patterns: readonly string[]): string {
  return `(?:${patterns.join('|')})`;
}

/** "Initech as a clerk", "the bank in Milan". */
function organisationAt(rest: string, { isTyped }: RuleContext): string {
  const text = phrase(rest, 12).replace(
    / (?:as|on|doing|where|and (?:we|live|have|love|like)|full[- ]time|part[- ]time|in (?:the|my|an?|[A-Z].*)) ?.*$/,
    '',
  );
  if (ORGANISATION.test(text)) return text.split(' ').length <= 8 ? text : '';
  return isTyped ? typedNameAt(text.replace(/^the (?=[\w-]+ [\w-]+$)/, '')) : '';
}

export function employerClaim(organisation: string, text = `{name} works at ${organisation}.`): RuleClaim {
  return { attribute: 'employer', value: organisation, text, confidence: 0.85 };
}

function left(rest: string, attributes: readonly string[]): RuleClaim[] {
  const value = phrase(rest, 6).replace(/ (?:to (?:join|work|start|become)|for|as|and|I)\b.*$/, '');
  if (value === '' || /^(?:the|my|a|an|it|to|early|late|home|work)\b(?! [A-Z])/.test(value)) return [];
  return attributes.map((attribute) => ({ attribute, value, confidence: 0.85, retracts: true }));
}

/** A change that is announced has not happened. */
const LATER =
  /\b(?:next|tomorrow|soon|(?:on|this) (?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:a|two|three|\d+) (?:days|weeks?|months?))\b/i;

function employed(part: (name: string) => string, context: RuleContext): RuleClaim[] {
  const organisation = organisationAt(part('rest'), context);
  if (organisation === '') return [];
  const isOffer = /\b(?:accepted|offer|landed|got|took)\b/.test(part('how'));
  if (!isOffer && /\bstarting\b/.test(part('how')) && LATER.test(part('rest'))) return [];
  return [employerClaim(organisation, isOffer ? `{name} accepted a job at ${organisation}.` : undefined)];
}

function roleClaims(part: (name: string) => string, context: RuleContext): RuleClaim[] {
  const role = part('role').trim();
  const article = /^[aeiou]/i.test(role) && !/^(?:uni|use|UX|one)/.test(role) ? 'an' : 'a';
  const organisation = organisationOfRole(part('rest'), context);
  const where = organisation === '' ? '' : ` at ${organisation}`;
  if (/\bstudent$/.test(role)) return studentClaims(role, organisation);
  const claims = [jobClaim(role, `{name} is ${article} ${role}${where}.`)];
  return organisation === '' ? claims : [...claims, employerClaim(organisation)];
}

/** A student is at a school, which employs nobody there. */
function studentClaims(role: string, school: string): RuleClaim[] {
  const claims = [jobClaim(role, `{name} is a ${role}${school === '' ? '' : ` at ${school}`}.`)];
  return school === ''
    ? claims
    : [...claims, { attribute: 'school', value: school, text: `{name} goes to ${school}.`, confidence: 0.85 }];
}

function jobClaim(role: string, text = `{name} is ${role}.`, confidence = 0.85): RuleClaim {
  return { attribute: 'job_title', value: role, text, confidence };
}

/** "at a fintech startup in Milan", "of HealthPulse". */
function organisationOfRole(rest: string, { isTyped }: RuleContext): string {
  const [, at = ''] =
    /^(?:[^.!?,;—–]*?) (?:at|for) ([^.!?,;—–]+)/.exec(rest) ?? /^ of ([A-Z][^.!?,;—–]*)/.exec(rest) ?? [];
  const found = phrase(at.replace(/ (?:called|named) /, ' '), 9).replace(/ and .*$/, '');
  return ORGANISATION.test(found) ? found : isTyped ? typedNameAt(found) : '';
}

/** Employers and occupations: what holds, begins, changes and ends. */
export const WORK_RULES: readonly Rule[] = [
  {
    cue: /\b(?:I|[Mm]y)\b/,
    readsNegation: true,
    pattern: new RegExp(`\\b(?<how>${either(EMPLOYED)}) (?<rest>${TO_END})`, 'g'),
    claims: employed,
  },
  {
    readsNegation: true,
    cue: /\bI\b|\b(?:after|since|having) /i,
    pattern: new RegExp(`\\b${either(LEFT)} (?<rest>${TO_END})`, 'g'),
    claims: (part) => left(part('rest'), ['employer']),
  },
  {
    readsNegation: true,
    cue: /\bI\b|\b(?:after|since|having) /i,
    pattern: new RegExp(`\\b${LEFT_ANY} (?!my (?:[\\w-]+ )?(?:job|position|role)\\b)(?<rest>${TO_END})`, 'g'),
    claims: (part) => left(part('rest'), ['employer', 'home_city', 'school']),
  },
  {
    cue: /\bhired me\b/,
    pattern: new RegExp(`(?<name>${NAME}) (?:has |have |just )*hired me\\b`, 'gu'),
    claims: (part) => [employerClaim(part('name'))],
  },
  {
    readsNegation: true,
    pattern: new RegExp(WITHOUT_WORK, 'g'),
    claims: () => [{ attribute: 'employer', value: '', confidence: 0.8, retracts: true }],
  },
  {
    pattern: new RegExp(
      `\\bI(?:${BE}| work(?:ed)? as| became| just became|${HAVE} (?:now |just |recently )?become|${BE} working as)(?: currently| now| back to being| actually| also)? (?:${NAME}, )?(?:an? |the )${ROLE}\\b(?<rest>[^.!?]*)`,
      'gu',
    ),
    claims: roleClaims,
  },
  {
    pattern: new RegExp(
      `\\bI(?:${HAVE} been)? ${ADVERBS}(?:work|working) as (?:an? )?(?<what>${TO_END})|\\bI${BE} ${ADVERBS}working as (?:an? )?(?<also>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const role = phrase(part('what') || part('also'), 9).replace(/ (?:at|for|in|with)\b.*$/, '');
      return role === '' || role.split(' ').length > 4 ? [] : [jobClaim(role)];
    },
  },
  {
    pattern:
      /\bI(?:'ve)? (?:just |recently |finally )?(?:got|was|am being|have been|been) promoted to (?:an? |the )?(?<role>[\w -]+?)(?=[,.!;—–]|$| and| at)/g,
    claims: (part) => [jobClaim(part('role'), `{name} was promoted to ${part('role')}.`, 0.9)],
  },
  {
    cue: /[Ss]tart(?:ing|ed) /,
    pattern: new RegExp(
      `\\bI(?:${BE} | just | )?(?:[Ss]tarting|[Ss]tarted) (?:work |working |out )?as (?:an? |the )${ROLE}\\b`,
      'g',
    ),
    claims: (part) => [jobClaim(part('role'), `{name} starts as ${part('role')}.`, 0.8)],
  },
  {
    cue: / new /,
    pattern:
      /\b(?:[Mm]y|[Tt]he) new (?:role|job|position|title) is (?:an? |the )?(?<role>(?!at |with |going|great|so |very |really )[\w -]+?)(?: position| role)?(?=[,.!;—–]|$| and| at)/g,
    claims: (part) => [jobClaim(part('role'), `{name}’s new role is ${part('role')}.`)],
  },
  {
    pattern: new RegExp(
      `\\b[Mm]y (?:current )?(?:job|role|title|job title|occupation|profession) is(?: now)? (?:an? |the )?${ROLE}\\b(?<rest>[^.!?]*)`,
      'g',
    ),
    claims: roleClaims,
  },
  {
    pattern: new RegExp(
      `\\b[Mm]y (?:new |current )?(?:role|title|job title|position) is (?:now )?(?<rest>[A-Z]${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const role = phrase(part('rest'), 6).replace(/ (?:at|with) .*$/, '');
      return role === '' ? [] : [jobClaim(role)];
    },
  },
  {
    readsNegation: true,
    pattern: new RegExp(
      `\\bI(?:(?:${BE})? (?:no longer|used to be|stopped being|stopped working as|quit being|quit working as)|${BE} not(?= [^.!?]*\\banymore))(?: work(?:ing)? as)? (?:an? |the )?${ROLE}\\b`,
      'g',
    ),
    claims: (part) => [{ attribute: 'job_title', value: part('role'), confidence: 0.85, retracts: true }],
  },
];

import { NAME } from './names.ts';
import { BE, I_OR_WE, named, OFTEN, phrase, type Rule, type RuleClaim, TO_END } from './rule.ts';
import { DOT } from './typed-text.ts';

/** Verbs that begin no habit. */
const NO_HABIT =
  /^(?:am|was|will|would|could|can|should|might|may|must|have|had|need|want|think|know|feel|guess|hope|wish|mean|said|told|did|do|just|never|don|love|like|hate|enjoy|prefer)\b/;

/** Third person of the verbs that state what somebody lastingly does. */
const LASTING: Readonly<Record<string, string>> = {
  play: 'plays',
  drive: 'drives',
  own: 'owns',
  speak: 'speaks',
  collect: 'collects',
  grow: 'grows',
  avoid: 'avoids',
  wear: 'wears',
  weigh: 'weighs',
  take: 'takes',
  coach: 'coaches',
  eat: 'eats',
  drink: 'drinks',
  'subscribe to': 'subscribes to',
  'suffer from': 'suffers from',
};
/** "take a look", "play around": of the moment. */
const PASSING =
  /^(?:a (?:look|break|moment|role|part|note|chance|guess|step|game|shower|nap|walk)|notes?|care|time|part|place|advantage|with|around|along|pride|up|out|off|on|in|to|about|at|from|home|by|down|over|full|any|breakfast|lunch|dinner|what|like|too|less|more|well|healthy|nothing|no one|you|your)\b|\b(?:of|from) (?:my|the)\b/;

const PLANNED =
  'lose|gain|buy|sell|move|visit|retire|save|open|become|travel|publish|learn|start|build|write|study|finish|change|get|apply|quit|adopt|climb|graduate|relocate|qualify|renovate|hire|launch|marry|enrol|enroll|cycle|hike|run|switch|transition';

/** Words after "I'm" that state a lasting condition, with the attribute of each. */
const CONDITIONS: Readonly<Record<string, string>> = {
  married: 'marital_status',
  divorced: 'marital_status',
  single: 'marital_status',
  engaged: 'marital_status',
  widowed: 'marital_status',
  retired: 'employment',
  unemployed: 'employment',
  'self-employed': 'employment',
  pregnant: 'health',
  diabetic: 'health',
  'left-handed': 'handedness',
  'colour-blind': 'health',
  'color-blind': 'health',
};

function one(attribute: string, value: string, text: string, confidence = 0.8): RuleClaim[] {
  return value === '' ? [] : [{ attribute, value, text, confidence }];
}

/** Facts of everyday life: habits, family, health, education, belongings and plans. */
export const LIFE_RULES: readonly Rule[] = [
  {
    pattern: new RegExp(`${I_OR_WE} (?<verb>${Object.keys(LASTING).join('|')}) (?<rest>${TO_END})`, 'g'),
    claims: (part) => {
      const value = named(part('rest'), 7);
      if (value === '' || PASSING.test(value)) return [];
      const verb = LASTING[part('verb')] ?? part('verb');
      return one(verb, value, `{name} ${verb} ${value}.`, 0.75);
    },
  },
  {
    cue: new RegExp(OFTEN),
    pattern: new RegExp(
      `\\bI (?:usually |always |also |normally )?(?<what>[a-z]+(?: [^.!?,;]{1,40}?)?) (?<often>${OFTEN})`,
      'g',
    ),
    claims: (part) => {
      const what = part('what');
      if (NO_HABIT.test(what) || /(?:ed|went|made|got)$/.test(what.split(' ')[0] ?? '')) return [];
      return one('habit', `${what} ${part('often')}`, `{name}’s habit: ${what} ${part('often')}.`, 0.75);
    },
  },
  {
    pattern:
      /\b(?:I|[Ww]e)(?:'ve got|’ve got| have) (?<what>(?:an? |\d+ |two |three |four |five )(?:[a-z-]+ ){0,2}(?:kids?|child(?:ren)?|sons?|daughters?|dogs?|cats?|brothers?|sisters?|siblings?|grandchild(?:ren)?|twins|pupp(?:y|ies)|kittens?|horses?|parrots?|rabbits?|hens?|goats?))\b(?! (?:named|called|whose))/g,
    claims: (part) => one('has', part('what'), `{name} has ${part('what')}.`),
  },
  {
    pattern: new RegExp(
      String.raw`\bI(?:'ve| have| was| am|'m| got)?(?: been| just| recently| got| was| finally)* (?<verb>diagnosed with|suffering from|recovering from) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest'), 6);
      return one('health', value, `{name} is ${part('verb')} ${value}.`, 0.85);
    },
  },
  {
    pattern:
      /\bI(?:'ve got|’ve got| have) (?<what>(?:an? )?(?:severe |mild |bad |chronic )*(?:asthma|diabetes|type [12] diabetes|epilepsy|migraines?|insomnia|arthritis|eczema|anxiety|ADHD|celiac disease|coeliac disease|high blood pressure|hay fever|(?:bad|sore|weak|injured|torn|broken|sprained) [a-z]+|[a-z]+ (?:allergy|intolerance)))\b/g,
    claims: (part) => one('health', part('what').replace(/^an? /, ''), `{name} has ${part('what')}.`, 0.85),
  },
  {
    pattern: new RegExp(
      `\\bI${BE} (?:happily |newly |recently |actually |now |officially )*(?<what>${Object.keys(CONDITIONS).join('|')})\\b(?! (?:out|with|by|in on|to death))`,
      'g',
    ),
    claims: (part) => one(CONDITIONS[part('what')] ?? 'status', part('what'), `{name} is ${part('what')}.`),
  },
  {
    pattern:
      /\b(?:I|[Ww]e|[Mm]y (?:wife|husband|partner|girlfriend|boyfriend|fiancée?) and I)(?:'ve| have|'re| are)? (?:just |recently |finally |now |also |both |already |been )*(?:got|gotten|getting|been) (?:just |recently |finally |happily )*(?<what>married|divorced|engaged|separated)\b(?! (?:next|soon|in \d))|\bI (?:just |recently )*(?<did>divorced|separated from) (?:my|him|her)\b/g,
    claims: (part) => {
      const state = part('what') || (part('did') === 'divorced' ? 'divorced' : 'separated');
      return one('marital_status', state, `{name} is ${state}.`);
    },
  },
  {
    pattern:
      /\bI(?:'m|’m| am) (?:a |the )?(?:(?:single|proud|new|stay-at-home) )?(?<what>(?:mum|mom|dad|mother|father|parent) (?:of|to) (?:\w+ )?\w+)/g,
    claims: (part) => one('family', part('what'), `{name} is a ${part('what')}.`),
  },
  {
    readsNegation: true,
    pattern: new RegExp(
      String.raw`\bI(?:'ve)? (?:just |recently |finally |really |also |usually )*(?:don't|do not|can't|cannot|no longer|never|stopped|quit|gave up) (?:really |usually |ever )?(?:eat|eating|drink|drinking|smoke|smoking) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest'), 4).replace(/^(?:any|much)\s+/, '');
      if (/^(?:enough|that|well|too|breakfast|lunch|dinner|at|before|after|in|out|on|here)\b/.test(value)) return [];
      return one('avoids', value, `{name} avoids ${value}.`);
    },
  },
  {
    pattern: new RegExp(
      `${I_OR_WE} (?:plan|hope|want|intend|aim)(?:s|ing)? to (?<what>(?:${PLANNED})\\b${TO_END})`,
      'g',
    ),
    claims: (part) => plan(part('what')),
  },
  {
    pattern: new RegExp(
      `\\b(?:I|[Ww]e)${BE} (?:planning|hoping|aiming|trying|saving|going) to (?<what>(?:${PLANNED})\\b${TO_END})`,
      'g',
    ),
    claims: (part) => plan(part('what')),
  },
  {
    pattern: new RegExp(
      `\\b(?:I|[Ww]e)${BE} (?<verb>going|flying|travelling|traveling|moving|relocating) to (?<place>${NAME})`,
      'gu',
    ),
    // Without capital letters "going to" is followed by any verb.
    claims: (part, { isTyped }) =>
      isTyped && part('verb') === 'going'
        ? []
        : one(`${part('verb')} to`, part('place'), `{name} is ${part('verb')} to ${part('place')}.`),
  },
  {
    pattern: new RegExp(
      String.raw`\bI(?:'m|’m| am) (?:really |totally |so )?(?:into|(?:a )?(?:big|huge) fan of|a fan of|obsessed with|passionate about) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = named(part('rest'), 6);
      return one('likes', value, `{name} likes ${value}.`);
    },
  },
  {
    pattern: new RegExp(
      String.raw`\bI (?:majored in|have (?:an? |my )?(?:PhD|Ph${DOT}D${DOT}|[BM]${DOT}(?:Sc|A|Eng|S)${DOT}|doctorate|master's|master’s|bachelor's|bachelor’s|degree|diploma)(?: degree)? in|(?:got|earned|hold) (?:an? |my )?(?:PhD|Ph${DOT}D${DOT}|[BM]${DOT}(?:Sc|A|Eng|S)${DOT}|doctorate|master's|bachelor's|degree|diploma)(?: degree)? in|studied|graduated (?:from|in)) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part, { isProper }) => {
      const value = named(part('rest'), 6);
      return isProper(value) || /^[a-z]+(?: [a-z]+){0,3}$/.test(value)
        ? one('education', value, `{name}’s education: ${value}.`)
        : [];
    },
  },
  {
    pattern: new RegExp(`^I(?:'m|’m| am) from (?<place>${NAME})`, 'u'),
    claims: (part) => one('hometown', part('place'), `{name} comes from ${part('place')}.`),
  },
  {
    pattern: new RegExp(
      String.raw`\b[Mm]y (?:(?:new|current) )?(?<what>car|bike|bicycle|motorbike|van|truck|boat|phone|laptop|camera|guitar|company|business|shop|store|band|blog|podcast|channel|book|novel) (?<is>is called|is named|is)(?: now| currently)? (?<article>an? |the )?(?<rest>${TO_END})`,
      'g',
    ),
    claims: (part, { isProper, isTyped }) => {
      const value = named(part('rest'), 5);
      // "my car is broken": without capital letters a state resembles a name.
      if (
        isTyped &&
        ((part('is') === 'is' && part('article') === '') || /^(?:mess|wreck|disaster|joke|lot|bit)\b/.test(value))
      )
        return [];
      const attribute = part('what') === 'phone' ? 'phone_model' : part('what');
      return isProper(value) ? one(attribute, value, `{name}’s ${part('what')} is ${value}.`) : [];
    },
  },
  {
    pattern:
      /\b(?:I|[Ww]e)(?:'ve| have)?(?: got)?(?: have)? an? (?:total )?budget of (?:about |around )?(?<value>[$€£]?\d[\w.,]*(?: [a-z]+){0,3})/g,
    claims: (part) => {
      const value = phrase(part('value'), 5).replace(/ (?:for|to|and)\b.*$/, '');
      return one('budget', value, `{name}’s budget is ${value}.`);
    },
  },
];

function plan(text: string): RuleClaim[] {
  const value = phrase(text, 10);
  if (value === '' || /^\w+ (?:it|this|that|them|on|in|out|up|through|into|along|away|back)\b/.test(value)) return [];
  return one('plans_to', value, `{name} plans to ${value}.`, 0.75);
}

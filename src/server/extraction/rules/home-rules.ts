import { NAME, PLACE } from './names.ts';
import { ADVERBS, I_OR_WE, named, phrase, type Rule, type RuleClaim, TO_END } from './rule.ts';
import { DOT } from './typed-text.ts';

function homeClaim(place: string): RuleClaim {
  return { attribute: 'home_city', value: place, text: `{name} lives in ${place}.`, confidence: 0.85 };
}

const SCHOOL = /\b(?:school|high|college|university|uni|academy|institute|polytechnic)\b/i;

function schoolClaims(rest: string, isSure: boolean, isProper: (text: string) => boolean): RuleClaim[] {
  const value = named(rest, 6).replace(/ (?:in|for|to|every|and)\b.*$/, '');
  const isSchool = isSure
    ? isProper(value)
    : /^[\w'-]+ /.test(value) && SCHOOL.test(value) && !/^(?:the|a|my|bed)\b/.test(value);
  return isSchool && value !== ''
    ? [{ attribute: 'school', value, text: `{name} goes to ${value}.`, confidence: 0.8 }]
    : [];
}

/** The article of a place that has one: "the U.S.", "the Hague". */
const THE = `(?:the (?=U${DOT}|UK|US|UAE|Netherlands|Philippines|Bahamas|Maldives|Gambia|Hague|Bronx|Bay Area|Czech|Dominican|Midlands|Highlands|Canaries))?`;

/** Homes, origins and schools: what holds, begins, changes and ends. */
export const HOME_RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `\\b(?:I|I'm|I am|we|We)\\b(?:(?!\\b(?:could|should|would|will|may|can|want|hope|going to|plan|need to|have to|never|almost|used to|were|was)\\b)[^.!?,;])*?\\b(?:live|(?<=(?:ve|have) )lived|living|based|located|reside|residing|settled)(?: down| over| back)? in ${THE}(?<place>${PLACE})`,
      'gu',
    ),
    claims: (part) => [homeClaim(part('place'))],
  },
  {
    pattern: new RegExp(
      `${I_OR_WE} (?:moved|relocated)(?: back| over| down| up| out| away)*(?: from ${THE}${PLACE})? to ${THE}(?<place>${PLACE})(?! team\\b)`,
      'gu',
    ),
    claims: (part) => [homeClaim(part('place'))],
  },
  {
    pattern: new RegExp(
      `\\b[Mm]y (?:new )?(?:place|home|flat|apartment|house) is (?:now )?in (?<place>${PLACE})|\\b[Mm]y home (?:town )?is(?: now)? (?<home>${PLACE})|\\bI (?:now )?call (?<called>${PLACE}) home\\b`,
      'gu',
    ),
    claims: (part) => [homeClaim(part('place') || part('home') || part('called'))],
  },
  {
    readsNegation: true,
    pattern: new RegExp(
      `\\b(?:I|[Ww]e)(?:'m|'re|'ve| am| are| have)? ${ADVERBS}(?:no longer (?:live|living|based)|don't live|do not live|not (?:living|based)|used to live|stopped living|moved (?:out of|away from|out from)|moved from) ${ADVERBS}(?:in )?(?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = phrase(part('rest').replace(/ (?:to|and|for|with|in) .*$/, ''), 5);
      return value === '' ? [] : [{ attribute: 'home_city', value, confidence: 0.8, retracts: true }];
    },
  },
  {
    pattern: new RegExp(
      `\\bI (?:come from|grew up in|was (?:born|raised|born and raised) in|'m originally from|am originally from)(?: an? [\\w -]{2,24} called)? (?<place>${PLACE})|\\bI(?:'m| am) originally from (?<origin>${PLACE})`,
      'gu',
    ),
    claims: (part) => origin(part('place') || part('origin')),
  },
  {
    pattern: new RegExp(`^I(?:'m|’m| am) from (?<place>${NAME})`, 'u'),
    claims: (part) => origin(part('place').replace(/ originally$/, '')),
  },
  {
    pattern: new RegExp(
      `\\bI(?:'m| am|'ve| have)? ${ADVERBS}(?<verb>go|going|attend|attending|study at|studying at|a student at|enrolled (?:at|in)|transferred to|switched schools to) (?:to (?!be\\b))?(?<rest>${TO_END})`,
      'g',
    ),
    claims: (part, { isProper }) =>
      schoolClaims(part('rest'), !/^(?:go|going|enrolled in)$/.test(part('verb')), isProper),
  },
  {
    readsNegation: true,
    pattern: new RegExp(
      `\\bI(?:'ve| have)? ${ADVERBS}(?:dropped out of|no longer go to|don't go to|used to go to|graduated from) (?<rest>${TO_END})`,
      'g',
    ),
    claims: (part) => {
      const value = phrase(part('rest'), 5);
      return value === '' ? [] : [{ attribute: 'school', value, confidence: 0.8, retracts: true }];
    },
  },
];

function origin(place: string): RuleClaim[] {
  return [{ attribute: 'hometown', value: place, text: `{name} comes from ${place}.`, confidence: 0.85 }];
}

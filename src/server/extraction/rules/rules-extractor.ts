import type { ConversationMessage } from '../../../memory/conversation.ts';
import { clipToBytes } from '../../../memory/derive-text.ts';
import { CLAIM_LIMITS, type FactClaim } from '../../../memory/fact-claim.ts';
import type { Micros } from '../../../memory/memory.ts';
import { timesNamedIn } from '../../../memory/time/time-expressions.ts';
import type { Extracted, ExtractionBatch, Extractor } from '../extractor.ts';
import { ACTIVITY_RULES } from './activity-rules.ts';
import { ASSISTANT_RULES } from './assistant-rules.ts';
import { ENDING_RULES } from './ending-rules.ts';
import { HOME_RULES } from './home-rules.ts';
import { instructionsIn } from './instruction-rules.ts';
import { LIFE_RULES } from './life-rules.ts';
import { isProper, typedNameAt, typedPattern } from './names.ts';
import { PEOPLE_RULES } from './people-rules.ts';
import { PREFERENCE_RULES } from './preference-rules.ts';
import { PROFILE_RULES } from './profile-rules.ts';
import { PERSONAL, type Rule, type RuleClaim } from './rule.ts';
import { isAsserted, isReported, isStatement, type Sentence, sentencesIn } from './sentences.ts';
import { STATE_RULES } from './state-rules.ts';
import { withFullStops } from './typed-text.ts';
import { WORK_RULES } from './work-rules.ts';

const USER = 'user';
const SPEAKER_RULES: readonly Rule[] = [
  ...PROFILE_RULES,
  ...WORK_RULES,
  ...HOME_RULES,
  ...PEOPLE_RULES,
  ...LIFE_RULES,
  ...ACTIVITY_RULES,
  ...PREFERENCE_RULES,
  ...STATE_RULES,
  ...ENDING_RULES,
];
/** The rules for messages in which names may have no capital letter. */
const TYPED_RULES: ReadonlyMap<Rule, RegExp> = new Map(SPEAKER_RULES.map((rule) => [rule, typedPattern(rule.pattern)]));

/**
 * Reads facts by patterns of English sentences, with no model. It prefers missing a fact to reading a wrong one:
 * questions, requests, suppositions, negations and reported speech are ignored. A user's statement about "I" is a fact
 * of the message's name, or of `user`.
 */
export const rulesExtractor: Extractor = {
  name: 'rules',
  capacity: () => 'server',
  extract({ messages, earlier }: ExtractionBatch, signal: AbortSignal): Promise<Extracted> {
    const claims: FactClaim[] = [];
    let userName: string | undefined;
    for (const message of messages) {
      signal.throwIfAborted();
      const found = claimsOf(message);
      userName = nameIn(found) || userName;
      if (found.some(({ subject }) => subject === USER)) userName ??= newestName(earlier);
      claims.push(...found.map((claim) => withName(claim, userName ?? '')));
    }
    return Promise.resolve({ claims: claims.slice(0, CLAIM_LIMITS.perExtraction), notes: [] });
  },
};

/** The name that the user gave last before; empty without any. Read only for a fact that needs it. */
function newestName(earlier: readonly ConversationMessage[]): string {
  for (const message of earlier.toReversed()) {
    const name = nameIn(claimsOf(message));
    if (name !== '') return name;
  }
  return '';
}

/** The name that the user gives; empty where no claim has it. */
function nameIn(claims: readonly FactClaim[]): string {
  return claims.findLast(({ subject, attribute }) => subject === USER && attribute === 'name')?.value ?? '';
}

/** A fact of the user whose sentence has the name too, so that a question about "Ana" finds it. */
function withName(claim: FactClaim, name: string): FactClaim {
  if (name === '' || claim.subject !== USER || claim.attribute === 'name') return claim;
  const text = claim.text.replace(/^The user\b/, () => `${name} (the user)`);
  return { ...claim, text: clipToBytes(text, CLAIM_LIMITS.textBytes) };
}

/** The facts of one message. */
export function claimsOf(message: ConversationMessage): FactClaim[] {
  const { role, name, text } = message;
  const isNamed = name !== '' && !/^(?:assistant|ai|bot|model|user|human)$/i.test(name);
  if (role !== 'user' && role !== 'assistant') return [];
  const isAssistant = role === 'assistant' && !isNamed;
  const subject = isNamed ? name : isAssistant ? 'assistant' : USER;
  const found = isAssistant
    ? matchesOf(message, ASSISTANT_RULES)
    : [...matchesOf(message, SPEAKER_RULES), ...instructionsIn(sentencesIn(text).map((sentence) => sentence.text))];
  const seen = new Set<string>();
  return found.flatMap((claim) => {
    const whole = factClaim(claim, subject, message);
    const key = whole && JSON.stringify([whole.subject, whole.attribute, whole.value.toLowerCase(), whole.retracts]);
    if (!whole || !key || seen.has(key)) return [];
    seen.add(key);
    return [whole];
  });
}

function matchesOf(message: ConversationMessage, rules: readonly Rule[]): RuleClaim[] {
  return sentencesIn(message.text).flatMap((sentence) => {
    const found = rules.flatMap((rule) => matchesIn(sentence, rule, message.eventAtUs));
    // A later clause may change what an earlier one states.
    return found.sort((one, other) => one.at - other.at).flatMap(({ claims }) => claims);
  });
}

function matchesIn(
  { text, isIntroduction, isGreeted, isTyped }: Sentence,
  rule: Rule,
  saidAtUs: Micros,
): { readonly at: number; readonly claims: readonly RuleClaim[] }[] {
  const { cue, claims, ofRequests = false, readsNegation = false } = rule;
  if (!(isStatement(text) || ofRequests) || !(cue ?? PERSONAL).test(text)) return [];
  const pattern = (isTyped && TYPED_RULES.get(rule)) || rule.pattern;
  const context = { saidAtUs, isIntroduction, isGreeted, isTyped, isProper: isTyped ? isTypedName : isProper };
  return allMatches(text, pattern).flatMap((match) => {
    const { from, end } = clauseAt(text, match.index);
    const clause = text.slice(from, end);
    if (!isAsserted(clause) && !ofRequests) return [];
    if (isReported(text, match.index) || isRelative(text, match.index) || (!readsNegation && isNegated(match[0])))
      return [];
    const validFromUs = validFromOf(withFullStops(clause), saidAtUs);
    const found = claims((part) => match.groups?.[part] ?? '', context).map((claim) =>
      validFromUs === undefined || DATED.test(claim.attribute) ? claim : { validFromUs, ...claim },
    );
    return [{ at: match.index, claims: found }];
  });
}

function isTypedName(text: string): boolean {
  return isProper(text) || typedNameAt(text.replace(/^(?:an? |the )/, '')) !== '';
}

/** All matches of different clauses, or the first one of a pattern without the flag `g`. */
function allMatches(text: string, pattern: RegExp): RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    matches.push(match);
    if (!pattern.global) break;
    // A match may reach to the end of the sentence, where further clauses state more.
    const { end } = clauseAt(text, match.index);
    pattern.lastIndex = Math.max(match.index + 1, Math.min(pattern.lastIndex, end));
  }
  pattern.lastIndex = 0;
  return matches;
}

/** Values that deny that there is one. */
const DENIES = /^(?:nothing|none|nobody|no one|nowhere|neither|n\/a|not)\b|^no (?!\d)/i;

/** Attributes whose value is a time, which is not the time from which they hold. */
const DATED = /^(?:date|deadline|birthday|start_date|age)$/;

const CONJUNCTION =
  /(?:^|[,;:.!—–-]\s*|\b(?:and|but|so|because|since|while|that|also|then|or|as|now|plus|yes|yeah|hey|though|mention|say|yesterday|today|tomorrow|tonight|ago|anymore|again|too|currently|right now|honestly|please|(?:last|this|next) (?:week|month|year)|for (?:a few |many |\d+ |two |three |ten )?years)\s+)$/i;

/** "Since June", "After leaving Globex": what precedes the subject of a sentence. */
const OPENING_PHRASE =
  /^(?:after|before|since|having|as of|by|in|on|at|during|from|once|these|last|this)\b[^,]{1,40}\s$/i;

/** "a company I like": a clause of the first person that belongs to a noun before it states something else. */
function isRelative(text: string, at: number): boolean {
  const before = text.slice(0, at);
  return /^(?:I|we)\b/.test(text.slice(at)) && !CONJUNCTION.test(before) && !OPENING_PHRASE.test(before);
}

const NEGATION = /\b(?:not|never|no longer|used to)\b|n['’]t\b/i;

/** True where the beginning of a match is negated. */
function isNegated(match: string): boolean {
  return NEGATION.test(match.split(/\s+/).slice(0, 5).join(' '));
}

function factClaim(claim: RuleClaim, speaker: string, { sequence }: ConversationMessage): FactClaim | undefined {
  const written = withFullStops(claim.value).replaceAll(/\s+/g, ' ');
  const value = inThirdPerson(written.replace(/^[\s,;:'"]+|[\s,;:"]+$/g, ''));
  if ((value === '' && !claim.retracts) || /(?<!\.)\b(?:I|we)\b(?!\.)/.test(value) || DENIES.test(value))
    return undefined;
  const subject = claim.subject?.replaceAll('{speaker}', speaker) ?? speaker;
  const name = speaker === USER ? 'The user' : speaker === 'assistant' ? 'The assistant' : speaker;
  const { attribute, confidence, retracts = false } = claim;
  const text =
    claim.text &&
    clipToBytes(inThirdPerson(withFullStops(claim.text).replaceAll('{name}', name)), CLAIM_LIMITS.textBytes);
  return {
    subject: clipToBytes(subject, CLAIM_LIMITS.partBytes),
    attribute: clipToBytes(attribute.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'), CLAIM_LIMITS.partBytes),
    value: clipToBytes(value, CLAIM_LIMITS.partBytes),
    text: text ?? `${name}: ${attribute} ${value}.`,
    confidence,
    ...(retracts ? { retracts } : {}),
    validFromUs: claim.validFromUs,
    sources: [sequence],
  };
}

function inThirdPerson(text: string): string {
  return text
    .replaceAll(/\b(?:my|our)\b/gi, 'their')
    .replaceAll(/\b(?:me|us)\b/g, 'them')
    .replaceAll(/\b(?:myself|ourselves)\b/g, 'themselves');
}

/** Where a new clause with a subject of its own begins. */
const BOUNDARY =
  /\s*[;—–]\s*|,\s+(?:and|but|so)\s+|,\s+(?=(?:I|we|my|our|they|he|she|it|you|can|could|would|please|the)\b)|,?\s+\b(?:and|but|so|because|though|although|while|or)\s+(?=(?:I|I'm|I’m|we|my|our|they|he|she|it|you|can|could|would|please)\b)/giu;

/** Where the clause of a sentence that has a position begins and ends. */
function clauseAt(sentence: string, at: number): { readonly from: number; readonly end: number } {
  let from = 0;
  for (const match of sentence.matchAll(BOUNDARY)) {
    if (match.index >= at && match.index > from) return { from, end: match.index };
    if (match.index < at) from = match.index + match[0].length;
  }
  return { from, end: sentence.length };
}

const SINCE = /\b(?:since|as of)\s.{3,60}/i;
/** A change at one time, of which a state holds since. */
const CHANGE =
  /\b(?:joined|moved|relocated|started|became|got|was promoted|switched|migrated|adopted|bought|sold|accepted|launched|shipped|closed|hired|graduated|finished|published|retired|quit|left|opened|founded|enrolled|signed up)\b/i;
const AGO = /\bago\b/i;

/**
 * The time from which a statement holds, where its clause names one in the past: "since 2019", "I moved there in May".
 * Undefined where it names none.
 */
function validFromOf(clause: string, saidAtUs: Micros): Micros | undefined {
  const since = SINCE.exec(clause)?.[0];
  if (since === undefined && !CHANGE.test(clause)) return undefined;
  const text = since ?? clause;
  let from: Micros | undefined;
  for (const { fromUs, untilUs } of timesNamedIn(text, saidAtUs)) {
    const atUs = AGO.test(text) ? (fromUs + untilUs) / 2 : fromUs;
    if (atUs <= saidAtUs && (from === undefined || atUs > from)) from = atUs;
  }
  return from;
}

import { asWritten, isTyped, withDots, withSubject } from './typed-text.ts';

/** A sentence of a message. */
export interface Sentence {
  /** Without quotations and opening words such as "Yes", and as it would be written; its inner full stops are `DOT`. */
  readonly text: string;
  /** It opens the message or follows a greeting. */
  readonly isIntroduction: boolean;
  /** A greeting precedes it. */
  readonly isGreeted: boolean;
  /** Of a message in which names may have no capital letter. */
  readonly isTyped: boolean;
}

/** Longer messages are read up to here; the rest is mostly pasted text. */
const CHARACTERS_READ = 20_000;
const SENTENCES_MAX = 400;
const SENTENCE_CHARACTERS = { min: 4, max: 600 };

const GREETING = /^(?:hi|hey|hello|good (?:morning|afternoon|evening)|greetings)\b[^.!?]{0,30}$/i;
const OPENING =
  /^(?:(?:yes|yeah|yep|no|sure|ok|okay|oh|ooh|wow|well|so|also|and|but|anyway|actually|by the way|btw|thanks|thank you|great|good|perfect|update|hi there|hey there|hi all|hi|hey|hello|great news|good news|big news|big update|big decision|big upgrade|quick update|oh man|honestly|meanwhile|currently|right now)\b(?: please)?\s*(?:[,!.:;—–-]+\s*|\s+(?=(?:I|we|my|our)\b))?)+/i;

const GREETS = /^(?:hi|hey|heya|hello|hiya|yo|howdy|good (?:morning|afternoon|evening)|greetings)\b/i;
/** All that follows in the message belongs to a game or to a text to write. */
const PLAY =
  /\b(?:role-?\s?play(?:ing)?|pretend|act as (?:if|though)|act like (?:you|I)|imagine|let's play|in this (?:story|scene|game))\b|\byou(?:'re| are) [^.!?]{1,40}\band I(?:'m| am)\b|^(?:please |can you |could you )?(?:write|translate|rewrite|paraphrase|rephrase|repeat|correct|proofread|compose|draft|generate) (?!(?:all|every|everything|your)\b)/i;

const QUESTION_WORD =
  /^(?:what|which|who|whose|where|when|why|how|do|does|did|is|are|am|was|were|can|could|would|should|shall|will|have|has|may|might)\b/i;
/** Supposes the whole sentence. */
const SUPPOSITION =
  /\b(?:if (?:i|we|you|he|she|they|it|the|my|our)|what if|suppose|supposing|imagine|pretend|let's say|hypothetically|i wish|were to|would have|for example|e[.․]g\b|just kidding|joking)\b/i;
/** Supposes its clause. */
const DOUBT =
  /\b(?:might|maybe|perhaps|possibly|thinking (?:about|of)|considering|not sure|i guess|could be|would be|i'd|we'd|i would|we would|(?:do|did)n['’]t (?:feel|think|believe|know|mean|want))\b/i;
const REQUEST =
  /^(?:can|could|would|will) you\b|\b(?:help me|show me|tell me|explain|remind me|walk me through|give me (?:a|an|some)|i need (?:you )?(?:to|help)|i want (?:you )?to (?!(?:learn|lose|gain|buy|sell|move|visit|retire|save|open|become|travel|publish|quit|adopt|climb|graduate|relocate|qualify|launch|marry|cycle|hike|run)\b)|i'd like (?:you )?to|let's)\b/i;
const REPORTED =
  /\b(?:said|says|say|told (?:me|us)|tells|asked|asks|wrote|writes|thinks?|thought|claims?|claimed|according to|believes?|heard)\b|\b(?:goes|sings|(?:was|is|were) like),?\s*$/i;

/** The sentences of a message, in order. Of a message that plays a role, those before it. */
export function sentencesIn(message: string): Sentence[] {
  const sentences: Sentence[] = [];
  const own = withoutPasted(message.slice(0, CHARACTERS_READ));
  const typed = isTyped(own);
  let isOpening = true;
  let isGreeted = false;
  for (const raw of split(withDots(own))) {
    const isGreeting = GREETING.test(raw.replace(/[.!]+$/, ''));
    isGreeted = (isGreeted || GREETS.test(raw)) && isOpening;
    const text = withSubject(withoutQuotes(asWritten(raw)).replace(OPENING, '').trim());
    if (PLAY.test(text)) break;
    if (text.length >= SENTENCE_CHARACTERS.min && text.length <= SENTENCE_CHARACTERS.max) {
      sentences.push({ text, isIntroduction: isOpening, isGreeted, isTyped: typed });
    }
    if (!isGreeting) isOpening = false;
    if (sentences.length === SENTENCES_MAX) break;
  }
  return sentences;
}

/** True where a sentence is a statement, neither a question nor a supposition. */
export function isStatement(text: string): boolean {
  return !(text.endsWith('?') || QUESTION_WORD.test(text) || SUPPOSITION.test(text));
}

/** True where a clause states something: it neither doubts it nor requests an action. */
export function isAsserted(clause: string): boolean {
  return !(DOUBT.test(clause) || REQUEST.test(clause));
}

/** True where the text after a position of the sentence is reported speech. */
export function isReported(text: string, at: number): boolean {
  return REPORTED.test(text.slice(0, at));
}

/** Code and quoted lines are not the writer's words. */
function withoutPasted(text: string): string {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, '\n')
    .replaceAll(/^\s*>.*$/gm, '')
    .replaceAll(/`([^`\n]*)`/g, '$1');
}

/** A quotation that speaks in the first person is of somebody else; a title stays. */
function withoutQuotes(sentence: string): string {
  return sentence.replaceAll(/"[^"]*"|“[^”]*”/g, (quoted) =>
    /\b(?:i|i'm|my|we|our|you|your)\b/i.test(quoted) ? '' : quoted.slice(1, -1),
  );
}

function split(text: string): string[] {
  return text
    .split(/(?<=[.!?]["”’)]?)\s+|\n+/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

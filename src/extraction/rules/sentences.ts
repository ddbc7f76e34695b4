/** A sentence of a message. */
export interface Sentence {
  /** Without quotations and without opening words such as "Yes" or "Also". */
  readonly text: string;
  /** It opens the message or follows a greeting. */
  readonly isIntroduction: boolean;
}

/** Longer messages are read up to here; the rest is mostly pasted text. */
const CHARACTERS_READ = 20_000;
const SENTENCES_MAX = 400;
const SENTENCE_CHARACTERS = { min: 4, max: 600 };

/** Words after which a full stop does not end a sentence. */
const ABBREVIATION = /(?:\b(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|e\.g|i\.e|inc|ltd|no|approx)|\b[A-Z])\.$/i;

const GREETING = /^(?:hi|hey|hello|good (?:morning|afternoon|evening)|greetings)\b[^.!?]{0,30}$/i;
const OPENING =
  /^(?:(?:yes|yeah|yep|no|sure|ok|okay|oh|ooh|wow|well|so|also|and|but|anyway|actually|by the way|btw|thanks|thank you|great|good|perfect|update|hi|hey|hello|hi there|hey there|great news|good news|big news|big update|big decision|big upgrade|quick update|oh man|honestly|meanwhile|currently|right now)\b(?: please)?\s*(?:[,!.:;—–-]+\s*|\s+(?=(?:I|we|my|our)\b))?)+/i;

const QUESTION_WORD =
  /^(?:what|which|who|whose|where|when|why|how|do|does|did|is|are|am|was|were|can|could|would|should|shall|will|have|has|may|might)\b/i;
/** Supposes the whole sentence. */
const SUPPOSITION =
  /\b(?:if (?:i|we|you|he|she|they|it|the|my|our)|what if|suppose|supposing|imagine|pretend|let's say|hypothetically|i wish|were to|would have|for example|e\.g\.|just kidding|joking)\b/i;
/** Supposes its clause. */
const DOUBT =
  /\b(?:might|maybe|perhaps|possibly|thinking (?:about|of)|considering|not sure|i guess|could be|would be|i'd|we'd|i would|we would|(?:do|did)n['’]t (?:feel|think|believe|know|mean|want))\b/i;
const REQUEST =
  /^(?:can|could|would|will) you\b|\b(?:help me|show me|tell me|explain|remind me|walk me through|give me (?:a|an|some)|i need (?:you )?(?:to|help)|i want (?:you )?to (?!(?:learn|lose|gain|buy|sell|move|visit|retire|save|open|become|travel|publish|quit|adopt|climb|graduate|relocate|qualify|launch|marry|cycle|hike|run)\b)|i'd like (?:you )?to|let's)\b/i;
const REPORTED =
  /\b(?:said|says|say|told (?:me|us)|tells|asked|asks|wrote|writes|thinks?|thought|claims?|claimed|according to|believes?|heard)\b/i;

/** The sentences of a message, in order. */
export function sentencesIn(message: string): Sentence[] {
  const sentences: Sentence[] = [];
  let isOpening = true;
  for (const raw of split(withoutPasted(message.slice(0, CHARACTERS_READ)))) {
    const isGreeting = GREETING.test(raw.replace(/[.!]+$/, ''));
    const text = withoutQuotes(raw).replace(OPENING, '').trim();
    if (text.length >= SENTENCE_CHARACTERS.min && text.length <= SENTENCE_CHARACTERS.max) {
      sentences.push({ text, isIntroduction: isOpening });
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

/** True where a clause requests an immediate action. */
export function isRequest(clause: string): boolean {
  return REQUEST.test(clause);
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
  const parts: string[] = [];
  let current = '';
  for (const piece of text.split(/(?<=[.!?]["”’)]?)\s+|\n+/)) {
    current = current === '' ? piece : `${current} ${piece}`;
    if (ABBREVIATION.test(current)) continue;
    parts.push(current.trim());
    current = '';
  }
  if (current !== '') parts.push(current.trim());
  return parts.filter((part) => part !== '');
}

import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const FOLDER = new URL('../small-memories/', import.meta.url);
/** Files in which all questions of a half are about the same memories. */
const SCRIPTS_FOLDER = new URL('scripts/', FOLDER);
/** Some 450 statements a half, in the order of time, many of which contradict an older one; two days apart. */
const STATEMENTS_FOLDER = new URL('../statements/', import.meta.url);
const LANGUAGES_FILE = 'languages.json';
/** 120 sentences in English about the life of a person, with questions in eight other languages. */
const LIFE_FILE = 'life.json';
/** Questions and memories in languages that the sentence encoder does not know. */
const UNREAD_FILE = 'unread-languages.json';
/** Sentences that ask nothing, about the memories of `LIFE_FILE`. */
const REMARKS_FILE = 'remarks.json';
const LANGUAGES = { de: 'German', fr: 'French', es: 'Spanish', pt: 'Portuguese' } as const;
/** Time of the questions, unless a case sets another: a Wednesday evening. */
const NOW = '2026-11-25T18:00:00Z';
const MINUTE_MS = 60_000;
const STATEMENT_MS = 2 * 24 * 60 * MINUTE_MS;
/** The last fact of a chain of facts is among so many hits. */
const CHAIN_WITHIN = 10;

/** `development`: may be looked at while recall is tuned. `check`: shows whether that was overfitted. */
export type Half = 'development' | 'check';

const describedMemory = z.strictObject({
  text: z.string().optional(),
  /** Name of one of the file's `texts`. */
  textOf: z.string().optional(),
  speaker: z.string().optional(),
  content: z.record(z.string(), z.json()).optional(),
  /** Time of the event; without an hour it is noon in UTC. Default: minutes before the question, in order. */
  at: z.string().optional(),
});

type DescribedMemory = z.infer<typeof describedMemory>;

/** A text alone, or with further fields of the memory. */
const memory = z.union([z.string().transform((text): DescribedMemory => ({ text })), describedMemory]);

const oneCase = z.strictObject({
  question: z.string(),
  /** Place of the memory that is to come first, from 0; null where none is relevant. */
  expect: z.number().int().nullable(),
  memories: z.array(memory).min(1).max(50),
  now: z.string().optional(),
});

const caseFile = z.strictObject({
  category: z.string(),
  texts: z.record(z.string(), z.string()).default({}),
  development: z.array(oneCase),
  check: z.array(oneCase),
});

const remarkHalf = z.array(z.strictObject({ remark: z.string(), expect: z.number().int().nullable() }));
const remarkFile = z.strictObject({ development: remarkHalf, check: remarkHalf });

const sharedHalf = z.strictObject({
  memories: z.array(z.string()).min(1).max(50),
  questions: z.array(oneCase.pick({ question: true, expect: true })),
});
const sharedFile = z.strictObject({ category: z.string(), development: sharedHalf, check: sharedHalf });

const statementQuestions = z.array(oneCase.pick({ question: true, expect: true }));
const statementHalf = z.strictObject({
  memories: z.array(z.string()),
  questions: statementQuestions,
  chains: statementQuestions,
});
const statementFile = z.strictObject({ development: statementHalf, check: statementHalf });

const fact = z.strictObject({ memory: z.string(), question: z.string() });
const factRow = z.strictObject({ en: fact, de: fact, fr: fact, es: fact, pt: fact });
const languageFile = z.strictObject({ development: z.array(factRow), check: z.array(factRow) });

/** Many questions about the same memories. */
const group = z.strictObject({
  memories: z.array(z.string()),
  development: z.array(oneCase.pick({ question: true, expect: true }).extend({ language: z.string() })),
  check: z.array(oneCase.pick({ question: true, expect: true }).extend({ language: z.string() })),
});

export interface CaseMemory {
  readonly text?: string;
  readonly speaker?: string;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly eventTime: Date;
}

export interface SmallCase {
  readonly category: string;
  readonly half: Half;
  readonly question: string;
  /** Index of the expected first memory; undefined where nothing is relevant. */
  readonly expected: number | undefined;
  /** Cases with the same array are asked in one namespace. */
  readonly memories: readonly CaseMemory[];
  readonly now: Date;
  /** The expected memory must be relevant too. */
  readonly mustShow?: boolean;
  /** It is right among so many hits. Default: 1, the first one. */
  readonly within?: number;
}

/** The cases in English, by category. */
export function englishCases(): SmallCase[] {
  const others = [LANGUAGES_FILE, LIFE_FILE, UNREAD_FILE, REMARKS_FILE];
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json') && !others.includes(name));
  return files.sort().flatMap((name) => {
    const { category, texts, ...halves } = caseFile.parse(readJson(name));
    return (['development', 'check'] as const).flatMap((half) =>
      halves[half].map((one) => caseOf(one, { category, half, texts })),
    );
  });
}

/** Questions in one language about memories in another: each language to English, and the other way round. */
export function languageCases(): SmallCase[] {
  const halves = languageFile.parse(readJson(LANGUAGES_FILE));
  const directions = (Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]).flatMap((code) => [
    { category: `${LANGUAGES[code]} question, English memory`, asked: code, received: 'en' as const },
    { category: `English question, ${LANGUAGES[code]} memory`, asked: 'en' as const, received: code },
  ]);
  return directions.flatMap(({ category, asked, received }) =>
    (['development', 'check'] as const).flatMap((half) => {
      const rows = halves[half];
      const memories = rows.map((row) => row[received].memory);
      const questions = rows.map((row, expect) => ({ question: row[asked].question, expect }));
      return casesOf({ memories, questions }, { category, half });
    }),
  );
}

export function lifeCases(): SmallCase[] {
  return groupCases(LIFE_FILE);
}

export function unreadCases(): SmallCase[] {
  return groupCases(UNREAD_FILE);
}

/** Remarks about a life, and some about nothing in it. */
export function remarkCases(): SmallCase[] {
  const [memories = []] = lifeCases().map((one) => one.memories);
  const halves = remarkFile.parse(readJson(REMARKS_FILE));
  return (['development', 'check'] as const).flatMap((half) =>
    halves[half].map(({ remark, expect }): SmallCase => {
      const category = expect === null ? 'nothing to say' : 'a remark';
      return { category, half, question: remark, expected: expect ?? undefined, now: new Date(NOW), memories };
    }),
  );
}

/** Cases of one group share their memories. */
function groupCases(file: string): SmallCase[] {
  const now = new Date(NOW);
  return z
    .array(group)
    .parse(readJson(file))
    .flatMap(({ memories, ...halves }) => {
      const shared = memories.map((text, at): CaseMemory => {
        return { text, eventTime: new Date(now.getTime() - (memories.length - at) * MINUTE_MS) };
      });
      return (['development', 'check'] as const).flatMap((half) =>
        halves[half].map(({ language, question, expect }): SmallCase => {
          const category = `${language}${expect === null ? ', no answer' : ''}`;
          return { category, half, question, expected: expect ?? undefined, now, memories: shared };
        }),
      );
    });
}

/** Words of scripts, signs, numbers and spellings that English texts seldom have, by category. */
export function scriptCases(): SmallCase[] {
  return readdirSync(SCRIPTS_FOLDER)
    .sort()
    .flatMap((name) => {
      const { category, ...halves } = sharedFile.parse(readJson(`scripts/${name}`));
      return (['development', 'check'] as const).flatMap((half) =>
        casesOf(halves[half], { category, half }).map((one) => ({ ...one, mustShow: true })),
      );
    });
}

/** Of statements about one thing the newest is asked for, or the last of a chain of facts. */
export function statementCases(): SmallCase[] {
  const now = new Date(NOW);
  return readdirSync(STATEMENTS_FOLDER)
    .sort()
    .flatMap((name) => {
      const halves = statementFile.parse(readJson(`../statements/${name}`));
      return (['development', 'check'] as const).flatMap((half) => {
        const { memories, questions, chains } = halves[half];
        const stored = memories.map((text, at): CaseMemory => {
          return { text, eventTime: new Date(now.getTime() - (memories.length - at) * STATEMENT_MS) };
        });
        const casesIn = (category: string, asked: typeof questions, within: number) =>
          asked.map(({ question, expect }): SmallCase => {
            return { category, half, question, expected: expect ?? undefined, memories: stored, now, within };
          });
        const subject = name.replace('.json', '').replace('-', ' ');
        return [
          ...casesIn(`newest statement, ${subject}`, questions, 1),
          ...casesIn(`chain of facts, in ${CHAIN_WITHIN}`, chains, CHAIN_WITHIN),
        ];
      });
    });
}

/** Cases about the same memories. */
function casesOf(
  { memories, questions }: z.infer<typeof sharedHalf>,
  { category, half }: { category: string; half: Half },
): SmallCase[] {
  const shared = caseOf(
    { question: '', expect: null, memories: memories.map((text) => ({ text })) },
    { category, half, texts: {} },
  );
  return questions.map(({ question, expect }) => ({ ...shared, question, expected: expect ?? undefined }));
}

function caseOf(
  { question, expect, memories, now = NOW }: z.infer<typeof oneCase>,
  { category, half, texts }: { category: string; half: Half; texts: Readonly<Record<string, string>> },
): SmallCase {
  if (expect !== null && !(expect in memories)) throw new Error(`"${question}": there is no memory ${expect}`);
  const asked = new Date(now);
  return {
    category,
    half,
    question,
    expected: expect ?? undefined,
    now: asked,
    memories: memories.map((one, place) => {
      const { text, textOf, speaker, content, at } = one;
      if (textOf !== undefined && texts[textOf] === undefined) throw new Error(`"${question}": no text "${textOf}"`);
      const before = new Date(asked.getTime() - (memories.length - place) * MINUTE_MS);
      const eventTime = at === undefined ? before : new Date(at.includes('T') ? at : `${at}T12:00:00Z`);
      return { text: textOf === undefined ? text : texts[textOf], speaker, content, eventTime };
    }),
  };
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
}

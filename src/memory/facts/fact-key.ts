import { hash } from 'node:crypto';
import { derivedId } from '../derived-id.ts';
import type { Scope } from '../memory.ts';
import { SCOPE_PARTS } from '../scope.ts';

/** Facts of one key form one timeline. Subject and attribute are in their normal form. */
export interface FactKey {
  readonly scope: Scope;
  readonly subject: string;
  readonly attribute: string;
}

/** Limits of facts that the API promises; `proto/mneme/v1/knowledge_service.proto` documents them. */
export const FACT_LIMITS = {
  subjectBytes: 256,
  attributeBytes: 128,
  valueBytes: 4096,
  textBytes: 8192,
  sources: 64,
  sourceBytes: 1024,
  /** Values of one key, whether they are current, superseded or forgotten. */
  valuesOfKey: 1000,
  claims: 100,
} as const;

/** The subject that a user is called by while the name is not known. */
export const USER = 'user';

const EDGES = /^[\s"'“”‘’.,;:!?()[\]{}<>*_~`-]+|[\s"'“”‘’.,;:!?()[\]{}<>*_~`-]+$/g;

/** Form in which names of subjects are compared: case, space, marks at the edges and possessives do not count. */
export function normalSubject(text: string): string {
  const plain = folded(text).replace(/['’]s$/, '');
  return FIRST_PERSONS.has(plain) ? USER : plain;
}

const FIRST_PERSONS = new Set(['i', 'me', 'myself', 'user', 'the user']);

/** Form in which attributes are compared: words in lower case joined by `_`, one name for synonyms. */
export function normalAttribute(text: string): string {
  const name = folded(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '');
  const spelled = name.replace(/^favourite_/, 'favorite_').replace(/_colour$/, '_color');
  return ALIASES.get(spelled) ?? spelled;
}

/** Form in which values are compared: as subjects, and without a leading article. */
export function normalValue(text: string): string {
  return folded(text).replace(/^(?:the|a|an) (?=.)/, '');
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').replaceAll(EDGES, '');
}

const ALIASES = new Map(
  Object.entries({
    name: ['full_name', 'first_name', 'called'],
    home_city: ['lives_in', 'city', 'residence', 'home', 'location', 'lives', 'current_city', 'city_of_residence'],
    employer: ['works_at', 'works_for', 'company', 'workplace', 'current_employer'],
    job_title: ['occupation', 'job', 'profession', 'role', 'works_as', 'position'],
    birthday: ['date_of_birth', 'birth_date', 'birthdate', 'born_on'],
    email: ['email_address', 'e_mail'],
    phone: ['phone_number', 'telephone', 'mobile'],
    timezone: ['time_zone'],
    hometown: ['home_town', 'comes_from', 'grew_up_in', 'is_from'],
    marital_status: ['relationship_status'],
    language: ['preferred_language'],
  }).flatMap(([attribute, aliases]) => aliases.map((alias) => [alias, attribute] as const)),
);

/** Attributes that have one value at a time; `docs/facts.md` lists them. */
const SINGLE_VALUED = new Set([
  ...['name', 'nickname', 'age', 'birthday', 'birthplace', 'gender', 'pronouns', 'height', 'weight', 'marital_status'],
  ...['home_city', 'home_country', 'address', 'hometown', 'timezone', 'language', 'native_language', 'nationality'],
  ...['employer', 'job_title', 'salary', 'manager', 'team', 'school', 'major', 'email', 'phone', 'partner', 'spouse'],
  ...[
    'status',
    'version',
    'deadline',
    'date',
    'due_date',
    'team_size',
    'tech_stack',
    'main_model',
    'start_date',
    'end_date',
    'budget',
    'price',
    'owner',
    'priority',
  ],
  ...['diet', 'username', 'database', 'framework', 'editor', 'operating_system', 'employment'],
  ...['wife', 'husband', 'girlfriend', 'boyfriend', 'boss', 'landlord', 'car', 'phone_model', 'laptop'],
]);

const SINGLE_PREFIXES = ['favorite_', 'preferred_', 'current_', 'instruction_'];

/** True where a new value supersedes the one before; other attributes have several values at a time. */
export function isSingleValued(attribute: string): boolean {
  return SINGLE_VALUED.has(attribute) || SINGLE_PREFIXES.some((prefix) => attribute.startsWith(prefix));
}

/** Id of the record of a key in its namespace. */
export function keyRecordId(key: FactKey): string {
  return derivedId(`fact key\n${keyText(key)}`);
}

/** Id of the fact that is the n-th of its key to have been recorded. */
export function factId(key: FactKey, value: string, number: number): string {
  return derivedId(`fact\n${keyText(key)}\n${value}\n${number}`);
}

function keyText({ scope, subject, attribute }: FactKey): string {
  return JSON.stringify([...SCOPE_PARTS.map((part) => scope[part]), subject, attribute]);
}

/** Digest of a value in its normal form, or of a sentence: records of a key contain these instead of the text. */
export function digestOf(normal: string): string {
  return hash('sha256', normal, 'base64url').slice(0, 16);
}

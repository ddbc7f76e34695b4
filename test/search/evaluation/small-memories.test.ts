import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startOwnServer } from '../../../tools/eval/own-server.ts';
import { cleanUp, client, onCleanUp } from '../../client/support/clean-up.ts';
import { englishCases, languageCases, lifeCases, remarkCases, scriptCases, unreadCases } from './support/case-files.ts';
import { caseReport, rightIn } from './support/case-report.ts';
import { type Outcome, runCases } from './support/run-cases.ts';

/** Current results; raise them when more are correct. `make eval-small` prints correct and wrong answers. */
const FLOORS = { english: 170, languages: 157, life: 145, unread: 63, scripts: 200, remarks: 29 };

let english: Outcome[] = [];
let languages: Outcome[] = [];
let life: Outcome[] = [];
let unread: Outcome[] = [];
let scripts: Outcome[] = [];
let remarks: Outcome[] = [];

beforeAll(async () => {
  const server = await startOwnServer();
  onCleanUp(() => server.stop());
  const mneme = client(server.address);
  english = await runCases(mneme, englishCases(), 'english');
  languages = await runCases(mneme, languageCases(), 'language');
  life = await runCases(mneme, lifeCases(), 'life');
  unread = await runCases(mneme, unreadCases(), 'unread');
  scripts = await runCases(mneme, scriptCases(), 'script');
  remarks = await runCases(mneme, remarkCases(), 'remark');
});
afterAll(cleanUp);

describe('small memories', () => {
  it('each category has cases to tune with and as many to check with', () => {
    const cases = englishCases();
    expect(cases.length).toBeGreaterThanOrEqual(100);
    for (const category of new Set(cases.map((one) => one.category))) {
      const of = (half: string) => cases.filter((one) => one.category === category && one.half === half).length;
      expect([category, of('check')]).toEqual([category, of('development')]);
    }
  });

  it('questions in English have as many right first hits as before', () => {
    const right = rightIn(english);
    if (right < FLOORS.english) throw new Error(caseReport('small memories', english).join('\n'));
    expect(right).toBeGreaterThanOrEqual(FLOORS.english);
  });

  it('questions in one language about memories in another have as many right first hits as before', () => {
    const right = rightIn(languages);
    if (right < FLOORS.languages) throw new Error(caseReport('across languages', languages).join('\n'));
    expect(right).toBeGreaterThanOrEqual(FLOORS.languages);
  });

  it('questions in eight languages about 120 memories in English have as many right answers as before', () => {
    const right = rightIn(life);
    if (right < FLOORS.life) throw new Error(caseReport('a life in English', life).join('\n'));
    expect(right).toBeGreaterThanOrEqual(FLOORS.life);
  });

  it('in languages that the encoder does not know, words alone decide what is relevant', () => {
    const right = rightIn(unread);
    if (right < FLOORS.unread) throw new Error(caseReport('unread languages', unread).join('\n'));
    expect(right).toBeGreaterThanOrEqual(FLOORS.unread);
  });

  it('remarks find what matters then as often as before', () => {
    const right = rightIn(remarks);
    if (right < FLOORS.remarks) throw new Error(caseReport('remarks', remarks).join('\n'));
    expect(right).toBeGreaterThanOrEqual(FLOORS.remarks);
  });

  it('words of every script, signs, numbers and spellings find as many memories as before', () => {
    const right = rightIn(scripts);
    if (right < FLOORS.scripts) throw new Error(caseReport('scripts and spellings', scripts).join('\n'));
    expect(right).toBeGreaterThanOrEqual(FLOORS.scripts);
  });
});

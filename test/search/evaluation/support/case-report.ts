import type { Half } from './case-files.ts';
import type { Outcome } from './run-cases.ts';

const TEXT_SHOWN = 70;
const CATEGORY_WIDTH = 44;

export function rightIn(outcomes: readonly Outcome[], half?: Half): number {
  return outcomes.filter(({ one, isRight }) => isRight && (half === undefined || one.half === half)).length;
}

/** A table by category, correct of all, and then the wrong first hits. */
export function caseReport(title: string, outcomes: readonly Outcome[]): string[] {
  const categories = [...new Set(outcomes.map(({ one }) => one.category))];
  const row = (name: string, some: readonly Outcome[]) => {
    const share = (half?: Half) => {
      const all = some.filter(({ one }) => half === undefined || one.half === half);
      return `${rightIn(all)}/${all.length}`.padStart(13);
    };
    return `${name.padEnd(CATEGORY_WIDTH)}${share()}${share('development')}${share('check')}`;
  };
  const header = ['right', 'development', 'check'].map((name) => name.padStart(13)).join('');
  return [
    `${title.padEnd(CATEGORY_WIDTH)}${header}`,
    ...categories.map((name) =>
      row(
        name,
        outcomes.filter(({ one }) => one.category === name),
      ),
    ),
    row('all', outcomes),
    ...outcomes.filter(({ isRight }) => !isRight).flatMap(failureLines),
    '',
  ];
}

function failureLines({ one, hits }: Outcome): string[] {
  const received = (place: number) => {
    const { text, speaker, content } = one.memories[place] ?? {};
    const all = `${speaker === undefined ? '' : `${speaker}: `}${text ?? JSON.stringify(content)}`;
    return all.length > TEXT_SHOWN ? `${all.slice(0, TEXT_SHOWN)}…` : all;
  };
  const expected = one.expected === undefined ? 'nothing' : received(one.expected);
  return [
    `wrong: ${one.question}  (${one.category}, ${one.half})`,
    `    expected       ${expected}`,
    ...hits.map(({ score, place }, at) => `    ${at + 1}  ${score.toFixed(4).padStart(8)}    ${received(place)}`),
  ];
}

import { readFileSync } from 'node:fs';

/** An instruction of a Dockerfile, such as `COPY`, with its arguments as they are written. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  /** Name after `AS`; empty for a stage without one. */
  readonly name: string;
  /** Image that the stage begins with, with the values of `ARG`s. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** Stages of a Dockerfile in order. */
export function stagesOf(file: string): Stage[] {
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  const args = new Map<string, string>();
  for (const { name, text } of instructionsOf(readFileSync(file, 'utf8'))) {
    if (name === 'FROM') {
      const [base = '', stage = ''] = text.split(/ AS /i);
      const filled = base.replaceAll(/\$\{(\w+)\}/g, (_, arg: string) => args.get(arg) ?? '');
      stages.push({ name: stage, base: filled, instructions: [] });
    } else if (stages.length === 0 && name === 'ARG') {
      const [arg = '', value = ''] = text.split('=');
      args.set(arg, value);
    } else {
      stages.at(-1)?.instructions.push({ name, text });
    }
  }
  return stages;
}

function instructionsOf(text: string): Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return name === undefined || rest === undefined ? [] : [{ name, text: rest }];
  });
}

/** Argument of the last instruction of this name; empty where there is none. */
export function lastOf(stage: Stage, name: string): string {
  return stage.instructions.findLast((each) => each.name === name)?.text ?? '';
}

/** A command in JSON form, such as `["mneme", "serve"]`. */
export function commandOf(text: string): string[] {
  return JSON.parse(text) as string[];
}

/** Variables of all `ENV` instructions. */
export function variablesOf(stage: Stage): Record<string, string> {
  const texts = stage.instructions.filter(({ name }) => name === 'ENV').map(({ text }) => text);
  return Object.fromEntries(
    [...texts.join(' ').matchAll(/(\w+)=("[^"]*"|\S+)/g)].map(([, key, value]) => [key, value]),
  );
}

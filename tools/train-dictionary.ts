/**
 * Makes the dictionary that bodies of the lower tiers are compressed with, from texts that were written for it and from
 * this project's own pages: `node tools/train-dictionary.ts`. Needs the program `zstd` (Debian: package zstd). A
 * dictionary that has been released is never made anew, because what is stored needs it for good: raise VERSION.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layOut } from '../src/memory/resolution/lower-body.ts';
import { seededRandom } from '../test/support/random.ts';
import { sampleOf } from './dictionary/samples.ts';

const VERSION = 1;
/** Larger ones are read anew for every memory and cost more time than they save bytes. */
const DICTIONARY_BYTES = 8192;
const SAMPLES = 6000;
const SEED = `dictionary-${VERSION}`;
const LINE_LENGTH = 112;

const random = seededRandom('train-dictionary', SEED);
const sentences = globSync(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/*.md'])
  .sort()
  .flatMap((path) => readFileSync(path, 'utf8').split(/(?<=\.)\s+|\n{2,}/))
  .map((sentence) => sentence.replaceAll('\n', ' ').trim())
  .filter((sentence) => /^[A-Z][\w ,;:'()-]{30,160}\.$/.test(sentence));

const folder = mkdtempSync(join(tmpdir(), 'mneme-dictionary-'));
try {
  const files = Array.from({ length: SAMPLES }, (_, at) => {
    const { text, json } = sampleOf(random, sentences);
    const content = json === undefined ? undefined : { mediaType: 'application/json', data: Buffer.from(json) };
    const file = join(folder, `${at}.bin`);
    writeFileSync(file, layOut(content ? { text, content } : { text }));
    return file;
  });
  const trained = join(folder, 'dictionary');
  const flags = ['--train', `--maxdict=${DICTIONARY_BYTES}`, `--dictID=${VERSION}`, '-q', '-f', '-o', trained];
  execFileSync('zstd', [...flags, '-r', folder], { stdio: ['ignore', 'inherit', 'inherit'] });
  writeFileSync(`src/memory/resolution/dictionary-v${VERSION}.ts`, source(readFileSync(trained)));
  console.log(`${files.length} samples, ${sentences.length} sentences of the project's pages`);
} finally {
  rmSync(folder, { recursive: true });
}

function source(dictionary: Buffer): string {
  const lines = dictionary.toString('base64').match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return `/**
 * Made by tools/train-dictionary.ts from texts of this project, under its licence. Never changed: memories that were
 * compressed with it can be read with nothing else. Base64 of a zstd dictionary.
 */
export const DICTIONARY_V${VERSION} = \`
${lines.join('\n')}
\`;
`;
}

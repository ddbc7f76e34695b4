import { hash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import process, { pid, version } from 'node:process';
import { fileURLToPath } from 'node:url';

/** The checkout. Both the source of this file and its bundled copy are three folders below it. */
export const ROOT = fileURLToPath(new URL('../../', projectUrl()));
/**
 * Bundles by key, the state of the newest one, and the bundled launcher. Outside of `node_modules`, which an installation
 * of packages empties under servers that run.
 */
export const BUNDLES = `${ROOT}.cache/mneme-bundle/`;
const STATE_FILE = `${BUNDLES}state.json`;
export const FORMAT = 1;

/** A file that the bundle was made of. */
export interface Input {
  /** Relative to the checkout. */
  readonly path: string;
  /** Size and times of change: while they stay the same, so does the content. */
  readonly stamp: string;
  readonly sha256: string;
}

export interface BundleState {
  readonly format: number;
  /** Version of Node that the bundle was made for. */
  readonly node: string;
  /** Name of the bundle's folder. */
  readonly key: string;
  readonly inputs: readonly Input[];
}

/** The state of the newest bundle; `undefined` where there is none that this version can read. */
export function readState(): BundleState | undefined {
  try {
    const state = JSON.parse(readFileSync(STATE_FILE, 'utf8')) as BundleState;
    return state.format === FORMAT && state.node === version ? state : undefined;
  } catch {
    return undefined;
  }
}

export function writeState(state: BundleState): void {
  replaceFile(STATE_FILE, JSON.stringify(state));
}

const USER = /^used-by-(\d+)$/;

/** Says that this process loads parts of a bundle until it ends. */
export function useBundle(folder: string): void {
  const mark = `${folder}used-by-${pid}`;
  try {
    writeFileSync(mark, '');
    process.once('exit', () => rmSync(mark, { force: true }));
  } catch {
    // Where nothing can be written, no bundle is removed either.
  }
}

/** Whether a process that runs loads parts of a bundle. */
export function isInUse(folder: string): boolean {
  return readdirSync(folder).some((name) => isRunning(USER.exec(name)?.[1]));
}

function isRunning(processId: string | undefined): boolean {
  if (processId === undefined) return false;
  try {
    return process.kill(Number(processId), 0);
  } catch (error) {
    // A process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Other processes see the former content or all of this one. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  writeFileSync(`${path}.${pid}`, content);
  renameSync(`${path}.${pid}`, path);
}

/** Reads nothing but the directory entry: some 4 µs a file. The time of status change cannot be set by a program. */
export function stampOf(path: string): string {
  const { size, mtimeNs, ctimeNs } = statSync(`${ROOT}${path}`, { bigint: true });
  return `${size} ${mtimeNs} ${ctimeNs}`;
}

export function sha256Of(path: string): string {
  return hash('sha256', readFileSync(`${ROOT}${path}`));
}

/** `file:` URL of `tools/bundle/` in the checkout; the bundler replaces it in the bundled copy. */
function projectUrl(): string {
  return import.meta.url;
}

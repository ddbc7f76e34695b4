import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf, type Instruction, lastOf, type Stage, stagesOf, variablesOf } from './dockerfile.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DOCKERFILE = 'deploy/image/Dockerfile';
/** Folders of the containers that the Dockerfile names; in commands they become folders below a temporary one. */
const FOLDERS = /(?<![\w./-])\/(?=(?:src|data|opt\/mneme|usr\/local\/bin)(?:[/ ]|$))/g;
const isRoot = process.getuid?.() === 0;

export interface Run {
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of the `CMD`. */
  readonly args?: readonly string[];
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/**
 * The last stage of the Dockerfile, made without Docker: each COPY and RUN is carried out below a temporary folder that takes
 * the place of `/`. The base images are this machine's own system and Node. Programs run as the user of the image where the
 * tests may change the user, and otherwise as the user of the tests.
 */
export class BuiltImage {
  /** Takes the place of `/`. */
  readonly root: string;
  readonly stage: Stage;
  private readonly roots = new Map<string, string>();
  private readonly scratch = mkdtempSync(join(tmpdir(), 'mneme-image-'));

  constructor() {
    try {
      chmodSync(this.scratch, 0o755);
      const stages = stagesOf(join(ROOT, DOCKERFILE));
      for (const stage of stages) this.build(stage);
      const [stage] = stages.slice(-1);
      if (stage === undefined) throw new Error('the Dockerfile has no stage');
      this.stage = stage;
      this.root = this.rootOf(stage.name);
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** Path of a file in the image. */
  path(...parts: readonly string[]): string {
    return join(this.root, ...parts);
  }

  /** Starts the program of the image, with its variables and as its user. */
  start({ env = {}, args = commandOf(lastOf(this.stage, 'CMD')) }: Run = {}) {
    const [program = '', ...before] = commandOf(lastOf(this.stage, 'ENTRYPOINT'));
    return this.spawn([program, ...before, ...args], env);
  }

  /** Runs the program to its end. */
  async run(run: Run): Promise<Ended> {
    return ended(this.start(run));
  }

  /** Runs the health check of the image in a container with these variables. */
  async healthCheck(env: Readonly<Record<string, string>>): Promise<Ended> {
    const [, command = '[]'] = /CMD (\[.*\])$/.exec(lastOf(this.stage, 'HEALTHCHECK')) ?? [];
    return ended(this.spawn(commandOf(command), env));
  }

  remove(): void {
    rmSync(this.scratch, { recursive: true, force: true });
  }

  private spawn([program = '', ...args]: readonly string[], env: Readonly<Record<string, string>>) {
    const variables = Object.entries(variablesOf(this.stage)).map(([key, value]) => [key, this.inRoot(value)]);
    const [uid, gid] = lastOf(this.stage, 'USER').split(':').map(Number);
    return spawn(program, args, {
      cwd: this.inRoot(lastOf(this.stage, 'WORKDIR')),
      // No temporary folder and no home: a container with a read-only root has none that can be written to.
      env: {
        PATH: this.searchPath(this.root, '/usr/bin:/bin'),
        TMPDIR: '/none',
        HOME: '/none',
        ...Object.fromEntries(variables),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot && { uid, gid }),
    });
  }

  private build(stage: Stage): void {
    const root = join(this.scratch, `root-${this.roots.size}`);
    this.roots.set(stage.name, root);
    mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
    if (stage.base.startsWith('node:')) cpSync(process.execPath, join(root, 'usr/local/bin/node'));
    let folder = '/';
    for (const instruction of stage.instructions) {
      if (instruction.name === 'WORKDIR') {
        folder = instruction.text;
        mkdirSync(join(root, folder), { recursive: true });
      }
      if (instruction.name === 'COPY') this.copy(root, folder, instruction);
      if (instruction.name === 'RUN') this.carryOut(root, folder, instruction);
    }
  }

  private copy(root: string, folder: string, { text }: Instruction): void {
    const [, from] = /^--from=(\S+) /.exec(text) ?? [];
    const paths = text.replace(/^--from=\S+ /, '').split(' ');
    const target = join(root, paths.at(-1)?.startsWith('/') ? '' : folder, paths.at(-1) ?? '');
    for (const path of paths.slice(0, -1)) {
      if (from !== undefined) cpSync(join(this.rootOf(from), path), target, { recursive: true });
      else for (const each of contextOf(path)) cpSync(join(ROOT, each), join(target, each), { recursive: true });
    }
  }

  private carryOut(root: string, folder: string, { text }: Instruction): void {
    const command = text.replaceAll(FOLDERS, `${root}/`);
    const { status, stdout, stderr } = spawnSync(
      'sh',
      ['-c', isRoot ? command : command.replaceAll(/ -[og] \d+/g, '')],
      {
        cwd: join(root, folder),
        encoding: 'utf8',
        env: { ...process.env, PATH: this.searchPath(root, process.env['PATH'] ?? '') },
      },
    );
    if (status !== 0) throw new Error(`RUN ${text}: ${stdout}${stderr}`);
  }

  private searchPath(root: string, others: string): string {
    return [join(root, 'usr/local/bin'), others].join(delimiter);
  }

  private inRoot(path: string): string {
    return path.startsWith('/') ? join(this.root, path) : path;
  }

  private rootOf(name: string): string {
    const root = this.roots.get(name);
    if (root === undefined) throw new Error(`the Dockerfile has no stage ${name}`);
    return root;
  }
}

/** Files of the build context that a COPY takes: `.` is all that Dockerfile.dockerignore lets through. */
function contextOf(path: string): string[] {
  if (path !== '.') return [path];
  const lines = readFileSync(join(ROOT, `${DOCKERFILE}.dockerignore`), 'utf8').split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const [first, ...others] = rules;
  const isList = first === '*' && others.every((rule) => rule.startsWith('!'));
  if (!isList) throw new Error('Dockerfile.dockerignore: expected * and then what is let through, each with !');
  return others.flatMap((rule) => globSync(rule.slice(1), { cwd: ROOT }));
}

async function ended(child: ReturnType<BuiltImage['start']>): Promise<Ended> {
  let output = '';
  const add = (text: string) => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  return { code, output };
}

/** Everything in a folder, hidden folders included. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

export function bytesOf(folder: string): number {
  const files = namesIn(folder).map((path) => lstatSync(join(folder, path)));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

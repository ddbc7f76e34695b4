/** Finds in the repository what linters do not look for. Prints one line per fault; silent when there is none. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LINE_RULES: readonly { fault: RegExp; says: string; in?: RegExp }[] = [
  { fault: /\b(TODO|FIXME|XXX)\b(?!\([a-z]+\): )/, says: 'write "TODO(name): what and why"' },
  { fault: /(^|[\s'"`(=])\/(home|root|work|Users)\/\w/, says: "a path of somebody's machine" },
  { fault: /\.\.\/shared\//, says: 'reaches outside the checkout', in: /^(?!\.ci\/)/ },
  { fault: /^(<{7}|>{7}) /, says: 'an unfinished merge' },
  { fault: /^\s*(await )?using \w+ =/, says: 'Node 22 does not know "using": try/finally', in: /\.ts$/ },
];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter(
    (path) =>
      // A link to a folder is listed as a file: what it leads to is looked at where it is.
      existsSync(path) &&
      !statSync(path).isDirectory() &&
      !/^(gen|proto\/google|proto\/grpc)\/|\/$|package-lock\.json$|\.binpb$|\.zst$|\.png$/.test(path),
  );

function* faultsOf(path: string): Generator<string> {
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  // This file holds the patterns themselves.
  const rules = LINE_RULES.filter((rule) => path !== 'tools/tidy.ts' && (rule.in?.test(path) ?? true));
  for (const [index, line] of lines.entries()) {
    for (const { fault, says } of rules) if (fault.test(line)) yield `line ${index + 1}: ${says}`;
  }
  if (path.endsWith('.md')) yield* brokenLinksOf(path, text);
  if (path === 'package.json') yield* looseVersionsOf(text);
}

function* brokenLinksOf(path: string, text: string): Generator<string> {
  for (const [, target = '', anchor] of text.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)/g)) {
    if (target.includes('://')) continue;
    const file = target === '' ? path : join(dirname(path), target);
    if (!existsSync(file)) yield `leads nowhere: ${target}`;
    else if (anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor)) {
      yield `leads to no heading: ${target}#${anchor}`;
    }
  }
  for (const [, file = ''] of text.matchAll(/`((?:src|test|tools|proto|clients|docs)\/[\w./-]+\.\w+)`/g)) {
    if (!existsSync(file)) yield `names a file that is not there: ${file}`;
  }
}

const anchorsByFile = new Map<string, ReadonlySet<string>>();

/** As GitHub makes them of headings. */
function anchorsOf(file: string): ReadonlySet<string> {
  const known = anchorsByFile.get(file);
  if (known !== undefined) return known;
  const anchors = new Set<string>();
  for (const [, heading = ''] of readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\-_ ]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  anchorsByFile.set(file, anchors);
  return anchors;
}

function* looseVersionsOf(text: string): Generator<string> {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as Record<string, Record<string, string>>;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    if (!/^(\d|file:)/.test(version)) yield `${name} ${version}: give the exact version`;
  }
}

for (const path of files) {
  for (const fault of faultsOf(path)) {
    console.log(`${path}: ${fault}`);
    process.exitCode = 1;
  }
}

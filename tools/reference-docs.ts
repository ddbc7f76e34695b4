/** Makes docs/settings.md and docs/limits.md from the sources. Usage: node tools/reference-docs.ts FOLDER */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limitsPage } from './reference-docs/limits.ts';
import { settingsPage } from './reference-docs/settings.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node tools/reference-docs.ts FOLDER');

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'settings.md'), settingsPage());
writeFileSync(join(folder, 'limits.md'), limitsPage());

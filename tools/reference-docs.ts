/** Makes docs/settings.md, docs/limits.md, docs/metrics.md and the schema of the chart's values from the sources. Usage: node tools/reference-docs.ts ROOT */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chartSchema } from './reference-docs/chart-schema.ts';
import { limitsPage } from './reference-docs/limits.ts';
import { metricsPage } from './reference-docs/metrics.ts';
import { settingsPage } from './reference-docs/settings.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node tools/reference-docs.ts ROOT');

const write = (path: string, content: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
};
write('docs/settings.md', settingsPage());
write('docs/limits.md', limitsPage());
write('docs/metrics.md', metricsPage());
write('deploy/helm/mneme/values.schema.json', chartSchema());

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../../server/grpc/support/test-server.ts';
import { builtInspector } from '../../support/built-inspector.ts';

/** Where Debian and its relatives have it; tools/install-chromium.sh brings it. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A busy machine is no page that does not answer. */
const PATIENCE_MS = 60_000;

export type Theme = 'light' | 'dark';

interface PageOptions {
  readonly theme?: Theme;
  readonly width?: number;
}

/** A server with the inspector of the current sources, and a browser. */
export interface Inspected extends TestServer {
  /** Opens an address in a browser of its own: nothing of another page is in it. */
  open(path: string, options?: PageOptions): Promise<Page>;
  /** Stores a memory as `curl` does. */
  store(memory: object, memoryId?: string, token?: string): Promise<void>;
  /** Scripts that failed, and what the content security policy refused. */
  readonly faults: string[];
}

export async function startInspected(flags: Record<string, string> = {}): Promise<Inspected> {
  const browser = await launch();
  const built = await builtInspector();
  const server = await startTestServer(flags, { inspector: built.folder });
  const faults: string[] = [];
  return {
    ...server,
    faults,
    async open(path, { theme = 'light', width = 1280 } = {}) {
      const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 800 } });
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (line) => {
        if (line.text().includes('Content Security Policy')) faults.push(line.text());
      });
      page.on('dialog', (dialog) => {
        faults.push(`a dialog of a script: ${dialog.message()}`);
        void dialog.dismiss();
      });
      await page.goto(`http://${server.address}${path}`);
      return page;
    },
    async store(memory, memoryId, token) {
      const response = await fetch(`http://${server.address}/mneme.v1.MemoryService/StoreMemory`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify({ parent: 'namespaces/default', memory, memoryId }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    async stop() {
      await browser.close();
      await server.stop();
      built.remove();
    },
  };
}

async function launch(): Promise<Browser> {
  const executablePath = CHROMIUM.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      'Chromium is missing: tools/install-chromium.sh installs it as root, or type apt-get install chromium',
    );
  }
  // Root has no sandbox, and containers little shared memory.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** Rules of WCAG and good practice that the page violates, with the elements. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate(
    'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))',
  );
  return found as string[];
}

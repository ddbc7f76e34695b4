/** Serves the extractor of the namespace `demo`: node clients/typescript/extractor-example.ts [ADDRESS]. */
import { connect } from './src/index.ts';

const mneme = connect(process.argv[2] ?? '127.0.0.1:50051', { namespace: 'demo' });
const served = await mneme.conversations.serveExtractor(({ messages }) => ({
  // In place of a model: one sentence that is looked for.
  claims: messages.flatMap(({ sequence, text }) => {
    const [, city] = /I moved to (\w+)/.exec(text) ?? [];
    return city ? [{ subject: 'user', attribute: 'home_city', value: city, sources: [sequence] }] : [];
  }),
}));
await served.closed;

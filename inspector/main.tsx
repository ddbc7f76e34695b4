import './style/base.css';
import './style/shell.css';
import './style/parts.css';
import './style/pages.css';
import './style/plots.css';
import './style/recall.css';
import { render } from 'preact';
import { App } from './app/app.tsx';
import { startKeys } from './app/keys.ts';
import { namespaceNow } from './app/namespace.ts';
import { startRouter } from './app/router.ts';
import { applyTheme } from './app/theme.ts';

applyTheme();
startRouter();
startKeys(() => namespaceNow.value);
const root = document.getElementById('app');
if (root) render(<App />, root);

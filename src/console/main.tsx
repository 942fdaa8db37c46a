// Entry point of the console: renders the shell into the page.
import { render } from 'preact';
import { App } from './shell/app.tsx';
import { applyTheme } from './shell/theme.ts';

applyTheme();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);

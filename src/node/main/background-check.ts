// Reads the store pages that startup skipped, in a separate process of low priority, while the service runs. Damage is logged and makes
// health red; a crash of the checking process does not affect the service.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { MainNode } from './main-node.ts';

/** Lets the first requests and the other threads go first. */
const DELAY_MS = 5_000;
/** Exit code of `gannet check` for damage. */
const EXIT_DAMAGED = 1;
const MAX_OUTPUT_CHARS = 100_000;

/** @returns a function that ends or prevents the check */
export function checkInBackground(main: MainNode, dataPath: string, delayMs = DELAY_MS): () => void {
  let end = (): void => clearTimeout(timer);
  const timer = setTimeout(() => {
    // The pages of this snapshot are not reused while it is held.
    const release = main.store.holdSnapshot();
    const child = spawn(process.execPath, [commandFile(), 'check', '--pages', `--path.data=${dataPath}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    end = () => void child.kill('SIGKILL');
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    child.unref();
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < MAX_OUTPUT_CHARS) output += text;
    });
    child.once('error', release);
    child.once('close', (code) => {
      release();
      if (code === EXIT_DAMAGED && output !== '') main.reportStoreDamage(output.trimEnd().split('\n'));
    });
  }, delayMs);
  timer.unref();
  return () => end();
}

const commandFile = (): string => fileURLToPath(new URL('../../bin/gannet.js', import.meta.url));

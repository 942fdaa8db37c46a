/** What the front and an installed nginx say of a configuration file. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { loadCycle, placesOf } from '../../src/front/process/cycle.ts';

export const NGINX = '/usr/sbin/nginx';

export interface ConfigErrors {
  readonly folder: string;
  readonly file: string;
  /** The front's message; empty for a valid configuration. */
  ours(text: string): Promise<string>;
  /** nginx's message, with `globals` in front of the file's directives. */
  theirs(text: string, globals?: string): string;
}

/** Configurations in a folder of their own, removed after the tests of the file. */
export function configErrors(): ConfigErrors {
  const folder = mkdtempSync(path.join(tmpdir(), 'gannet-config-'));
  mkdirSync(path.join(folder, 'logs'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'nginx.conf');
  const places = { prefix: folder, config: 'nginx.conf', errorLog: 'logs/error.log' };
  return {
    folder,
    file,
    async ours(text) {
      writeFileSync(file, text);
      const options = { ...places, globals: '', test: true, dump: false, quiet: true };
      try {
        const cycle = await loadCycle(options, placesOf(options));
        cycle.targets.close();
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    },
    theirs(text, globals = '') {
      writeFileSync(file, text);
      const words = ['-t', '-p', `${folder}/`, '-c', 'nginx.conf', '-e', 'logs/error.log', '-g', `pid nginx.pid; daemon off; ${globals}`];
      const { stderr } = spawnSync(NGINX, words, { encoding: 'utf8' });
      return /nginx: \[emerg\] (.*)/.exec(stderr)?.[1] ?? '';
    },
  };
}

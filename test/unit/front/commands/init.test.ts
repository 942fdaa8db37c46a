/** `gannet front init`: each configuration passes check, flags replace the values that they name, nothing is overwritten. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkConfig } from '../../../../src/front/commands/check.ts';
import { configurationText, EXAMPLES, initCommand } from '../../../../src/front/commands/init.ts';
import { placesOf } from '../../../../src/front/process/cycle.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gannet-init-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let stderr = '';
beforeEach(() => {
  stderr = '';
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text;
    return true;
  });
  return () => vi.restoreAllMocks();
});

describe.each(Object.keys(EXAMPLES))('--%s', (kind) => {
  test('writes a configuration without errors, warnings or directives without effect', async () => {
    const file = path.join(folder, `${kind}.conf`);
    expect(await initCommand([`--${kind}`, file])).toBe(0);
    const options = { prefix: folder, config: file, globals: '', test: true, dump: false, quiet: true };
    expect(await checkConfig(options, placesOf(options))).toEqual({ problems: [], ineffective: [] });
  });

  test('replaces the address and folder of its flags', () => {
    const flags = (['listen', 'root', 'to'] as const).filter((name) => EXAMPLES[kind][name] !== undefined);
    const values = { listen: '127.0.0.1:18123', root: '/srv/my site', to: 'back.example:18124' };
    const text = configurationText(kind, Object.fromEntries(flags.map((name) => [name, values[name]])));
    for (const name of flags) expect(text).toContain(name === 'root' ? 'root "/srv/my site";' : values[name]);
    if (EXAMPLES[kind].to) expect(text).not.toMatch(new RegExp(`server ${EXAMPLES[kind].to};`));
  });
});

test('an existing file is not overwritten', async () => {
  const file = path.join(folder, 'mine.conf');
  writeFileSync(file, 'mine');
  expect(await initCommand(['--static', file])).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(stderr).toContain('exists already');
});

test.each([
  [[], 'give one of --static'],
  [['--static', '--proxy'], 'give one of --static'],
  [['--static', '--to', '127.0.0.1:1'], '--static has no --to'],
  [['--proxy', '--to', '127.0.0.1'], '--to must end with a port'],
  [['--proxy', '--listen', '99999'], '--listen must end with a port'],
  [['--static', '--root', 'a; b'], '--root must not be empty or contain'],
  [['--static', '--unknown'], 'Unknown option'],
  [['--static', 'a', 'b'], 'give one file'],
])('%j is refused', async (argv, message) => {
  expect(await initCommand(argv)).toBe(2);
  expect(stderr).toContain(message);
});

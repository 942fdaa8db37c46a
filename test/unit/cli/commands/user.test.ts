// `gannet user`, on real files.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { main } from '../../../../src/main.ts';
import { verifyPassword } from '../../../../src/security/password-hash.ts';

const MAIN = path.resolve(import.meta.dirname, '../../../../src/main.ts');
const folder = mkdtempSync(path.join(tmpdir(), 'gannet-user-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SCRIPT = `import { main } from ${JSON.stringify(MAIN)}; process.exitCode = await main(process.argv.slice(1));`;

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs in this process, except commands that read a password: those get a process with `input` as its standard input. */
async function gannet(args: readonly string[], input: string | null = null): Promise<Outcome> {
  if (input !== null) {
    const options = { input, encoding: 'utf8', cwd: path.resolve(import.meta.dirname, '../../../..') } as const;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', SCRIPT, ...args],
      options,
    );
    return { code: status, out: stdout, err: stderr };
  }
  const written = { out: '', err: '' };
  const spies = (['out', 'err'] as const).map((name) =>
    vi.spyOn(process[`std${name}`], 'write').mockImplementation((text) => {
      written[name] += text;
      return true;
    }),
  );
  const code = await main([...args]);
  for (const spy of spies) spy.mockRestore();
  return { code, ...written };
}

test('users are added, changed, listed and removed; the rest of the file stays', async () => {
  const file = path.join(folder, 'gannet.yml');
  writeFileSync(file, '# the library\ncluster.name: library # its name\nhttp:\n  port: 9201\n');
  chmodSync(file, 0o640);
  const at = `--path.config=${folder}`;
  expect(
    await gannet(['user', 'add', 'ann', '--roles', 'superuser,viewer', '--email', 'a@example.org', at], 'annpassword\n'),
  ).toMatchObject({
    code: 0,
    out: expect.stringContaining('added user [ann]'),
  });
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('# the library\ncluster.name: library # its name\n');
  expect(statSync(file).mode & 0o777).toBe(0o640);
  const { ann } = parse(text).security.users;
  expect(ann).toMatchObject({ roles: ['superuser', 'viewer'], email: 'a@example.org' });
  expect(await verifyPassword('annpassword', ann.password_hash)).toBe(true);
  expect(await gannet(['user', 'add', 'ann', '--roles', 'x', at], 'annpassword\n')).toMatchObject({
    code: 1,
    err: expect.stringContaining('exists already'),
  });
  expect((await gannet(['user', 'roles', 'ann', '--add', 'editor', '--remove', 'viewer', at])).code).toBe(0);
  expect((await gannet(['user', 'list', at])).out).toBe('ann: superuser, editor\n');
  expect((await gannet(['user', 'passwd', 'ann', at], 'another one\n')).code).toBe(0);
  const changed = parse(readFileSync(file, 'utf8')).security.users.ann;
  expect(await verifyPassword('another one', changed.password_hash)).toBe(true);
  expect(changed).toMatchObject({ roles: ['superuser', 'editor'], email: 'a@example.org' });
  expect((await gannet(['user', 'del', 'ann', at])).code).toBe(0);
  expect(await gannet(['user', 'del', 'ann', at])).toMatchObject({ code: 1, err: expect.stringContaining('no user [ann]') });
});

test('a new file is private, and dotted keys stay dotted', async () => {
  const file = path.join(folder, 'new', 'own.yml');
  expect((await gannet(['user', 'add', 'bob', `--config=${file}`], 'bobpassword\n')).code).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(parse(readFileSync(file, 'utf8')).security.users.bob.roles).toEqual([]);
  const dotted = path.join(folder, 'dotted.yml');
  writeFileSync(dotted, 'security.users:\nsecurity.roles: { r: { cluster: [monitor] } }\n');
  expect((await gannet(['user', 'add', 'eve', '--roles=r', `--config=${dotted}`], 'evepassword\n')).code).toBe(0);
  expect(parse(readFileSync(dotted, 'utf8'))).toMatchObject({ 'security.users': { eve: { roles: ['r'] } }, 'security.roles': { r: {} } });
});

test.each([
  [['user'], null, /user needs one of/],
  [['user', 'add'], null, /needs the name of a user/],
  [['user', 'add', 'a:b'], 'password\n', /colon/],
  [['user', 'add', 'x'], 'short\n', /at least \[6\] characters/],
  [['user', 'add', 'x'], '', /no password on standard input/],
  [['user', 'list', '--roles=x'], null, /unknown flag \[--roles\]/],
])(
  'refuses %j',
  async (args, input, message) => {
    const refused = await gannet([...args, ...(args.length > 1 ? [`--config=${path.join(folder, 'none.yml')}`] : [])], input);
    expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(message) });
  },
  30_000,
);

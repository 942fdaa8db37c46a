// `gannet user`: users in the configuration file, the file realm of a service.
import path from 'node:path';
import { settingsFile } from '../../config/load-settings.ts';
import { SETTINGS } from '../../config/settings.ts';
import { nameProblem, passwordProblem, userNameProblem } from '../../security/names.ts';
import { hashPassword } from '../../security/password-hash.ts';
import { type Arguments, checkFlags, flagValue, parseArguments, UsageError } from '../arguments.ts';
import { readPassword } from '../read-password.ts';
import { settingSources } from '../service/serve-settings.ts';
import { UsersFile } from '../users-file.ts';

const LOCATION = ['config', 'path.config'];

type Action = (file: UsersFile, args: Arguments, name: string | null) => Promise<number>;

const ACTIONS: Readonly<Record<string, { readonly flags: readonly string[]; readonly run: Action }>> = {
  add: { flags: ['roles', 'full-name', 'email'], run: add },
  passwd: { flags: [], run: changePassword },
  roles: { flags: ['add', 'remove'], run: changeRoles },
  list: { flags: [], run: list },
  del: { flags: [], run: remove },
};

/** @throws UsageError, SettingError the file is malformed */
export async function userCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  const [action = '', name = null, ...rest] = args.positionals;
  const known = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : null;
  if (!known) throw new UsageError(`user needs one of [${Object.keys(ACTIONS).join(', ')}], got [${action}]`);
  checkFlags(args, [...LOCATION, ...known.flags]);
  if (rest.length > 0) throw new UsageError(`unexpected argument [${rest[0]}]`);
  if (name === null && action !== 'list') throw new UsageError(`user ${action} needs the name of a user`);
  return known.run(new UsersFile(fileOf(args)), args, name);
}

/** The file that `gannet serve` would read with the same flags; need not exist. */
function fileOf(args: Arguments): string {
  const location = LOCATION.flatMap((name) => (args.flags[name] === undefined ? [] : [`--${name}=${args.flags[name]}`]));
  const sources = settingSources(location);
  const folder = flagValue(args, 'path.config') ?? process.env.GANNET_PATH_CONFIG ?? SETTINGS['path.config'].fallback;
  return path.resolve(settingsFile(sources) ?? path.join(folder, 'gannet.yml'));
}

async function add(file: UsersFile, args: Arguments, given: string | null): Promise<number> {
  const name = given ?? '';
  const problem = userNameProblem(name);
  if (problem !== null) throw new UsageError(problem);
  if (Object.hasOwn(file.users(), name)) return fail(`user [${name}] exists already in ${file.path}`);
  const roles = roleNames(args, 'roles');
  const fullName = flagValue(args, 'full-name');
  const email = flagValue(args, 'email');
  file.set(name, {
    password_hash: await newHash(),
    roles,
    ...(fullName === null ? {} : { full_name: fullName }),
    ...(email === null ? {} : { email }),
  });
  return save(file, `added user [${name}]`);
}

async function changePassword(file: UsersFile, _args: Arguments, given: string | null): Promise<number> {
  const { name, user } = find(file, given);
  if (user === null) return fail(`no user [${name}] in ${file.path}`);
  file.set(name, { ...user, password_hash: await newHash() });
  return save(file, `changed the password of user [${name}]`);
}

async function changeRoles(file: UsersFile, args: Arguments, given: string | null): Promise<number> {
  const { name, user } = find(file, given);
  if (user === null) return fail(`no user [${name}] in ${file.path}`);
  const removed = roleNames(args, 'remove');
  const roles = [...new Set([...user.roles.filter((role) => !removed.includes(role)), ...roleNames(args, 'add')])];
  if (args.flags.add === undefined && args.flags.remove === undefined) {
    process.stdout.write(`${name}: ${roles.join(', ')}\n`);
    return 0;
  }
  file.set(name, { ...user, roles });
  return save(file, `user [${name}] has the roles [${roles.join(', ')}]`);
}

async function list(file: UsersFile, _args: Arguments, given: string | null): Promise<number> {
  const users = Object.entries(file.users()).filter(([name]) => given === null || name === given);
  if (given !== null && users.length === 0) return fail(`no user [${given}] in ${file.path}`);
  for (const [name, { roles }] of users) process.stdout.write(`${name}: ${roles.join(', ')}\n`);
  return 0;
}

async function remove(file: UsersFile, _args: Arguments, given: string | null): Promise<number> {
  const { name, user } = find(file, given);
  if (user === null) return fail(`no user [${name}] in ${file.path}`);
  file.set(name, null);
  return save(file, `removed user [${name}]`);
}

function find(file: UsersFile, given: string | null) {
  const name = given ?? '';
  const users = file.users();
  return { name, user: Object.hasOwn(users, name) ? users[name] : null };
}

/** Names in a flag, separated by commas. @throws UsageError a name is not valid for a role */
function roleNames(args: Arguments, flag: string): string[] {
  const names = (flagValue(args, flag) ?? '').split(',').filter((name) => name !== '');
  for (const name of names) {
    const problem = nameProblem('Role', name);
    if (problem !== null) throw new UsageError(problem);
  }
  return names;
}

async function newHash(): Promise<string> {
  const password = await readPassword();
  const problem = passwordProblem(password);
  if (problem !== null) throw new UsageError(problem);
  return hashPassword(password);
}

function save(file: UsersFile, done: string): number {
  file.save();
  process.stdout.write(`${done} in ${file.path}: takes effect at the next start, or after SIGHUP to a running service\n`);
  return 0;
}

function fail(problem: string): number {
  process.stderr.write(`gannet: ${problem}\n`);
  return 1;
}

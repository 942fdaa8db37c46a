// Rules that recognise programs, systems and devices in User-Agent headers: lists of regular expressions, the first match counts.
// Source: the specification in https://github.com/ua-parser/uap-core, and its regexes.yaml (package uap-core), which is read on first use.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BoundedMap } from '../../common/bounded-map.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';

/** A name with up to four parts of a version, each null if the rule does not give it. */
export interface Recognised {
  readonly name: string;
  readonly version: readonly (string | null)[];
}

export interface RecognisedAgent {
  readonly program: Recognised | null;
  readonly system: Recognised | null;
  readonly device: Recognised | null;
}

type Lists = Readonly<Record<'user_agent_parsers' | 'os_parsers' | 'device_parsers', readonly Rule[]>>;

interface Rule {
  readonly pattern: RegExp;
  /** Replace the groups of the expression, in their order; null for the group itself. */
  readonly name: string | null;
  readonly version: readonly (string | null)[];
}

/** Longer headers are cut: real ones are shorter, and rules may take time that grows faster than the header. */
const MAX_CHARS = 1024;
const CACHED_AGENTS = 1000;

/** Names of the replacements of each list: of the name, then of the parts of the version. */
const REPLACEMENTS = {
  user_agent_parsers: ['family_replacement', 'v1_replacement', 'v2_replacement', 'v3_replacement', 'v4_replacement'],
  os_parsers: ['os_replacement', 'os_v1_replacement', 'os_v2_replacement', 'os_v3_replacement', 'os_v4_replacement'],
  device_parsers: ['device_replacement'],
} as const;

/** Rules of one file. */
export class UserAgentRules {
  readonly #lists: Lists;
  readonly #cache = new BoundedMap<string, RecognisedAgent>(CACHED_AGENTS);

  /** @throws ApiError illegal_argument_exception: a line is not of uap-core's layout, or an expression is invalid */
  constructor(yaml: string, file: string) {
    this.#lists = readLists(yaml, file);
  }

  recognise(header: string): RecognisedAgent {
    const { user_agent_parsers, os_parsers, device_parsers } = this.#lists;
    return this.#cache.getOrMake(header.slice(0, MAX_CHARS), (text) => ({
      program: firstMatch(user_agent_parsers, text),
      system: firstMatch(os_parsers, text),
      device: firstMatch(device_parsers, text),
    }));
  }
}

function firstMatch(rules: readonly Rule[], text: string): Recognised | null {
  for (const rule of rules) {
    const match = rule.pattern.exec(text);
    if (!match) continue;
    const name = rule.name?.replace(/\$([1-9])/g, (_, group) => match[Number(group)] ?? '').trim() ?? match[1];
    if (name !== undefined) return { name, version: [0, 1, 2, 3].map((i) => rule.version[i] ?? match[i + 2] ?? null) };
  }
  return null;
}

let standardRules: UserAgentRules | null = null;

/** The rules of the package uap-core, read on first use. */
export function standardUserAgentRules(): UserAgentRules {
  const file = createRequire(import.meta.url).resolve('uap-core/regexes.yaml');
  standardRules ??= new UserAgentRules(readFileSync(file, 'utf8'), 'regexes.yaml');
  return standardRules;
}

// The file is lists of flat maps with one member a line; a general parser of YAML takes 400 ms for it.
const LIST = /^([a-z_]+):\s*$/;
const MEMBER = /^\s+(- )?([a-z_0-9]+):\s+(?:'((?:[^']|'')*)'|"([^"]*)"|([^'"#\s][^#]*?))\s*(?:#.*)?$/;

function readLists(yaml: string, file: string): Lists {
  const lists: Record<keyof Lists, Rule[]> = { user_agent_parsers: [], os_parsers: [], device_parsers: [] };
  let name: keyof Lists | null = null;
  let members: Map<string, string> | null = null;
  const finish = (): void => {
    if (name !== null && members !== null) lists[name].push(ruleOf(name, members, file));
    members = null;
  };
  yaml.split('\n').forEach((line, i) => {
    if (/^\s*(#.*)?$/.test(line)) return;
    const list = LIST.exec(line);
    const member = MEMBER.exec(line);
    if (list && isList(list[1])) {
      finish();
      name = list[1];
    } else if (member && name !== null) {
      if (member[1] !== undefined) {
        finish();
        members = new Map();
      }
      members?.set(member[2], member[3]?.replaceAll("''", "'") ?? member[4] ?? member[5]);
    } else throw illegalArgumentError(`[${file}] line ${i + 1} is not a rule in the layout of uap-core: ${line.slice(0, 100)}`);
  });
  finish();
  return lists;
}

function isList(name: string): name is keyof Lists {
  return Object.hasOwn(REPLACEMENTS, name);
}

function ruleOf(list: keyof Lists, members: ReadonlyMap<string, string>, file: string): Rule {
  const source = members.get('regex');
  if (source === undefined) throw illegalArgumentError(`[${file}] a rule of [${list}] has no [regex]`);
  const [name, ...version] = REPLACEMENTS[list].map((key) => members.get(key) ?? null);
  try {
    return { pattern: new RegExp(source, members.get('regex_flag') === 'i' ? 'i' : ''), name, version };
  } catch (error) {
    throw illegalArgumentError(`[${file}] invalid expression [${source.slice(0, 200)}]: ${(error as Error).message}`);
  }
}

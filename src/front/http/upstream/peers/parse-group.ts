// The upstream block: its directives, servers and balancing methods, and its start and end.
import { isIP } from 'node:net';
import { ANY_COUNT, again, block, custom, HTTP, msec, num, UPSTREAM } from '../../../config/directive.ts';
import { failAt } from '../../../config/syntax.ts';
import { parseSize, parseTimeMs, parseTimeSec } from '../../../config/values.ts';
import { addressError, literalAddresses, makeAddress, pendingLookups, splitHostPort, systemAddresses } from '../../config/addresses.ts';
import { core, parseResolver } from '../../config/core.ts';
import { type BlockFrame, defineModule, type HttpFrame } from '../../config/module.ts';
import type { ResolverConf } from '../../model/resolver.ts';
import { type BlockMain, Loc } from '../../model/types.ts';
import { Pool } from '../connection/connect.ts';
import { type GroupRules, HTTP_RULES, UpstreamGroup } from './group.ts';
import type { ServerEntry } from './peer.ts';
import { DEFAULT_SERVER, type ServerOptions } from './peer.ts';
import type { Method } from './peer-set.ts';
import { readState } from './state-file.ts';
import { parseSticky } from './sticky.ts';

// ---------------------------------------------------------------- directives

/** Group under construction, by its configuration level. */
const building = new WeakMap<Loc, UpstreamGroup>();
export const groupOf = (f: BlockFrame): UpstreamGroup =>
  building.get(f.scope.loc) ?? f.fail(`"${f.node.name}" directive is not allowed here`);

function parseServer(f: BlockFrame): undefined {
  const group = groupOf(f);
  const { defaultPort, serverWords } = group.rules;
  const [text, ...words] = f.args;
  const options: ServerOptions = { ...DEFAULT_SERVER };
  let resolve = false;
  let service = '';
  const number = (word: string) => (/^\d+$/.test(word) ? Number(word) : f.fail(`invalid parameter "${word}"`));
  for (const word of words) {
    const [name, value] = word.includes('=') ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] : [word, ''];
    if (name === 'weight') options.weight = number(value) || f.fail(`invalid parameter "${word}"`);
    else if (name === 'max_conns') options.maxConns = number(value);
    else if (name === 'max_fails') options.maxFails = number(value);
    else if (name === 'fail_timeout') options.failTimeoutSeconds = parseTimeSec(value) ?? f.fail(`invalid parameter "${word}"`);
    else if (name === 'slow_start') options.slowStartSeconds = parseTimeSec(value) ?? f.fail(`invalid parameter "${word}"`);
    else if (name === 'route' && serverWords.has(name)) options.route = value || f.fail('route is empty');
    else if (name === 'service') service = value || f.fail('service is empty');
    else if (word === 'backup') options.backup = true;
    else if (word === 'down') options.down = true;
    else if (word === 'drain' && serverWords.has(word)) options.drain = true;
    else if (word === 'resolve') resolve = true;
    else f.fail(`invalid parameter "${word}"`);
  }
  if (service && !resolve) f.fail('service upstream "' + text + '" requires "resolve" parameter');
  if (options.backup && noBackup(group)) f.fail('balancing method does not support parameter "backup"');
  const { host, port } = splitHostPort(text, defaultPort);
  if (service && text.startsWith('unix:')) f.fail(`service upstream "${text}" may not be a unix socket`);
  if (service && isIP(host)) f.fail(`service upstream "${text}" requires domain name`);
  if (service && /:\d+$/.test(text)) f.fail(`service upstream "${text}" may not have port`);
  const wrong = addressError(text);
  if (wrong) f.fail(`${wrong} in upstream "${text}"`);
  if (port === 0 && !service && !text.startsWith('unix:')) f.fail(`no port in upstream "${text}"`);
  const entry: ServerEntry = { text, options, resolve, service, addresses: [] };
  group.entries.push(entry);
  const literal = literalAddresses(text, defaultPort);
  if (literal) {
    entry.resolve = false;
    entry.addresses = literal.map((address) => ({ address, options, priority: 0 }));
  } else if (!resolve) {
    pendingLookups(f.scope.main).push(async () => {
      const list = await systemAddresses(host).catch(() => f.fail(`host not found in upstream "${text}"`));
      entry.addresses = list.map((ip) => ({ address: makeAddress(ip, port), options, priority: 0 }));
      group.rebuild();
    });
  }
  return undefined;
}

const noBackup = (group: UpstreamGroup): boolean => ['ip_hash', 'hash', 'random'].includes(group.method.kind);

function setMethod(f: BlockFrame, method: Method): undefined {
  const group = groupOf(f);
  if (group.method.kind !== 'round_robin') f.scope.warn('load balancing method redefined');
  group.method = method;
  return undefined;
}

function parseRandom(f: BlockFrame): undefined {
  const [first, second] = f.args;
  if (first === undefined) return setMethod(f, { kind: 'random', two: 'no', timeOf: 'header', timeWord: '' });
  if (first !== 'two') f.fail(`invalid parameter "${first}"`);
  if (second === undefined || second === 'least_conn') {
    return setMethod(f, { kind: 'random', two: 'least_conn', timeOf: 'header', timeWord: '' });
  }
  const timeWord = second.startsWith('least_time=') ? second.slice(11) : '';
  const timeOf = groupOf(f).rules.times.get(timeWord) ?? f.fail(`invalid parameter "${second}"`);
  return setMethod(f, { kind: 'random', two: 'least_time', timeOf, timeWord });
}

function parseLeastTime(f: BlockFrame): undefined {
  const [timeWord, flag] = f.args;
  if (flag !== undefined && flag !== 'inflight') f.fail(`invalid parameter "${flag}"`);
  const timeOf = groupOf(f).rules.times.get(timeWord) ?? f.invalid(timeWord);
  return setMethod(f, { kind: 'least_time', timeOf, timeWord, inflight: flag === 'inflight' });
}

/** Reads an `upstream` block, all but the limits of its pool. @returns the group and the level with its directives */
export function readGroup(f: BlockFrame, rules: GroupRules): { group: UpstreamGroup; loc: Loc } {
  const { main } = f.scope;
  const [name] = f.args;
  const key = `upstream:${name.toLowerCase()}`;
  if (main.registry.has(key)) f.fail(`duplicate upstream "${name}"`);
  const group = new UpstreamGroup(name, true, main.zonePrefix, rules);
  main.registry.set(key, group);
  const loc = new Loc(f.scope.loc);
  building.set(loc, group);
  f.scope.readChildren(f, UPSTREAM, loc);
  if (group.entries.length === 0 && group.state === null) f.fail('no servers are inside upstream');
  for (const entry of group.entries) {
    if (!entry.resolve) continue;
    if (!group.zone)
      f.fail(`resolving names at run time requires upstream "${name}" in ${f.node.file}:${f.node.line} to be in shared memory`);
  }
  group.rebuild();
  return { group, loc };
}

function parseUpstream(f: HttpFrame): undefined {
  const { group, loc } = readGroup(f, HTTP_RULES);
  const c = groupModule.conf(loc);
  group.pool = new Pool({
    max: group.keepalive.max,
    local: group.keepalive.local,
    requests: c.keepalive_requests ?? 1000,
    timeMs: c.keepalive_time ?? 3_600_000,
    timeoutMs: c.keepalive_timeout ?? 60_000,
  });
  return undefined;
}

const groupsOf = (main: BlockMain): [string, UpstreamGroup][] =>
  [...main.registry].filter((entry): entry is [string, UpstreamGroup] => entry[0].startsWith('upstream:'));

/** Gives groups the resolver of their block and the state from before a reload. @throws string */
export function finishGroups(main: BlockMain, resolver: ResolverConf | null, timeoutMs: number): void {
  for (const [key, group] of groupsOf(main)) {
    if (group.entries.some((e) => e.resolve) && !group.resolver) {
      if (!resolver) throw `no resolver defined to resolve names at run time in upstream "${group.name}"`;
      group.resolver = resolver;
      group.resolverTimeoutMs = timeoutMs;
    }
    const state = main.inherited.get(key);
    if (state) group.importState(state);
  }
}

/** Starts resolving the names of servers. */
export function startGroups(main: BlockMain): void {
  for (const [, group] of groupsOf(main)) group.startResolving();
}

/** Directives that `upstream` blocks of all kinds have. */
export const commonGroupTable = {
  server: custom<undefined>(
    UPSTREAM,
    [1, ANY_COUNT],
    undefined,
    (f: BlockFrame) => {
      if (groupOf(f).state !== null) f.fail('"server" directive cannot be used along with "state"');
      return parseServer(f);
    },
    { repeats: true },
  ),
  least_conn: again(custom<undefined>(UPSTREAM, 0, undefined, (f: BlockFrame) => setMethod(f, { kind: 'least_conn' }))),
  hash: again(
    custom<undefined>(UPSTREAM, [1, 2], undefined, (f: BlockFrame) => {
      const value = f.scope.value(f.args[0]);
      if (f.args[1] !== undefined && f.args[1] !== 'consistent') f.fail(`invalid parameter "${f.args[1]}"`);
      return setMethod(f, { kind: 'hash', key: (r) => value.eval(r), consistent: f.args[1] === 'consistent' });
    }),
  ),
  random: again(custom<undefined>(UPSTREAM, [0, 2], undefined, parseRandom)),
  least_time: again(custom<undefined>(UPSTREAM, [1, 2], undefined, parseLeastTime)),
  zone: again(
    custom<undefined>(UPSTREAM, [1, 2], undefined, (f: BlockFrame) => {
      if (f.args[0] === '') f.fail(`invalid zone name "${f.args[0]}"`);
      const { main } = f.scope;
      if (f.args[1] !== undefined) main.registry.set(`upstream_zone:${f.args[0]}`, true);
      else
        f.scope.later(() => {
          if (!main.registry.has(`upstream_zone:${f.args[0]}`)) f.fail(`zero size shared memory zone "${f.args[0]}"`);
        });
      if (f.args[1] !== undefined) {
        const bytes = parseSize(f.args[1]);
        if (bytes === null) f.fail(`invalid zone size "${f.args[1]}"`);
        if (bytes < 8 * 4096) f.fail(`zone "${f.args[0]}" is too small`);
      }
      groupOf(f).zone = f.args[0];
      return undefined;
    }),
  ),
  state: custom<undefined>(UPSTREAM, 1, undefined, (f: BlockFrame) => {
    const group = groupOf(f);
    const file = f.scope.path(f.args[0]);
    if (group.entries.length > 0) f.fail('"state" directive cannot be used along with "server"');
    group.state = file;
    for (const node of readState(file)) {
      const fail = (message: string): never => failAt(node, message);
      if (node.name !== 'server' || node.children || node.args.length === 0)
        fail(`unexpected "${node.name}" in the state of upstream "${group.name}"`);
      parseServer({ ...f, node, args: node.args, fail });
    }
    return undefined;
  }),
  resolver: custom<undefined>(UPSTREAM, [1, ANY_COUNT], undefined, (f: BlockFrame) => {
    groupOf(f).resolver = parseResolver(f);
    return undefined;
  }),
  resolver_timeout: custom<undefined>(UPSTREAM, 1, undefined, (f: BlockFrame) => {
    groupOf(f).resolverTimeoutMs = parseTimeMs(f.args[0]) ?? f.refuse('invalid value');
    return undefined;
  }),
};

export const groupModule = defineModule(
  'upstream',
  {
    ...commonGroupTable,
    upstream: block<undefined>(HTTP, 1, undefined, parseUpstream),
    ip_hash: again(custom<undefined>(UPSTREAM, 0, undefined, (f: HttpFrame) => setMethod(f, { kind: 'ip_hash' }))),
    keepalive: custom<undefined>(UPSTREAM, [1, 2], undefined, (f: HttpFrame) => {
      const group = groupOf(f);
      const max = /^\d{1,9}$/.test(f.args[0]) ? Number(f.args[0]) : f.fail(`invalid value "${f.args[0]}" in "keepalive" directive`);
      if (f.args[1] !== undefined && f.args[1] !== 'local') f.fail(`invalid parameter "${f.args[1]}"`);
      group.keepalive = { max, local: f.args[1] === 'local' };
      group.keepaliveExplicit = true;
      return undefined;
    }),
    keepalive_requests: num(UPSTREAM, 1000),
    keepalive_time: msec(UPSTREAM, '1h'),
    keepalive_timeout: msec(UPSTREAM, '60s'),
    sticky: custom<undefined>(UPSTREAM, [2, ANY_COUNT], undefined, (f: HttpFrame) => {
      groupOf(f).sticky = parseSticky(f);
      return undefined;
    }),
    ntlm: custom<undefined>(UPSTREAM, 0, undefined, (f: HttpFrame) => {
      groupOf(f).ntlm = true;
      return undefined;
    }),
    queue: custom<undefined>(UPSTREAM, [1, 2], undefined, (f: HttpFrame) => {
      const max = /^\d+$/.test(f.args[0]) ? Number(f.args[0]) : f.invalid();
      const timeoutMs =
        f.args[1] === undefined
          ? 60_000
          : f.args[1].startsWith('timeout=')
            ? (parseTimeMs(f.args[1].slice(8)) ?? f.invalid(f.args[1]))
            : f.invalid(f.args[1]);
      groupOf(f).queue = { max, timeoutMs };
      return undefined;
    }),
  },
  {
    init(main) {
      const { resolver, resolver_timeout } = core.conf(main.loc);
      finishGroups(main, resolver, resolver_timeout);
    },
    start: startGroups,
  },
);

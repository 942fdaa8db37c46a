// Directives outside `http { }`: processes, logs, events.

import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { present } from '../../common/present.ts';
import { ANY_COUNT, checkShape, EVENTS, MAIN, type Spec } from '../config/directive.ts';
import { ConfigError, type DirectiveNode, failAt, type Review, reviewed, UnknownDirectiveError } from '../config/syntax.ts';
import { parseOffset, parseTimeMs } from '../config/values.ts';
import type { ErrorLog } from '../log/error-log.ts';
import type { LogTargets } from '../log/targets.ts';
import { isBuiltIn } from '../version.ts';

export interface MainConf {
  daemon: boolean;
  masterProcess: boolean;
  workerProcesses: number;
  workerConnections: number;
  workerShutdownTimeoutMs: number;
  /** Iterations of the event loop that take longer are logged; 0 for none. */
  stallMs: number;
  workerPriority: number;
  pidFile: string;
  user: { name: string; group: string } | null;
  env: { name: string; value: string | null }[];
  workingDirectory: string | null;
  debugConnections: string[];
  /** A reload does not read unchanged TLS files again. */
  inheritFiles: boolean;
  rlimits: { nofile?: number; core?: number };
  /** Processors that workers may run on; empty for all. */
  cpus: number[];
  /** Threads for file operations, 0 for Node's default. */
  poolThreads: number;
  /** Names of thread pools. */
  threadPools: Set<string>;
  errorLogs: ErrorLog[];
  http: DirectiveNode | null;
  stream: DirectiveNode | null;
  mail: DirectiveNode | null;
  /** lines to log at startup */
  notices: string[];
}

/** The directive being read, and functions that report errors. */
interface MainFrame {
  name: string;
  fail(message: string): never;
  refuse(why: string): never;
  warn(why: string): void;
  notice(message: string): void;
}
type Apply = (conf: MainConf, args: string[], frame: MainFrame) => void;

/** Parsers of one argument. `refuse` reports nginx's `"NAME" directive WHY`. */
type Read<V> = (text: string, frame: MainFrame) => V;

const flagValue: Read<boolean> = (text, { fail, name }) =>
  /^(on|off)$/i.test(text) ? text.toLowerCase() === 'on' : fail(`invalid value "${text}" in "${name}" directive, it must be "on" or "off"`);
const numberValue: Read<number> = (text, { refuse }) => (/^\d{1,15}$/.test(text) ? Number(text) : refuse('invalid number'));
const offsetValue: Read<number> = (text, { refuse }) => parseOffset(text) ?? refuse('invalid value');
const msecValue: Read<number> = (text, { refuse }) => parseTimeMs(text) ?? refuse('invalid value');
const textValue: Read<string> = (text) => text;
const oneOfValue =
  (...words: string[]): Read<string> =>
  (text, { fail }) =>
    words.includes(text) ? text : fail(`invalid value "${text}"`);

/** A directive for something that Node manages itself: only its argument is validated. */
const ineffective =
  (read: Read<unknown>): Apply =>
  (_conf, args, frame) => {
    read(args[0], frame);
    frame.warn('has no effect in this server, ignored');
  };

/** `auto [MASK]`, or a mask per worker. Workers share a process, which may run on the processors of any mask. */
function parseAffinity(conf: MainConf, args: string[], { fail }: MainFrame): void {
  const masks = args[0] === 'auto' ? args.slice(1) : args;
  if (args[0] === 'auto' && masks.length > 1) fail('invalid number of arguments in "worker_cpu_affinity" directive');
  const cpus = new Set<number>();
  for (const mask of masks) {
    if (!/^[01 ]+$/.test(mask)) fail(`invalid character "${/[^01 ]/.exec(mask)?.[0] ?? ''}" in "worker_cpu_affinity"`);
    [...mask.replaceAll(' ', '')].reverse().forEach((bit, cpu) => bit === '1' && cpus.add(cpu));
  }
  conf.cpus = [...cpus].sort((a, b) => a - b);
}

/** Node has one pool, which gets the size of the largest pool named. */
function parseThreadPool(conf: MainConf, args: string[], { fail }: MainFrame): void {
  if (conf.threadPools.has(args[0])) fail(`duplicate thread pool "${args[0]}"`);
  conf.threadPools.add(args[0]);
  for (const word of args.slice(1)) {
    const m = /^(threads|max_queue)=(.*)$/s.exec(word);
    if (!m) continue;
    const count = /^\d{1,6}$/.test(m[2]) ? Number(m[2]) : null;
    if (count === null || (m[1] === 'threads' && count === 0)) return fail(`invalid ${m[1]} value "${word}"`);
    if (m[1] === 'threads') conf.poolThreads = Math.max(conf.poolThreads, count);
  }
  if (!args.slice(1).some((word) => word.startsWith('threads='))) fail('"thread_pool" must have "threads" parameter');
}

/** An address, a network, `localhost` or `unix:`; other names would need a lookup. */
function parseDebugConnection(conf: MainConf, [word]: string[], { fail }: MainFrame): void {
  const [address, bits] = word.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  const good = family ? bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most) : word === 'localhost' || word === 'unix:';
  if (!good) fail(`host not found in debug_connection "${word}"`);
  conf.debugConnections.push(word);
}

/** name -> [contexts, min, max, apply] */
const TABLE: Record<string, [number, number, number, Apply]> = {
  daemon: [MAIN, 1, 1, (c, a, f) => (c.daemon = flagValue(a[0], f))],
  master_process: [MAIN, 1, 1, (c, a, f) => (c.masterProcess = flagValue(a[0], f))],
  worker_processes: [
    MAIN,
    1,
    1,
    (c, a, f) => {
      c.workerProcesses = a[0] === 'auto' ? 0 : /^\d{1,9}$/.test(a[0]) && Number(a[0]) > 0 ? Number(a[0]) : f.refuse('invalid value');
    },
  ],
  worker_shutdown_timeout: [MAIN, 1, 1, (c, a, f) => (c.workerShutdownTimeoutMs = msecValue(a[0], f))],
  worker_priority: [MAIN, 1, 1, (c, a, f) => (c.workerPriority = /^-?\d+$/.test(a[0]) ? Number(a[0]) : f.refuse('invalid number'))],
  worker_rlimit_nofile: [MAIN, 1, 1, (c, a, f) => (c.rlimits.nofile = numberValue(a[0], f))],
  worker_rlimit_core: [MAIN, 1, 1, (c, a, f) => (c.rlimits.core = offsetValue(a[0], f))],
  worker_cpu_affinity: [MAIN, 1, ANY_COUNT, parseAffinity],
  worker_aio_requests: [EVENTS, 1, 1, ineffective(numberValue)],
  working_directory: [MAIN, 1, 1, (c, a) => (c.workingDirectory = a[0] ?? null)],
  pid: [MAIN, 1, 1, (c, a) => (c.pidFile = a[0])],
  user: [MAIN, 1, 2, (c, a) => (c.user = { name: a[0], group: a[1] ?? a[0] })],
  env: [
    MAIN,
    1,
    1,
    (c, a) => {
      const eq = a[0].indexOf('=');
      c.env.push(eq < 0 ? { name: a[0], value: null } : { name: a[0].slice(0, eq), value: a[0].slice(eq + 1) });
    },
  ],
  lock_file: [MAIN, 1, 1, ineffective(textValue)],
  pcre_jit: [MAIN, 1, 1, ineffective(flagValue)],
  timer_resolution: [MAIN, 1, 1, ineffective(msecValue)],
  thread_pool: [MAIN, 2, 3, parseThreadPool],
  debug_points: [MAIN, 1, 1, ineffective(oneOfValue('stop', 'abort'))],
  load_module: [MAIN, 1, 1, loadModule],
  ssl_object_cache_inheritable: [MAIN, 1, 1, (c, a, f) => (c.inheritFiles = flagValue(a[0], f))],
  worker_connections: [
    EVENTS,
    1,
    1,
    (c, a, f) => (c.workerConnections = /^\d{1,9}$/.test(a[0]) ? Number(a[0]) : f.fail(`invalid number "${a[0]}"`)),
  ],
  use: [EVENTS, 1, 1, (_, a, f) => (a[0] === 'epoll' ? undefined : f.fail(`invalid event type "${a[0]}"`))],
  stall_threshold: [EVENTS, 1, 1, (c, a, f) => (c.stallMs = msecValue(a[0], f))],
  multi_accept: [EVENTS, 1, 1, ineffective(flagValue)],
  accept_mutex: [EVENTS, 1, 1, ineffective(flagValue)],
  accept_mutex_delay: [EVENTS, 1, 1, ineffective(msecValue)],
  epoll_events: [EVENTS, 1, 1, ineffective(numberValue)],
  debug_connection: [EVENTS, 1, 1, parseDebugConnection],
};

/** Modules that packages of distributions load for every configuration, although few use them: only their directives are refused. */
const UNUSED_MODULES: readonly string[] = ['ngx_http_xslt_filter_module'];

/** Accepts the names of built-in modules, which nginx loads from files. */
function loadModule(_: MainConf, [file]: string[], { fail, notice }: MainFrame): void {
  const name = path.basename(file).replace(/\.so$/, '');
  if (UNUSED_MODULES.includes(name)) return notice(`module "${name}" is not supported, its directives are refused`);
  if (!isBuiltIn(name)) fail(`module "${name}" is not built in, and modules cannot be loaded from files, such as "${file}"`);
  notice(`module "${name}" is built in, not loaded from "${file}"`);
}

const REFUSED: Record<string, string> = {
  ssl_engine: 'OpenSSL engines are not supported',
};

const BLOCKS = new Set(['http', 'stream', 'mail', 'events']);

/** Specs of the directives outside `http { }`, `stream { }` and `mail { }`. */
export const MAIN_DIRECTIVES: Readonly<Record<string, { contexts: number; min: number; max: number; block: boolean }>> = {
  ...Object.fromEntries([...BLOCKS].map((name) => [name, { contexts: MAIN, min: 0, max: 0, block: true }])),
  error_log: { contexts: MAIN, min: 1, max: ANY_COUNT, block: false },
  ...Object.fromEntries(Object.entries(TABLE).map(([name, [contexts, min, max]]) => [name, { contexts, min, max, block: false }])),
};

/** Names of all directives outside `http { }`. */
export const isMainDirective = (name: string): boolean =>
  BLOCKS.has(name) || name === 'error_log' || Object.hasOwn(TABLE, name) || Object.hasOwn(REFUSED, name);

/** Number of event loops: `worker_processes`, or one for each processor. */
export const loopCount = ({ workerProcesses }: MainConf): number => workerProcesses || availableParallelism();

/** @throws ConfigError the first error; with a review none, all are reported to it */
export function readMain(
  nodes: DirectiveNode[],
  logs: LogTargets,
  resolve: (path: string) => string,
  warn: (message: string) => void,
  review: Review | null = null,
): MainConf {
  const conf: MainConf = {
    daemon: true,
    masterProcess: true,
    workerProcesses: 1,
    workerConnections: 512,
    workerShutdownTimeoutMs: 0,
    stallMs: 0,
    workerPriority: 0,
    pidFile: 'logs/nginx.pid',
    user: null,
    env: [],
    workingDirectory: null,
    debugConnections: [],
    inheritFiles: true,
    rlimits: {},
    cpus: [],
    poolThreads: 0,
    threadPools: new Set(),
    errorLogs: [],
    http: null,
    stream: null,
    mail: null,
    notices: [],
  };
  const seen = new Set<string>();
  for (const node of nodes) reviewed(review, () => readMainNode(conf, node, seen, { logs, resolve, warn, review }));
  if (!seen.has('events')) reviewed(review, failNoEvents);
  return conf;
}

interface MainInput {
  logs: LogTargets;
  resolve(path: string): string;
  warn(message: string): void;
  review: Review | null;
}

function readMainNode(conf: MainConf, node: DirectiveNode, seen: Set<string>, { logs, resolve, warn, review }: MainInput): void {
  const fail = (message: string): never => failAt(node, message);
  if (Object.hasOwn(REFUSED, node.name)) fail(`"${node.name}" directive: ${REFUSED[node.name]}`);
  if (node.name === 'error_log') {
    if (node.args.length === 0) fail('invalid number of arguments in "error_log" directive');
    const log = logs.parse(node.args, fail, resolve);
    if (log) conf.errorLogs.push(log);
  } else if (BLOCKS.has(node.name)) {
    if (!node.children) fail(`directive "${node.name}" has no opening "{"`);
    if (node.args.length > 0) fail(`invalid number of arguments in "${node.name}" directive`);
    if (seen.has(node.name)) fail(`"${node.name}" directive is duplicate`);
    seen.add(node.name);
    if (node.name === 'http') conf.http = node;
    else if (node.name === 'stream') conf.stream = node;
    else if (node.name === 'mail') conf.mail = node;
    else for (const child of present(node.children)) reviewed(review, () => apply(conf, child, EVENTS, seen, warn));
  } else apply(conf, node, MAIN, seen, warn);
}

function failNoEvents(): never {
  throw new NoEventsError('no "events" section in configuration');
}
export class NoEventsError extends ConfigError {}

const REPEATS = new Set(['env', 'load_module', 'debug_connection', 'thread_pool']);

function apply(conf: MainConf, node: DirectiveNode, context: number, seen: Set<string>, warn: (message: string) => void): void {
  const entry = Object.hasOwn(TABLE, node.name) ? TABLE[node.name] : null;
  const fail = (message: string): never => failAt(node, message);
  if (!entry) throw new UnknownDirectiveError(node);
  const [contexts, min, max, run] = entry;
  if ((contexts & context) === 0) fail(`"${node.name}" directive is not allowed here`);
  checkShape({ min, max, block: false } as Spec<unknown>, node);
  if (!REPEATS.has(node.name)) {
    if (seen.has(node.name)) fail(`"${node.name}" directive is duplicate`);
    seen.add(node.name);
  }
  run(conf, node.args, {
    name: node.name,
    fail,
    refuse: (why) => fail(`"${node.name}" directive ${why}`),
    notice: (message) => conf.notices.push(`${message} in ${node.file}:${node.line}`),
    warn: (why) => warn(`the "${node.name}" directive ${why} in ${node.file}:${node.line}`),
  });
}

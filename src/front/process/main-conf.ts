/** Directives outside `http { }`: processes, logs, events. */
import { ANY_COUNT, checkShape, EVENTS, MAIN, type Spec } from '../config/directive.ts';
import { type DirectiveNode, failAt } from '../config/syntax.ts';
import { parseSize, parseTimeMs } from '../config/values.ts';
import type { ErrorLog } from '../log/error-log.ts';
import type { LogTargets } from '../log/targets.ts';

export interface MainConf {
  daemon: boolean;
  masterProcess: boolean;
  workerProcesses: number;
  workerConnections: number;
  workerShutdownTimeoutMs: number;
  workerPriority: number;
  pidFile: string;
  user: { name: string; group: string } | undefined;
  env: { name: string; value: string | undefined }[];
  workingDirectory: string | undefined;
  debugConnections: string[];
  /** files of TLS that have not changed are not read again by a reload */
  inheritFiles: boolean;
  rlimits: { nofile?: number; core?: number };
  /** numbers of the processors that workers may run on; empty: all */
  cpus: number[];
  /** threads for file operations; 0: as Node has */
  poolThreads: number;
  errorLogs: ErrorLog[];
  http: DirectiveNode | undefined;
}

type Apply = (conf: MainConf, args: string[], fail: (message: string) => never, warn: (why: string) => void) => void;

const flagValue = (args: string[], fail: (m: string) => never): boolean =>
  args[0] === 'on' || args[0] === 'off' ? args[0] === 'on' : fail(`invalid value "${args[0]}"`);
const numberValue = (text: string, fail: (m: string) => never): number => (/^\d{1,9}$/.test(text) ? Number(text) : fail('invalid number'));

/** A directive that tunes what Node does itself. */
const ineffective: Apply = (_conf, _args, _fail, warn) => warn('has no effect in this server, ignored');

/** `auto [MASK]`, or a mask for each worker: they share a process here, so it runs on what any of them may run on. */
function parseAffinity(conf: MainConf, args: string[], fail: (message: string) => never): void {
  const masks = args[0] === 'auto' ? args.slice(1) : args;
  if (args[0] === 'auto' && masks.length > 1) fail('invalid number of arguments in "worker_cpu_affinity" directive');
  const cpus = new Set<number>();
  for (const mask of masks) {
    if (!/^[01 ]+$/.test(mask)) fail(`invalid character "${/[^01 ]/.exec(mask)?.[0] ?? ''}" in "worker_cpu_affinity"`);
    [...mask.replaceAll(' ', '')].reverse().forEach((bit, cpu) => bit === '1' && cpus.add(cpu));
  }
  conf.cpus = [...cpus].sort((a, b) => a - b);
}

/** The pool of Node has one size: that of the largest pool named. */
function parseThreadPool(conf: MainConf, args: string[], fail: (message: string) => never): void {
  for (const word of args.slice(1)) {
    const m = /^(threads|max_queue)=(\d{1,6})$/.exec(word);
    if (!m || (m[1] === 'threads' && Number(m[2]) === 0)) fail(`invalid parameter "${word}"`);
    if (m![1] === 'threads') conf.poolThreads = Math.max(conf.poolThreads, Number(m![2]));
  }
  if (!args.slice(1).some((word) => word.startsWith('threads=')) && args[0] !== 'default')
    fail(`missing "threads" parameter in "${args[0]}" thread pool`);
}

/** name -> [contexts, min, max, apply].  */
const TABLE: Record<string, [number, number, number, Apply]> = {
  daemon: [MAIN, 1, 1, (c, a, f) => (c.daemon = flagValue(a, f))],
  master_process: [MAIN, 1, 1, (c, a, f) => (c.masterProcess = flagValue(a, f))],
  worker_processes: [
    MAIN,
    1,
    1,
    (c, a, f) => {
      c.workerProcesses = a[0] === 'auto' ? 0 : numberValue(a[0], f);
      if (a[0] !== 'auto' && c.workerProcesses === 0) f('invalid number');
    },
  ],
  worker_shutdown_timeout: [MAIN, 1, 1, (c, a, f) => (c.workerShutdownTimeoutMs = parseTimeMs(a[0]) ?? f(`invalid value`))],
  worker_priority: [MAIN, 1, 1, (c, a, f) => (c.workerPriority = /^-?\d+$/.test(a[0]) ? Number(a[0]) : f('invalid number'))],
  worker_rlimit_nofile: [MAIN, 1, 1, (c, a, f) => (c.rlimits.nofile = numberValue(a[0], f))],
  worker_rlimit_core: [MAIN, 1, 1, (c, a, f) => (c.rlimits.core = parseSize(a[0]) ?? f('invalid value'))],
  worker_cpu_affinity: [MAIN, 1, ANY_COUNT, parseAffinity],
  worker_aio_requests: [EVENTS, 1, 1, ineffective],
  working_directory: [MAIN, 1, 1, (c, a) => (c.workingDirectory = a[0])],
  pid: [MAIN, 1, 1, (c, a) => (c.pidFile = a[0])],
  user: [MAIN, 1, 2, (c, a) => (c.user = { name: a[0], group: a[1] ?? a[0] })],
  env: [
    MAIN,
    1,
    1,
    (c, a) => {
      const eq = a[0].indexOf('=');
      c.env.push(eq < 0 ? { name: a[0], value: undefined } : { name: a[0].slice(0, eq), value: a[0].slice(eq + 1) });
    },
  ],
  lock_file: [MAIN, 1, 1, ineffective],
  pcre_jit: [MAIN, 1, 1, ineffective],
  timer_resolution: [MAIN, 1, 1, ineffective],
  thread_pool: [MAIN, 2, 3, parseThreadPool],
  debug_points: [MAIN, 1, 1, ineffective],
  ssl_object_cache_inheritable: [MAIN, 1, 1, (c, a, f) => (c.inheritFiles = flagValue(a, f))],
  worker_connections: [EVENTS, 1, 1, (c, a, f) => (c.workerConnections = numberValue(a[0], f))],
  use: [EVENTS, 1, 1, (_, a, f) => (a[0] === 'epoll' ? undefined : f(`invalid event type "${a[0]}"`))],
  multi_accept: [EVENTS, 1, 1, ineffective],
  accept_mutex: [EVENTS, 1, 1, ineffective],
  accept_mutex_delay: [EVENTS, 1, 1, ineffective],
  epoll_events: [EVENTS, 1, 1, ineffective],
  debug_connection: [EVENTS, 1, 1, (c, a) => c.debugConnections.push(a[0])],
};

const REFUSED: Record<string, string> = {
  stream: 'TCP and UDP proxying is the next step of this server',
  mail: 'mail proxying is the next step of this server',
  load_module: 'dynamic modules are not supported',
  ssl_engine: 'OpenSSL engines are not supported',
};

/** @throws ConfigError */
export function readMain(
  nodes: DirectiveNode[],
  logs: LogTargets,
  resolve: (path: string) => string,
  warn: (message: string) => void,
): MainConf {
  const conf: MainConf = {
    daemon: true,
    masterProcess: true,
    workerProcesses: 1,
    workerConnections: 512,
    workerShutdownTimeoutMs: 0,
    workerPriority: 0,
    pidFile: 'logs/nginx.pid',
    user: undefined,
    env: [],
    workingDirectory: undefined,
    debugConnections: [],
    inheritFiles: true,
    rlimits: {},
    cpus: [],
    poolThreads: 0,
    errorLogs: [],
    http: undefined,
  };
  const seen = new Set<string>();
  let events = false;
  for (const node of nodes) {
    const fail = (message: string): never => failAt(node, message);
    if (REFUSED[node.name]) fail(`"${node.name}" directive: ${REFUSED[node.name]}`);
    if (node.name === 'error_log') {
      if (node.args.length === 0) fail('invalid number of arguments in "error_log" directive');
      const log = logs.parse(node.args, fail, resolve);
      if (log) conf.errorLogs.push(log);
    } else if (node.name === 'http' || node.name === 'events') {
      if (!node.children) fail(`directive "${node.name}" has no opening "{"`);
      if (node.args.length > 0) fail(`invalid number of arguments in "${node.name}" directive`);
      if (seen.has(node.name)) fail(`"${node.name}" directive is duplicate`);
      seen.add(node.name);
      if (node.name === 'http') conf.http = node;
      else {
        events = true;
        for (const child of node.children!) apply(conf, child, EVENTS, seen, warn);
      }
    } else apply(conf, node, MAIN, seen, warn);
  }
  if (!events) failNoEvents();
  return conf;
}

function failNoEvents(): never {
  throw new NoEventsError('no "events" section in configuration');
}
export class NoEventsError extends Error {}

const REPEATS = new Set(['env', 'debug_connection', 'thread_pool']);

function apply(conf: MainConf, node: DirectiveNode, context: number, seen: Set<string>, warn: (message: string) => void): void {
  const entry = Object.hasOwn(TABLE, node.name) ? TABLE[node.name] : undefined;
  const fail = (message: string): never => failAt(node, message);
  if (!entry) {
    if (KNOWN_ELSEWHERE.has(node.name)) fail(`"${node.name}" directive is not allowed here`);
    fail(`unknown directive "${node.name}"`);
  }
  const [contexts, min, max, run] = entry!;
  if ((contexts & context) === 0) fail(`"${node.name}" directive is not allowed here`);
  checkShape({ min, max, block: false } as Spec<unknown>, node);
  if (!REPEATS.has(node.name)) {
    if (seen.has(node.name)) fail(`"${node.name}" directive is duplicate`);
    seen.add(node.name);
  }
  run(conf, node.args, fail, (why) => warn(`the "${node.name}" directive ${why} in ${node.file}:${node.line}`));
}

const KNOWN_ELSEWHERE = new Set(
  'server location listen server_name root index proxy_pass return rewrite set if upstream map geo access_log'.split(' '),
);

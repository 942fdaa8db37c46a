// Loads a configuration: parses files into directives, and builds the http, stream and mail blocks from them. The master, `-t` and `gannet
// front check` use it.
import path from 'node:path';
import { ConfigError, type DirectiveNode, parseConfig, type Review, ReviewedError, UnknownDirectiveError } from '../config/syntax.ts';
import { buildHttp, isHttpDirective } from '../http/build/build.ts';
import type { BuildInput } from '../http/config/block-builder.ts';
import type { BlockMain, HttpMain } from '../http/model/types.ts';
import { closeAccessLogs, openAccessLogs } from '../http/modules/monitoring/log-targets.ts';
import { forgetConfigFiles } from '../http/tls/pem.ts';
import { levelRank, logTo } from '../log/error-log.ts';
import { LogTargets } from '../log/targets.ts';
import { systemError } from '../system-error.ts';
import type { Options } from './command-line.ts';
import { isMainDirective, loopCount, type MainConf, readMain } from './main-conf.ts';

/** A valid configuration. */
export interface Cycle {
  nodes: DirectiveNode[];
  main: MainConf;
  http: HttpMain | null;
  /** those of `http { }`, `stream { }` and `mail { }` that are configured */
  blocks: BlockMain[];
  targets: LogTargets;
}

export interface Places {
  prefix: string;
  confFile: string;
  confPrefix: string;
  errorLog: string;
}

export function placesOf(options: Options): Places {
  const prefix = path.resolve(options.prefix ?? '.') + '/';
  const confFile = path.resolve(prefix, options.config ?? 'conf/nginx.conf');
  return {
    prefix,
    confFile,
    confPrefix: `${path.dirname(confFile)}/`,
    errorLog: path.resolve(prefix, options.errorLog ?? 'logs/error.log'),
  };
}

/** Reads and validates everything that needs no privileges, and opens the logs. @throws ConfigError */
export async function loadCycle(options: Options, places: Places): Promise<Cycle> {
  const warnings = new Set<string>();
  const warn = (message: string) => {
    if (!warnings.has(message)) process.stderr.write(`nginx: [warn] ${message}\n`);
    warnings.add(message);
  };
  try {
    const { nodes } = parseConfig(places.confFile, places.confPrefix, options.globals);
    const cycle = await readCycle(nodes, places, warn);
    openLogs(cycle);
    for (const message of warnings) logTo(cycle.main.errorLogs, 'warn', message);
    return cycle;
  } catch (error) {
    throw await placedError(error);
  }
}

/** Reports all errors and warnings of a configuration, and changes no file. */
export async function reviewCycle(nodes: DirectiveNode[], places: Places, review: Review): Promise<void> {
  const placed: Promise<unknown>[] = [];
  const collect: Review = { error: (error) => placed.push(placedError(error)), warn: review.warn };
  try {
    await readCycle(nodes, places, review.warn, collect);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    collect.error(error);
  }
  for (const error of await Promise.all(placed)) {
    if (error instanceof ConfigError && !(error instanceof ReviewedError)) review.error(error);
  }
}

/** Distinguishes a misplaced directive from an unknown one. */
async function placedError(error: unknown): Promise<unknown> {
  if (!(error instanceof UnknownDirectiveError)) return error;
  const { node } = error;
  const known =
    isMainDirective(node.name) ||
    (await isHttpDirective(node.name)) ||
    (await (await import('../stream/build.ts')).isStreamDirective(node.name)) ||
    (await import('../mail/build.ts')).isMailDirective(node.name);
  return known ? new ConfigError(`"${node.name}" directive is not allowed here in ${node.file}:${node.line}`) : error;
}

async function readCycle(nodes: DirectiveNode[], places: Places, warn: (message: string) => void, review?: Review): Promise<Cycle> {
  const targets = new LogTargets();
  const resolve = (name: string) => path.resolve(places.prefix, name);
  const main = readMain(nodes, targets, resolve, warn, review);
  forgetConfigFiles(main.inheritFiles);
  if (main.errorLogs.length === 0) main.errorLogs.push({ sink: targets.file(places.errorLog), level: levelRank('error') });
  const input = {
    paths: { prefix: places.prefix, conf: places.confPrefix },
    logs: targets,
    mainLogs: main.errorLogs,
    inherited: new Map<string, unknown>(),
    eventLoops: loopCount(main),
    warn,
    review,
  };
  const blocks: BlockMain[] = [];
  const http = main.http && (await tryBlock(buildHttp, { ...input, node: main.http }));
  if (http) blocks.push(http);
  const stream = main.stream && (await tryBlock((await import('../stream/build.ts')).buildStream, { ...input, node: main.stream }));
  if (stream) blocks.push(stream);
  const mail = main.mail && (await tryBlock((await import('../mail/build.ts')).buildMail, { ...input, node: main.mail }));
  if (mail) blocks.push(mail);
  const sockets = blocks.reduce((count, block) => count + block.sockets.length, 0);
  checkAddresses(blocks);
  if (main.workerConnections <= sockets)
    throw new ConfigError(`${main.workerConnections} worker_connections are not enough for ${sockets} listening sockets`);
  return { nodes, main, http, blocks, targets };
}

/** With a review, an error in one block does not hide those of the next. */
async function tryBlock<B extends BlockMain>(build: (input: BuildInput) => Promise<B>, input: BuildInput): Promise<B | null> {
  try {
    return await build(input);
  } catch (error) {
    if (!input.review || !(error instanceof ConfigError)) throw error;
    input.review.error(error);
    return null;
  }
}

function openLogs({ targets, blocks }: Cycle): void {
  try {
    targets.open();
    blocks.forEach(openAccessLogs);
  } catch (error) {
    targets.close();
    blocks.forEach(closeAccessLogs);
    throw new ConfigError(`open() "${(error as NodeJS.ErrnoException).path}" failed (${systemError(error)})`);
  }
}

/** A socket serves one block. @throws ConfigError as nginx does when it binds the second one */
function checkAddresses(blocks: readonly BlockMain[]): void {
  const taken = new Set<string>();
  for (const { key } of blocks.flatMap(({ sockets }) => sockets)) {
    if (taken.has(key)) throw new ConfigError(`bind() to ${key.replace(/^(?:tcp|udp):/, '')} failed (98: Address already in use)`);
    taken.add(key);
  }
}

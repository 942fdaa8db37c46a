// health_check: active checks of the peers that a location proxies to, and `match`: the conditions for a good response.
//   match ok { status 200-399 ! 304; header Content-Type ~ html; body !~ "maintenance"; require $upstream_ready; }
//   location / { proxy_pass http://shop; health_check interval=2s jitter=1s fails=2 passes=2 uri=/up match=ok; }

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { present } from '../../../../common/present.ts';
import { lowerName } from '../../../../http/wire/header.ts';
import { ANY_COUNT, block, custom, HTTP, LOCATION } from '../../../config/directive.ts';
import { Regex } from '../../../config/regex.ts';
import { type DirectiveNode, failAt } from '../../../config/syntax.ts';
import { parseTimeMs } from '../../../config/values.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { anySet, type Value } from '../../config/value.ts';
import type { HttpMain, Loc, Request, Server } from '../../model/types.ts';
import { DetachedConnection } from '../../phases/detached-connection.ts';
import { HttpRequest } from '../../phases/http-request.ts';
import type { UpstreamGroup } from '../../upstream/peers/group.ts';
import { DEFAULT_CHECK, type HealthCheck, HealthChecker, readCheckParameter, splitParameter } from '../../upstream/peers/health.ts';
import type { Peer } from '../../upstream/peers/peer.ts';
import { proxyTarget } from './proxy.ts';

/** The part of a response that is examined; of the body only the start, as in nginx. */
interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}
/** @returns the reason why the response is not good, '' if it is */
type Test = (answer: Answer, require: (values: Value[]) => boolean) => string;

interface Check extends HealthCheck {
  uri: string;
  keepaliveMs: number;
}

const BODY_BYTES = 256 * 1024;
/** time allowed for a whole response, unless the interval is longer */
const LEAST_DEADLINE_MS = 5000;

const DEFAULT_TESTS: Test[] = [({ status }) => (status >= 200 && status < 400 ? '' : `status ${status}`)];

function parseStatus(node: DirectiveNode): Test {
  const words = node.args[0] === '!' ? node.args.slice(1) : node.args;
  const wanted = node.args[0] !== '!';
  if (words.length === 0) failAt(node, 'invalid number of arguments in "status" directive');
  const ranges = words.map((word) => {
    const m = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/.exec(word) ?? failAt(node, `invalid status "${word}"`);
    return [Number(m[1]), Number(m[2] ?? m[1])];
  });
  return ({ status }) => (ranges.some(([from, to]) => status >= from && status <= to) === wanted ? '' : `status ${status}`);
}

function regexOf(node: DirectiveNode, source: string): Regex {
  try {
    return new Regex(source);
  } catch (error) {
    return failAt(node, `invalid regular expression "${source}": ${(error as Error).message}`);
  }
}

function parseHeader(node: DirectiveNode): Test {
  const [first, second, third] = node.args;
  const count = node.args.length;
  if (count === 2 && first === '!') return ({ headers }) => (headers[lowerName(second)] === undefined ? '' : `header "${second}" is there`);
  const of = ({ headers }: Answer): string | null => headers[lowerName(first)]?.toString() ?? null;
  if (count === 1) return (answer) => (of(answer) === null ? `no header "${first}"` : '');
  if (count !== 3) failAt(node, 'invalid number of arguments in "header" directive');
  if (second === '=' || second === '!=')
    return (answer) => ((of(answer) === third) === (second === '=') ? '' : `header "${first}" is "${of(answer) ?? ''}"`);
  if (second !== '~' && second !== '!~') failAt(node, `invalid operator "${second}"`);
  const regex = regexOf(node, third);
  return (answer) => ((regex.exec(of(answer) ?? '') !== null) === (second === '~') ? '' : `header "${first}" is "${of(answer) ?? ''}"`);
}

function parseBody(node: DirectiveNode): Test {
  const [operator, source] = node.args;
  if (node.args.length !== 2 || (operator !== '~' && operator !== '!~')) failAt(node, 'invalid arguments in "body" directive');
  const regex = regexOf(node, source);
  return ({ body }) => ((regex.exec(body) !== null) === (operator === '~') ? '' : 'body does not match');
}

const matchesOf = (main: HttpMain): Map<string, Test[]> => {
  let map = main.registry.get('health:matches') as Map<string, Test[]> | undefined;
  if (!map) main.registry.set('health:matches', (map = new Map()));
  return map;
};

function parseMatch(f: HttpFrame): undefined {
  const [name] = f.args;
  const matches = matchesOf(f.scope.main);
  if (matches.has(name)) f.fail(`duplicate match "${name}"`);
  const tests = present(f.node.children).map((node): Test => {
    if (node.name === 'status') return parseStatus(node);
    if (node.name === 'header') return parseHeader(node);
    if (node.name === 'body') return parseBody(node);
    if (node.name !== 'require') failAt(node, `unknown directive "${node.name}"`);
    if (node.args.length === 0) failAt(node, 'invalid number of arguments in "require" directive');
    const values = node.args.map((word) => f.scope.value(word));
    return (_, require) => (require(values) ? '' : 'require failed');
  });
  matches.set(name, tests);
  return undefined;
}

function parseCheck(f: HttpFrame, previous: Check[] = []): Check[] {
  const check: Check = { ...DEFAULT_CHECK, uri: '/', keepaliveMs: 0 };
  for (const word of f.args) {
    if (readCheckParameter(f, check, word)) continue;
    const [name, value] = splitParameter(word);
    if (name === 'keepalive_time') check.keepaliveMs = parseTimeMs(value) ?? f.invalid(word);
    else if (name === 'uri' && value.startsWith('/')) check.uri = value;
    else if (name === 'type') f.fail('checks by gRPC are not supported');
    else f.fail(`invalid parameter "${word}"`);
  }
  if (check.persistent && !check.mandatory) f.fail('"persistent" requires "mandatory"');
  return [...previous, check];
}

export const healthCheckModule = defineModule(
  'health_check',
  {
    match: block<undefined>(HTTP, 1, undefined, parseMatch),
    health_check: custom<Check[] | null>(LOCATION, [0, ANY_COUNT], null, parseCheck, {
      repeats: true,
      merge: (_, own) => own,
    }),
  },
  {
    init(main) {
      eachLoc(main, (loc) => {
        for (const { match } of healthCheckModule.conf(loc).health_check ?? []) {
          if (match && !matchesOf(main).has(match)) throw `match "${match}" is not found`;
        }
      });
    },
    start(main) {
      eachLoc(main, (loc, server) => {
        const checks = healthCheckModule.conf(loc).health_check;
        const target = checks && proxyTarget(loc);
        if (target) for (const check of checks) startCheck(main, loc, server, check, target.group, target.secure);
      });
    },
  },
);

/** Every location of every server. */
function eachLoc(main: HttpMain, visit: (loc: Loc, server: Server) => void): void {
  const walk = (loc: Loc, server: Server) => {
    visit(loc, server);
    for (const child of loc.children) walk(child, server);
  };
  for (const server of main.servers) walk(server.root, server);
}

/** Starts the repeated runs of one check. */
function startCheck(main: HttpMain, loc: Loc, server: Server, check: Check, group: UpstreamGroup, secure: boolean): void {
  const tests = (check.match && matchesOf(main).get(check.match)) || DEFAULT_TESTS;
  const options = { keepAlive: true, timeout: check.keepaliveMs };
  const agent = check.keepaliveMs > 0 && (secure ? new HttpsAgent(options) : new HttpAgent(options));
  /** Evaluates the variables of `require` with a request without a client, in the location. */
  const request = (): Request => {
    const r = new HttpRequest(new DetachedConnection(main.sockets[0]), main, server);
    r.loc = loc;
    return r;
  };
  const judge = (answer: Answer): string => {
    for (const test of tests) {
      const why = test(answer, (values) => anySet(request(), values));
      if (why !== '') return why;
    }
    return '';
  };
  new HealthChecker(check, group, loc.errorLogs, (peer, done) =>
    ask(peer, check, secure, agent, (answer, failure) => done(answer ? judge(answer) : failure)),
  ).start(main);
}

function ask(
  { address, name }: Peer,
  { port, uri, intervalMs }: Check,
  secure: boolean,
  agent: HttpAgent | false,
  done: (answer: Answer | null, failure: string) => void,
): void {
  let told = false;
  const tell = (answer: Answer | null, failure: string) => {
    if (!told) done(answer, failure);
    told = true;
    clearTimeout(deadline);
  };
  const target = address.path ? { socketPath: address.path } : { host: address.host, port: port || address.port };
  const options: RequestOptions & { rejectUnauthorized?: boolean } = {
    ...target,
    path: uri,
    timeout: intervalMs,
    agent,
    headers: { host: name },
  };
  // The check tests availability, not identity, so the certificate is not verified.
  if (secure) options.rejectUnauthorized = false;
  const req = (secure ? httpsRequest : httpRequest)(options, (res) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const end = () => tell({ status: present(res.statusCode), headers: res.headers, body: Buffer.concat(parts).latin1Slice() }, '');
    res.on('data', (data: Buffer) => {
      if (bytes < BODY_BYTES) parts.push(data);
      bytes += data.length;
      if (bytes < BODY_BYTES) return;
      end();
      res.destroy();
    });
    res.on('end', end);
    res.on('error', (error) => tell(null, error.message));
  });
  // a peer that sends byte by byte is never idle
  const deadline = setTimeout(() => req.destroy(new Error('timed out')), Math.max(intervalMs, LEAST_DEADLINE_MS)).unref();
  req.on('timeout', () => req.destroy(new Error('timed out')));
  req.on('error', (error) => tell(null, error.message));
  req.end();
}

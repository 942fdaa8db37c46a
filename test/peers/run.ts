// Sends generated requests to the service and to a peer, a real Elasticsearch or OpenSearch, and lists each difference with its reason.
//   npm run test:peers -- --peer http://127.0.0.1:9208                     with the defaults of the settings
//   npm run test:peers -- --peer URL --version 7.10.2 --family documents   another version, some families (a regular expression)
//   npm run test:peers -- --start 'start-peer.sh' --peer URL               runs a command that starts the peer and prints its pid
// Options: --flavor, --version, --seed 1, --count 5000, --family PATTERN, --verbose (each difference, not only one of each kind).
// The indices p-main and p-other and everything called tmp-... are deleted on the peer. Exit code 1 if 25 or more differences have no reason.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { openRestNode, type RestNode } from '../support/rest-node.ts';
import { Rng } from '../support/rng.ts';
import { type Difference, differenceOf, type PeerAnswer } from './compare.ts';
import { FAMILIES } from './families/families.ts';
import { reasonOf } from './reasons.ts';
import { dataRequests, INDEX, OTHER, type PeerRequest, type Scenario } from './scenario.ts';

const ALLOWED_UNEXPLAINED = 25;

const { values: options } = parseArgs({
  options: {
    peer: { type: 'string', default: 'http://127.0.0.1:9208' },
    start: { type: 'string' },
    flavor: { type: 'string', default: 'elasticsearch' },
    version: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '5000' },
    family: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  },
});

type Send = (request: PeerRequest) => Promise<PeerAnswer>;

interface Found {
  readonly family: string;
  readonly request: PeerRequest;
  readonly difference: Difference;
  readonly reason: string | null;
}

function payload({ body }: PeerRequest): string {
  if (body === undefined) return '';
  if (typeof body === 'string') return body;
  return Array.isArray(body) ? `${body.map((line) => JSON.stringify(line)).join('\n')}\n` : JSON.stringify(body);
}

function typeOf({ line, body }: PeerRequest): string {
  return /_bulk|_msearch/.test(line) && body !== undefined ? 'application/x-ndjson' : 'application/json';
}

const toPeer: Send = async (request) => {
  const [method, path] = request.line.split(' ');
  const text = payload(request);
  // fetch sends no body with GET; the servers accept POST for every such request here.
  const sent = text !== '' && method === 'GET' ? 'POST' : method;
  const answer = await fetch(options.peer + path, {
    method: sent,
    ...(text === '' ? {} : { body: text, headers: { 'content-type': typeOf(request) } }),
  });
  return { status: answer.status, text: await answer.text() };
};

function toNode(node: RestNode): Send {
  return async (request) => {
    const [method, path] = request.line.split(' ');
    const text = payload(request);
    const line = `${text !== '' && method === 'GET' ? 'POST' : method} ${path}`;
    const { status, text: answered } = await node.exchange(
      line,
      text === '' ? {} : { body: text, headers: { 'content-type': typeOf(request) } },
    );
    return { status, text: answered };
  };
}

const CLEANUP = ['/tmp-*?expand_wildcards=all', '/_index_template/tmp-*', '/_component_template/tmp-*', '/_template/tmp-*'];

async function cleanUp(send: Send): Promise<void> {
  const { text } = await send({ line: 'GET /_cat/indices?h=index&format=json&expand_wildcards=all' });
  const names = (JSON.parse(text) as Array<{ index: string }>).map(({ index }) => index).filter((index) => index.startsWith('tmp-'));
  if (names.length > 0) {
    await send({ line: `PUT /${names.join(',')}/_settings`, body: { 'index.blocks.write': null, 'index.blocks.read_only': null } });
    await send({ line: `DELETE /${names.join(',')}` });
  }
  for (const path of CLEANUP.slice(1)) await send({ line: `DELETE ${path}` });
}

const CHANGES = /^(PUT|DELETE|POST (?!.*(_search|_count|_validate|_explain|_msearch|_analyze|_mget)))/;

async function runScenario(family: string, scenario: Scenario, servers: readonly [Send, Send]): Promise<Found[]> {
  const found: Found[] = [];
  for (const request of scenario) {
    const [expected, actual] = await Promise.all(servers.map((send) => send(request)));
    const difference = differenceOf(expected, actual, request.shape ?? false);
    if (difference) {
      found.push({ family, request, difference, reason: reasonOf(request, difference, expected, actual) });
      break;
    }
  }
  if (scenario.some(({ line }) => CHANGES.test(line))) for (const send of servers) await cleanUp(send);
  return found;
}

function familiesByShare(pattern: RegExp): string[] {
  return Object.entries(FAMILIES).flatMap(([name, { share }]) => (pattern.test(name) ? Array<string>(share).fill(name) : []));
}

/** Reasons that differ in details count as one kind of difference. */
function kindOf({ family, difference: { path, expected, actual } }: Found): string {
  const rough = (value: unknown) =>
    (JSON.stringify(value) ?? 'nothing')
      .replaceAll(/[\d.]+/g, '0')
      .replaceAll(/\[[^\]]*\]/g, '[]')
      .slice(0, 90);
  return `${family} ${path.replaceAll(/\d+/g, '0')} ${rough(expected)} ${rough(actual)}`;
}

function show({ family, request, difference: { path, expected, actual } }: Found): string {
  const text = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 260);
  return `${family}: ${request.line} ${payload(request).slice(0, 420)}\n    ${path}\n      peer    ${text(expected)}\n      service ${text(actual)}`;
}

async function main(): Promise<number> {
  const pid = options.start === undefined ? null : Number(execFileSync('sh', ['-c', options.start]).toString().trim().split('\n').at(-1));
  const node = await openRestNode({ 'compat.flavor': options.flavor, 'compat.version': options.version });
  const servers: [Send, Send] = [toPeer, toNode(node)];
  try {
    for (const send of servers) {
      await send({ line: `DELETE /${INDEX},${OTHER}?ignore_unavailable=true` });
      await cleanUp(send);
      for (const request of dataRequests(new Rng(Number(options.seed)))) {
        const { status, text } = await send(request);
        if (status >= 300 || text.includes('"errors":true')) throw new Error(`${request.line}: ${status} ${text.slice(0, 500)}`);
      }
    }
    const names = familiesByShare(new RegExp(options.family));
    const found: Found[] = [];
    let sent = 0;
    for (let i = 0; sent < Number(options.count); i++) {
      const rng = new Rng(Number(options.seed) * 1_000_003 + i);
      const family = names[i % names.length];
      const scenario = FAMILIES[family].make(rng);
      sent += scenario.length;
      found.push(...(await runScenario(family, scenario, servers)));
    }
    return report(found, sent);
  } finally {
    await node.close();
    if (pid !== null) process.kill(pid);
  }
}

/** @returns the exit code */
function report(found: readonly Found[], sent: number): number {
  const unexplained = found.filter(({ reason }) => reason === null);
  const kinds = new Map<string, Found[]>();
  for (const one of unexplained) kinds.set(kindOf(one), [...(kinds.get(kindOf(one)) ?? []), one]);
  for (const list of [...kinds.values()].sort((a, b) => b.length - a.length)) {
    console.log(`${list.length} x ${show(list[0])}`);
    if (options.verbose) for (const one of list.slice(1)) console.log(`      ${show(one)}`);
  }
  const reasons = new Map<string, number>();
  for (const { reason } of found) if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  console.log('\nexplained:');
  for (const [reason, count] of [...reasons].sort((a, b) => b[1] - a[1])) console.log(`  ${String(count).padStart(4)}  ${reason}`);
  console.log(`\n${sent} requests, ${found.length} differences, ${unexplained.length} of them without a reason in ${kinds.size} kinds`);
  return unexplained.length < ALLOWED_UNEXPLAINED ? 0 : 1;
}

process.exit(await main());

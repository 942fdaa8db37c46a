/**
 * Requests of doubtful form, sent to the front, to node:http and (where it is installed) to nginx: how many requests each sees in them,
 * and whether a back end behind the front sees the same ones. docs/internals/front-compared.md lists where the three disagree, and why.
 */
import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { Front } from '../../support/front.ts';
import { random } from './random.ts';
import { DISAGREEMENTS, NGINX_1_22, SHAPES } from './shapes.ts';

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find((file) => spawnSync(file, ['-v']).status === 0);

const SENTINEL = 'GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const IDLE_MS = 600;
const DEADLINE_MS = 5000;

const LANES = 6;
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 240);
const FIRST_SEED = Number(process.env.FUZZ_SEED ?? 1);

type Who = 'front' | 'node' | 'nginx';
/** A path to a server, and the requests that the recorder at its end received: method, target, length of the body. */
interface Lane {
  port: number;
  seen: string[];
}

const front = new Front();
const peer = new Front(NGINX);
const lanes: Record<Who, Lane[]> = { front: [], node: [], nginx: [] };
const servers: Server[] = [];

async function recorder(): Promise<Lane> {
  const lane: Lane = { port: 0, seen: [] };
  const server = createServer((req, res) => {
    let length = 0;
    req.on('data', (data) => (length += data.length));
    req.on('end', () => {
      lane.seen.push(`${req.method} ${req.url} ${length}`);
      res.end('ok');
    });
  });
  (server as unknown as { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  lane.port = (server.address() as AddressInfo).port;
  return lane;
}

/** A proxy with a server and a recorder for each lane. */
async function configure(proxy: Front, who: Who): Promise<void> {
  let text =
    'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_ignore_client_abort on; client_body_timeout 2s; client_header_timeout 2s;';
  for (let n = 0; n < LANES; n++) {
    const back = await recorder();
    const port = await freePort();
    lanes[who].push({ port, seen: back.seen });
    text += ` upstream back${n} { server 127.0.0.1:${back.port}; keepalive 4; } server { listen 127.0.0.1:${port}; location / { proxy_pass http://back${n}; } }`;
  }
  proxy.config(text);
}

beforeAll(async () => {
  for (let n = 0; n < LANES; n++) lanes.node.push(await recorder());
  await configure(front, 'front');
  await front.start();
  if (!NGINX) return;
  await configure(peer, 'nginx');
  await peer.start();
});
afterAll(async () => {
  for (const server of servers) server.close();
  await front.dispose();
  await peer.dispose();
});

interface Outcome {
  /** classes of the statuses in order, 1xx left out */
  statuses: string;
  /** responses of the recorder that were passed on */
  answers: number;
  seen: string[];
}

/** Sends a shape and a plain request after it. */
function send({ port, seen }: Lane, shape: string): Promise<Outcome> {
  seen.length = 0;
  return new Promise((resolve) => {
    let out = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(shape + SENTINEL, 'latin1'));
    const finish = () => {
      clearTimeout(idle);
      clearTimeout(deadline);
      socket.destroy();
      const statuses = [...out.matchAll(/HTTP\/1\.[01] ([2-5])\d\d/g)].map((m) => m[1]).join('');
      resolve({ statuses, answers: out.match(/ok/g)?.length ?? 0, seen: [...seen] });
    };
    // end the input of a server that still waits for more
    let idle = setTimeout(() => socket.end(), IDLE_MS);
    const deadline = setTimeout(finish, DEADLINE_MS);
    socket.on('data', (data) => {
      out += data.toString('latin1');
      clearTimeout(idle);
      idle = setTimeout(() => socket.end(), IDLE_MS);
    });
    socket.on('error', finish);
    socket.on('close', finish);
  });
}

const peers: Who[] = NGINX ? ['front', 'node', 'nginx'] : ['front', 'node'];

async function ask(shape: string, lane: number): Promise<Record<Who, Outcome>> {
  const outcomes = await Promise.all(peers.map((who) => send(lanes[who][lane], shape)));
  return Object.fromEntries(peers.map((who, n) => [who, outcomes[n]])) as Record<Who, Outcome>;
}

/** Runs over items, as many at once as there are lanes. */
async function overLanes<T>(items: T[], run: (item: T, lane: number) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item, lane);
    }),
  );
}

/** after such a field node treats the rest as another protocol */
const UPGRADE = /^Upgrade:/im;

/** Compares requests without differences in how their target is written. */
const plain = (seen: string[]) => seen.map((line) => line.replace(/ [a-z]+:\/\/[^/ ]*/i, ' ').replace(/ {2}/, ' / '));

function mutate(text: string, rng: (below: number) => number): string {
  let out = text;
  for (let n = rng(3); n >= 0; n--) {
    const at = rng(out.length);
    const piece = PIECES[rng(PIECES.length)];
    if (rng(3) === 0) out = out.slice(0, at) + String.fromCharCode(rng(256)) + out.slice(at + 1);
    else out = out.slice(0, at) + piece + out.slice(at + rng(3));
  }
  return out;
}

const PIECES = [
  '\r',
  '\n',
  '\r\n',
  ' ',
  '\t',
  '\0',
  ':',
  ';',
  ',',
  '0',
  '5',
  '-',
  '/',
  '%',
  '?',
  '#',
  'chunked',
  '\x0b',
  '\xff',
  'Content-Length: 2\r\n',
];

describe('differential: requests of doubtful form', () => {
  test('each shape gets the expected responses', async () => {
    const found: Record<string, Record<string, string>> = {};
    const wanted: Record<string, Record<string, string>> = {};
    await overLanes(Object.entries(SHAPES), async ([name, shape], lane) => {
      const outcomes = await ask(shape, lane);
      const judged = DISAGREEMENTS[name];
      found[name] = Object.fromEntries(peers.map((who) => [who, outcomes[who].statuses]));
      const agreed = outcomes.front.statuses;
      wanted[name] = Object.fromEntries(peers.map((who) => [who, judged ? (judged[who] ?? judged.front) : agreed]));
      if (judged) expect(judged.front, `${name} is no disagreement`).not.toBe(judged.node);
    });
    expect(found).toEqual(wanted);
    expect(Object.keys(DISAGREEMENTS).filter((name) => !(name in SHAPES))).toEqual([]);
  });

  test('no shape makes the back end receive a request that the front did not see', async () => {
    await overLanes(Object.entries(SHAPES), async ([name, shape], lane) => {
      const { answers, seen } = await send(lanes.front[lane], shape);
      expect(answers, `${name}: ${seen.join(', ')}`).toBe(seen.length);
      expect(seen.join(), name).not.toContain('/hidden');
    });
  });

  test('mutated messages that both accept are read alike, and nginx responds like the front', async () => {
    const names = Object.keys(SHAPES);
    const odd: string[] = [];
    await overLanes(
      Array.from({ length: ROUNDS }, (_, n) => n + FIRST_SEED),
      async (seed, lane) => {
        const rng = random(seed);
        const shape = mutate(SHAPES[names[rng(names.length)]], rng);
        const { front: ours, node, nginx } = await ask(shape, lane);
        const report = (what: string) =>
          odd.push(`seed ${seed} ${JSON.stringify(shape)}: ${what}: ${JSON.stringify({ ours, node, nginx })}`);
        if (ours.answers !== ours.seen.length) report('the back end saw what was not answered');
        const sound = (o: Outcome) => /^2+$/.test(o.statuses);
        if (sound(ours) && sound(node) && !UPGRADE.test(shape) && plain(ours.seen).join() !== plain(node.seen).join())
          report('seen differently by node');
        // an answer of HTTP/0.9 has no status; an invalid version may be 400 or 505
        const refused = (o: Outcome) => o.seen.length === 0 && /^[45]?$/.test(o.statuses);
        if (!nginx || nginx.statuses === ours.statuses) return;
        // if node refuses, too, being stricter than nginx is not a fault
        if (refused(ours) && (refused(nginx) || refused(node))) return;
        if (!NGINX_1_22.some((rule) => rule.shape.test(shape))) report('answered differently by nginx');
      },
    );
    expect(odd).toEqual([]);
  });
});

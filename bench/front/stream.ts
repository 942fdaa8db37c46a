// Streams: bytes of large transfers, connections, round trips and datagrams per CPU second, and memory of idle sessions. The back end is a
// process of its own that echoes what it receives; after the byte 'L' it sends without end.
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Running, rssMb, start, stop, streamModule } from './servers.ts';
import { compare, type Results, type Work } from './tally.ts';

const main = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist/front/main.js');
const BACK = 18_093;
const TRANSFERS = 4;
const CLIENTS = 32;
const CHUNK = 1 << 20;
const IDLE = 10_000;
/** files that a worker needs besides two for each session */
const OTHER_FILES = 500;
/** a datagram that stays without an answer for so long is lost, and sent again */
const LOST_MS = 500;

const config = (folder: string, port: number, name: string, load: string): string => `${load}
user root; daemon off; worker_processes 1; pid ${folder}/${name}.pid; error_log ${folder}/${name}.log crit;
events { worker_connections 20000; }
stream { proxy_timeout 300s;
  server { listen 127.0.0.1:${port}; proxy_pass 127.0.0.1:${BACK}; }
  server { listen 127.0.0.1:${port} udp; proxy_timeout 2s; proxy_pass 127.0.0.1:${BACK}; } }
`;

const BACK_END = `import { createServer } from 'node:net';
import { createSocket } from 'node:dgram';
const chunk = Buffer.alloc(${CHUNK}, 'x');
const pour = (s) => { while (s.write(chunk)); };
createServer({ noDelay: true }, (s) => {
  s.on('error', () => {});
  s.on('data', (data) => {
    if (data[0] !== 76) { s.write(data); return; }
    s.on('drain', () => pour(s));
    pour(s);
  });
}).listen({ port: ${BACK}, host: '127.0.0.1', backlog: 4096 }, () => {
  const udp = createSocket('udp4');
  udp.on('message', (data, from) => udp.send(data, from.port, from.address));
  udp.bind(${BACK}, '127.0.0.1', () => console.log('up'));
});`;

function openTo(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed')));
  });
}
const answerOf = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    const closed = (): void => reject(new Error('the connection was closed without an answer'));
    socket.once('close', closed);
    socket.once('data', (data) => {
      socket.off('close', closed);
      resolve(String(data));
    });
  });

async function check({ port, name }: Running): Promise<void> {
  const socket = await openTo(port);
  socket.write('ping');
  const answer = await answerOf(socket);
  socket.destroy();
  if (answer !== 'ping') throw new Error(`${name} answers ${answer}`);
}

/** Reads the endless output of the back end; a step is a megabyte. */
function transfer(port: number, until: number, times: number[]): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let next = CHUNK;
    let since = performance.now();
    const buffer = Buffer.alloc(1 << 18);
    const read = (count: number): boolean => {
      bytes += count;
      if (bytes < next) return true;
      next += CHUNK;
      const now = performance.now();
      times.push(now - since);
      since = now;
      if (Date.now() >= until) socket.destroy();
      return true;
    };
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback: read } }, () => socket.write('L'));
    socket.on('error', reject).on('close', () => resolve(bytes));
  });
}

/** Connects, sends, gets the answer and closes, again and again. */
async function connections(port: number, until: number, times: number[]): Promise<number> {
  let count = 0;
  for (; Date.now() < until; count++) {
    const began = performance.now();
    const socket = await openTo(port);
    socket.write('ping');
    await answerOf(socket);
    times.push(performance.now() - began);
    socket.destroy();
  }
  return count;
}

async function roundTrips(port: number, until: number, times: number[]): Promise<number> {
  const socket = await openTo(port);
  let count = 0;
  for (; Date.now() < until; count++) {
    const began = performance.now();
    socket.write('ping');
    await answerOf(socket);
    times.push(performance.now() - began);
  }
  socket.destroy();
  return count;
}

/** Keeps one datagram of a flow under way. */
function datagrams(port: number, until: number, times: number[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    const data = Buffer.alloc(64, 'x');
    let count = 0;
    let began = 0;
    const send = (): void => {
      began = performance.now();
      socket.send(data);
    };
    const timer = setInterval(() => {
      if (performance.now() - began >= LOST_MS) send();
    }, LOST_MS);
    socket.on('message', () => {
      times.push(performance.now() - began);
      count++;
      if (Date.now() < until) send();
      else {
        clearInterval(timer);
        socket.close();
        resolve(count);
      }
    });
    socket.on('error', reject);
    socket.connect(port, '127.0.0.1', send);
  });
}

type Client = (port: number, until: number, times: number[]) => Promise<number>;
const many = (clients: number, client: Client): Work => ({
  check,
  load: async ({ port }, until, times) => {
    const done = await Promise.all(Array.from({ length: clients }, () => client(port, until, times)));
    return done.reduce((sum, count) => sum + count, 0);
  },
});

const CASES: Record<string, Work> = {
  'TCP transfer, bytes': many(TRANSFERS, transfer),
  'TCP connections': many(CLIENTS, connections),
  'TCP round trips': many(CLIENTS, roundTrips),
  'UDP datagrams': many(CLIENTS, datagrams),
};

/** Memory of a worker that holds idle sessions: 10,000, or as many as it may open files for. */
async function idleSessions({ port, worker }: Running): Promise<{ sessions: number; rssMb: number }> {
  const files = Number(/Max open files\s+\d+\s+(\d+)/.exec(readFileSync(`/proc/${worker}/limits`, 'utf8'))?.[1]);
  const sessions = Math.min(IDLE, Math.floor((files - OTHER_FILES) / 2));
  const sockets: Socket[] = [];
  for (let n = 0; n < sessions; n++) {
    const socket = await openTo(port);
    socket.write('ping');
    await answerOf(socket);
    sockets.push(socket);
  }
  const result = { sessions, rssMb: Math.round(rssMb(worker)) };
  for (const socket of sockets) socket.destroy();
  return result;
}

/** @param wanted  titles of the cases, none for all */
export async function benchStreams(
  folder: string,
  nginx: string | null,
  wanted: readonly string[],
  seconds: number,
  out: Results,
): Promise<void> {
  const titles = Object.keys(CASES).filter((title) => wanted.length === 0 || wanted.includes(title));
  const idle = wanted.length === 0 || wanted.includes('idle sessions');
  if (titles.length === 0 && !idle) return;
  writeFileSync(path.join(folder, 'back-stream.mjs'), BACK_END);
  const back = spawn(process.execPath, [path.join(folder, 'back-stream.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => back.stdout?.once('data', resolve));
  const load = nginx === null ? null : streamModule(nginx);
  if (nginx !== null && load === null) process.stderr.write('nginx skipped: it has no stream module\n');
  const servers: Running[] = [];
  const startAll = async (round: string): Promise<void> => {
    const args = (name: string): string[] => ['-p', folder, '-c', `${folder}/${name}${round}.conf`, '-e', `${folder}/${name}${round}.log`];
    const text = (name: string, port: number, line: string): string => config(folder, port, `${name}${round}`, line);
    servers.push(await start(`gannet${round}`, process.execPath, [main, ...args('gannet')], folder, 18_095, text('gannet', 18_095, '')));
    if (nginx !== null && load !== null)
      servers.push(await start(`nginx${round}`, nginx, args('nginx'), folder, 18_096, text('nginx', 18_096, load)));
    for (const server of servers) server.name = server.name.slice(0, -round.length);
  };
  try {
    await startAll('-stream');
    for (const title of titles) await compare(servers, title, CASES[title], seconds, out);
    if (!idle) return;
    for (const server of servers.splice(0)) await stop(server);
    await startAll('-idle');
    for (const server of servers) out.results[server.name] = { ...out.results[server.name], 'idle sessions': await idleSessions(server) };
  } finally {
    for (const server of servers) await stop(server);
    back.kill();
  }
}

import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, any of which could take a free port before the test listens on it. */
const FIRST = 12_000;
const LAST = 32_000;
/**
 * Test files that run at the same time take their ports from different parts of the range: a port that one of them expects to stay closed could
 * otherwise be one on which another listens.
 */
const PARTS = 16;
const SIZE = Math.floor((LAST - FIRST) / PARTS);
const START = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % PARTS) * SIZE;

/** Ports given to this file, on which nothing may listen yet. */
const given = new Set<number>();

/** A port of 127.0.0.1 on which nothing listens; a different one on each call. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = START + Math.floor(Math.random() * SIZE);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

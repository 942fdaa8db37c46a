// Waits for a service that a command has started.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceClient } from './service-client.ts';
import type { Supervisor } from './supervisor.ts';

const START_TIMEOUT_MS = 30_000;

/** @throws Error the service exited, or does not respond in time */
export async function waitUntilReady(client: ServiceClient, supervisor: Supervisor): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const failed = supervisor.exited.then(() => {
    throw new Error('the service did not start');
  });
  // It also rejects later on, when the demo stops the service.
  failed.catch(() => undefined);
  while (!(await Promise.race([isReady(client), failed]))) {
    if (Date.now() > deadline) throw new Error('the service does not respond');
    await Promise.race([sleep(50), failed]);
  }
}

async function isReady(client: ServiceClient): Promise<boolean> {
  try {
    return (await client.send('GET', '/')).status === 200;
  } catch {
    return false;
  }
}

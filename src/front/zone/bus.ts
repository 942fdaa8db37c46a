/**
 * What the event loops of a worker process tell each other: changes of servers and of cached answers, TLS sessions.
 * A message is told in order and to all others. A loop that must not act on old news calls `drain` first: a counter in shared memory
 * says, without a system call, whether there is any.
 */
import { BroadcastChannel, receiveMessageOnPort } from 'node:worker_threads';
import { loop, sharedBytes } from './memory.ts';

interface Message {
  topic: string;
  data: unknown;
}
/** what Node's has besides the standard's */
type Channel = BroadcastChannel & { onmessage: (event: { data: Message }) => void; unref(): void };

const handlers = new Map<string, (data: never) => void>();
let channel: Channel | undefined;
let news: Int32Array | undefined;
let seen = 0;

/** @param handler  runs in every loop but the sender's */
export function onNews<T>(topic: string, handler: (data: T) => void): void {
  handlers.set(topic, handler as (data: never) => void);
}

/** Joins the others; does nothing where there are none. */
export function openBus(): void {
  if (loop.count === 1 || channel) return;
  news = new Int32Array(sharedBytes('bus', 4));
  channel = new BroadcastChannel('front') as Channel;
  channel.onmessage = (event) => handle(event.data);
  channel.unref();
}

function handle({ topic, data }: Message): void {
  handlers.get(topic)?.(data as never);
}

export function tellLoops(topic: string, data: unknown): void {
  if (!channel) return;
  channel.postMessage({ topic, data });
  Atomics.add(news!, 0, 1);
}

/** Handles now whatever was told before this call. */
export function drain(): void {
  if (!channel) return;
  const now = Atomics.load(news!, 0);
  if (now === seen) return;
  seen = now;
  for (let next = receiveMessageOnPort(channel as never); next; next = receiveMessageOnPort(channel as never)) handle(next.message);
}

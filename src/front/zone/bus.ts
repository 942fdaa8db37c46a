// Messages between the event loops of a worker process: changes of servers and of cached responses, TLS sessions.
// A message is sent in order to all other loops. A loop that must not act on outdated state calls `drain` first: a counter in shared memory tells
// without a system call whether there are messages.

import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { present } from '../../common/present.ts';
import { loop, sharedBytes } from './memory.ts';

interface Message {
  topic: string;
  data: unknown;
}
/** Methods that Node adds to the standard's. */
type Channel = BroadcastChannel & { onmessage: (event: { data: Message }) => void; unref(): void };

/** Node's types omit that channels are also accepted. */
const receive = receiveMessageOnPort as (port: MessagePort | BroadcastChannel) => { message: Message } | undefined;

const handlers = new Map<string, (data: unknown) => void>();
let channel: Channel | null = null;
let news: Int32Array | null = null;
let seen = 0;

/** @param handler  runs in every loop except the sender's */
export function onNews<T>(topic: string, handler: (data: T) => void): void {
  handlers.set(topic, handler as (data: unknown) => void);
}

/** Joins the other loops; no effect if there are none. */
export function openBus(): void {
  if (loop.count === 1 || channel) return;
  news = new Int32Array(sharedBytes('bus', 4));
  channel = new BroadcastChannel('front') as Channel;
  channel.onmessage = (event) => handle(event.data);
  channel.unref();
}

function handle({ topic, data }: Message): void {
  handlers.get(topic)?.(data);
}

export function tellLoops(topic: string, data: unknown): void {
  if (!channel) return;
  channel.postMessage({ topic, data });
  Atomics.add(present(news), 0, 1);
}

/** Handles all messages sent before this call. */
export function drain(): void {
  if (!channel) return;
  const now = Atomics.load(present(news), 0);
  if (now === seen) return;
  seen = now;
  for (let next = receive(channel); next; next = receive(channel)) handle(next.message);
}

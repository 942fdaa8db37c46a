// Order and pace of the password checks of a thread. A check costs 50 ms of CPU time, so an attacker could keep others from logging in. Therefore one
// check runs at a time, addresses take turns, each failure lengthens the pause before the next check of its address and the delay of checks of its
// user, in all threads, and users who have logged in from an address before wait only for others who have. Delays are bounded, so nobody is locked out.
// An attempt leaves the queue when its connection is closed: otherwise an attacker could fill it without keeping connections open.
import net from 'node:net';
import { rejectedExecutionError, taskCancelledError } from '../../errors/catalog.ts';
import { LoginMemory } from './login-memory.ts';

const MAX_WAITING_PER_ADDRESS = 256;
const MAX_WAITING = 4096;
const MAX_ADDRESS_DELAY_MS = 1000;
const MAX_USER_DELAY_MS = 2000;
const KNOWN_MS = 3600_000;

interface Attempt {
  readonly address: Address;
  readonly user: string;
  readonly check: () => Promise<boolean>;
  readonly resolve: (isRight: boolean) => void;
  readonly reject: (error: unknown) => void;
  /** The sender is gone, but the delay of the attempt still passes. */
  isWithdrawn: boolean;
}

/** Receives what to run when the sender of an attempt disconnects. */
export type OnAbort = (call: () => void) => void;

/** The waiting attempts of an address by user; an address exists as long as it has any. */
class Address {
  readonly key: string;
  readonly waiting = new Map<string, Attempt[]>();
  size = 0;
  isBusy = false;
  /** When the next check may start; null if no time is reserved yet. */
  nextMs: number | null = null;

  constructor(key: string) {
    this.key = key;
  }
}

export class LoginQueue {
  /** In the order of their turns. */
  readonly #addresses = new Map<string, Address>();
  readonly #known: Attempt[] = [];
  /** Attempts whose delay is over; their addresses are busy. */
  readonly #delayed: Attempt[] = [];
  #isDelayedNext = false;
  readonly #memory: LoginMemory;
  #waiting = 0;
  #isChecking = false;
  #isCheckingKnown = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param memory  what it shares with the queues of other threads */
  constructor(memory = new LoginMemory()) {
    this.#memory = memory;
  }

  /**
   * Runs `check` when its turn comes. @returns whether the password is right
   * @throws ApiError es_rejected_execution_exception (429): too many attempts are waiting, and this one belongs to the user with the most;
   * task_cancelled_exception: the sender has disconnected
   */
  run(remoteAddress: string, user: string, check: () => Promise<boolean>, onAbort: OnAbort = () => undefined): Promise<boolean> {
    const key = addressKey(remoteAddress);
    return new Promise((resolve, reject) => {
      const isKnown = this.#memory.isKnown(`${key} ${user}`);
      const address = isKnown ? new Address(key) : (this.#addresses.get(key) ?? new Address(key));
      const attempt: Attempt = { address, user, check, resolve, reject, isWithdrawn: false };
      if (isKnown) {
        if (this.#known.length >= MAX_WAITING) return reject(tooManyAttemptsError());
        this.#known.push(attempt);
      } else this.#add(attempt);
      onAbort(() => this.#withdraw(attempt));
      this.#next();
    });
  }

  /** Removes an attempt that waits. The check of one whose turn has come is not skipped unless its delay still passes, so it counts as a failure. */
  #withdraw(attempt: Attempt): void {
    const { address, user, reject } = attempt;
    attempt.isWithdrawn = true;
    const known = this.#known.indexOf(attempt);
    if (known >= 0) this.#known.splice(known, 1);
    const list = address.waiting.get(user) ?? [];
    const at = list.indexOf(attempt);
    if (at >= 0) {
      list.splice(at, 1);
      this.#removed(address, user, list);
    }
    reject(taskCancelledError());
  }

  #add(attempt: Attempt): void {
    const { address, user } = attempt;
    this.#addresses.set(address.key, address);
    const list = address.waiting.get(user);
    if (list) list.push(attempt);
    else address.waiting.set(user, [attempt]);
    address.size++;
    this.#waiting++;
    if (address.size > MAX_WAITING_PER_ADDRESS) this.#dropNewest(address);
    else if (this.#waiting > MAX_WAITING) this.#dropNewest([...this.#addresses.values()].reduce((a, b) => (b.size > a.size ? b : a)));
  }

  /** Refuses the newest attempt of the user with the most in an address. */
  #dropNewest(address: Address): void {
    const [user, list] = [...address.waiting].reduce((a, b) => (b[1].length > a[1].length ? b : a));
    list.pop()?.reject(tooManyAttemptsError());
    this.#removed(address, user, list);
  }

  #removed(address: Address, user: string, list: readonly Attempt[]): void {
    if (list.length === 0) address.waiting.delete(user);
    address.size--;
    this.#waiting--;
    if (address.size === 0 && !address.isBusy) this.#addresses.delete(address.key);
  }

  #next(): void {
    if (!this.#isCheckingKnown) {
      const attempt = this.#known.shift();
      if (attempt) {
        this.#isCheckingKnown = true;
        void this.#check(attempt).finally(() => {
          this.#isCheckingKnown = false;
          this.#next();
        });
      }
    }
    while (!this.#isChecking) {
      // Alternates, so that neither new attempts nor those whose delay is over starve the others.
      const delayed = this.#isDelayedNext ? this.#delayed.shift() : undefined;
      this.#isDelayedNext = !this.#isDelayedNext;
      const attempt = delayed ?? this.#take() ?? this.#delayed.shift();
      if (!attempt) return;
      const delayMs = attempt.address.isBusy ? 0 : this.#memory.delayOf(`user ${attempt.user}`, MAX_USER_DELAY_MS);
      attempt.address.isBusy = true;
      if (delayMs === 0) this.#start(attempt);
      else
        setTimeout(() => {
          this.#delayed.push(attempt);
          this.#next();
        }, delayMs);
    }
  }

  #start(attempt: Attempt): void {
    this.#isChecking = true;
    void this.#check(attempt).finally(() => {
      const { address } = attempt;
      this.#isChecking = false;
      address.isBusy = false;
      if (address.size === 0) this.#addresses.delete(address.key);
      this.#next();
    });
  }

  /** Takes the next attempt of the first address whose pause is over, and moves that address to the end. Otherwise waits for the first such. */
  #take(): Attempt | null {
    const now = Date.now();
    let soonestMs = Infinity;
    for (const address of this.#addresses.values()) {
      if (address.isBusy || address.size === 0) continue;
      address.nextMs ??= this.#memory.reserve(address.key, MAX_ADDRESS_DELAY_MS);
      if (address.nextMs > now) {
        soonestMs = Math.min(soonestMs, address.nextMs);
        continue;
      }
      address.nextMs = null;
      this.#addresses.delete(address.key);
      this.#addresses.set(address.key, address);
      return this.#takeFrom(address);
    }
    if (soonestMs < Infinity) {
      if (this.#timer) clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#next(), soonestMs - now);
    }
    return null;
  }

  /** Users take turns, too; those without recent failures come first. */
  #takeFrom(address: Address): Attempt | null {
    const users = [...address.waiting.keys()];
    const user = users.find((name) => this.#memory.delayOf(`user ${name}`, MAX_USER_DELAY_MS) === 0) ?? users[0];
    const list = address.waiting.get(user) ?? [];
    const attempt = list.shift() ?? null;
    address.waiting.delete(user);
    if (list.length > 0) address.waiting.set(user, list);
    address.size--;
    this.#waiting--;
    return attempt;
  }

  async #check({ address: { key }, user, check, resolve, reject, isWithdrawn }: Attempt): Promise<void> {
    if (isWithdrawn) return;
    try {
      const isRight = await check();
      this.#memory.remember(`${key} ${user}`, isRight ? KNOWN_MS : 0);
      if (!isRight) {
        this.#memory.fail(`user ${user}`);
        this.#memory.fail(key);
        this.#memory.pause(key, MAX_ADDRESS_DELAY_MS);
      }
      resolve(isRight);
    } catch (error) {
      reject(error);
    }
  }
}

function tooManyAttemptsError(): Error {
  return rejectedExecutionError('too many authentications at once');
}

/** Identifies a sender: an IPv4 address, or the /64 network of an IPv6 address, of which one sender has many addresses. */
export function addressKey(address: string): string {
  if (!net.isIPv6(address)) return address;
  const mapped = /^(?:[0:]*:)?ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1];
  const [head, tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = tail === undefined ? first : [...first, ...Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0'), ...last];
  const numbers = groups.map((group) => Number.parseInt(group, 16));
  if (numbers.slice(0, 5).every((number) => number === 0) && numbers[5] === 0xffff)
    return [numbers[6] >> 8, numbers[6] & 255, numbers[7] >> 8, numbers[7] & 255].join('.');
  return numbers
    .slice(0, 4)
    .map((number) => number.toString(16))
    .join(':');
}

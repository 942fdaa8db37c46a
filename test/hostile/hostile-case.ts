// A request that demands more than it should get, and its permitted outcomes.

export interface HostileCase {
  /** Cases of a family share a row of the table. */
  readonly family: string;
  readonly name: string;
  /** `METHOD /path?query` */
  readonly line: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. Functions delay the making of large bodies until they are sent. */
  readonly body?: Body | (() => Body);
  /** The `timeout` that the request states: an answer must come within a second after it. */
  readonly timeoutMs?: number;
  /** Number of copies sent at once. */
  readonly copies?: number;
}

type Body = string | Buffer | object;

/** The body as it is sent, null without one. */
export function bodyOf({ body }: HostileCase): string | Buffer | null {
  const value = typeof body === 'function' ? (body as () => Body)() : body;
  if (value === undefined) return null;
  return typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value);
}

/** A search of the hostile index. */
export function search(family: string, name: string, body: Body | (() => Body), timeoutMs?: number): HostileCase {
  const line = `POST /hostile/_search${timeoutMs === undefined ? '' : `?timeout=${timeoutMs}ms`}`;
  return { family, name, line, body, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

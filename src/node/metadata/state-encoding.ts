// Changes of the cluster state as bytes in shared memory: encoded once by main, decoded by each thread.
import { deserialize, serialize } from 'node:v8';
import type { Change } from '../../metadata/state-change.ts';

export function encodeChange(change: Change): SharedArrayBuffer {
  const bytes = serialize(change);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/** @param shared  made by `encodeChange` of the same version */
export function decodeChange(shared: SharedArrayBuffer): Change {
  return deserialize(Buffer.from(shared)) as Change;
}

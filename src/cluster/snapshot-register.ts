// Entries of a key-value bucket that name the newest snapshot of something, with compare-and-set.
import type { KV } from '@nats-io/kv';
import { parseJson } from '../common/json/json-parse.ts';
import { writeJson } from '../common/json/json-write.ts';
import { UnknownVersionError } from './batch.ts';
import type { JetStream } from './jetstream.ts';
import type { LogSnapshot, SnapshotRegister } from './log-snapshots.ts';
import { logUnreachableError } from './log-subject.ts';

/** To be increased when nodes of the previous version cannot read the snapshots. */
export const SNAPSHOT_VERSION = 1;

/** @param what  name of the snapshot in errors */
export function snapshotRegister<Content extends { readonly version: number }>(
  jetStream: JetStream,
  bucket: KV,
  key: string,
  what: string,
): SnapshotRegister<Content> {
  return {
    read: async () => {
      const entry = await bucket.get(key).catch((error: Error) => {
        throw logUnreachableError(what, error.message);
      });
      if (entry === null || entry.operation !== 'PUT') return { snapshot: null, revision: entry?.revision ?? 0 };
      const snapshot = parseJson(Buffer.from(entry.value).toString('utf8')) as LogSnapshot<Content>;
      if (snapshot.content.version !== SNAPSHOT_VERSION) throw new UnknownVersionError(snapshot.content.version);
      return { snapshot, revision: entry.revision };
    },
    write: async (snapshot, revision) => {
      const written = await jetStream.replace(bucket, key, Buffer.from(writeJson(snapshot)), revision);
      if (written === null) throw logUnreachableError(what, 'it is not known whether it was replaced');
      return written;
    },
  };
}

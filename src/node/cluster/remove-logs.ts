// Removes from JetStream what belongs to indices that no longer exist: their logs and the snapshots of their copies.
import type { JetStream } from '../../cluster/jetstream.ts';
import { indexStreamPrefix, objectStream, segmentsBucket, shardSnapshotKey, snapshotsBucket } from '../../cluster/names.ts';
import type { ClusterState } from '../../metadata/cluster-state.ts';

interface Metadata {
  readonly state: () => ClusterState;
  /** Applies every change that was acknowledged before the call. */
  readonly catchUp: () => Promise<void>;
}

/** @throws ApiError JetStream cannot be reached */
export async function removeLogs(jetStream: JetStream, cluster: string, { state, catchUp }: Metadata): Promise<void> {
  const prefixes = [indexStreamPrefix(cluster), objectStream(segmentsBucket(cluster, ''))];
  const namesOf = ({ indices }: ClusterState) =>
    new Set(Object.values(indices).flatMap(({ uuid }) => prefixes.map((prefix) => prefix + uuid)));
  const known = namesOf(state());
  const found = await jetStream.streams(prefixes);
  const unknown = found.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  // A stream is created after its index, so a state newer than the list of streams contains the index of each.
  await catchUp();
  const newest = namesOf(state());
  for (const name of unknown) {
    if (newest.has(name)) continue;
    const uuid = name.slice(prefixes.find((prefix) => name.startsWith(prefix))?.length);
    await jetStream.removeKeys(snapshotsBucket(cluster), shardSnapshotKey(uuid, '*'));
    await jetStream.removeStream(name);
  }
}

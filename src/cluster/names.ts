// Names of streams, subjects and buckets in JetStream. They start with the cluster's name, so that clusters may share NATS servers.

/** @param cluster  `cluster.name`; what NATS does not allow in names becomes `_` */
function prefixOf(cluster: string): string {
  return `gannet-${cluster.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
}

export function metadataStream(cluster: string): string {
  return `${prefixOf(cluster)}-metadata`;
}

export function metadataSubject(cluster: string): string {
  return `${prefixOf(cluster)}.metadata`;
}

export function nodesBucket(cluster: string): string {
  return `${prefixOf(cluster)}-nodes`;
}

/** Common prefix of the streams of all indices. */
export function indexStreamPrefix(cluster: string): string {
  return `${prefixOf(cluster)}-index-`;
}

export function indexStream(cluster: string, uuid: string): string {
  return indexStreamPrefix(cluster) + uuid;
}

export function shardSubject(cluster: string, uuid: string, shard: number | '*'): string {
  return `${prefixOf(cluster)}.index.${uuid}.${shard}`;
}

/** Bucket with the entries that name the newest snapshot of each shard. */
export function snapshotsBucket(cluster: string): string {
  return `${prefixOf(cluster)}-snapshots`;
}

/** Key of the entry that names the newest snapshot of the metadata. */
export const METADATA_KEY = 'metadata';

/** Object store with snapshots of the metadata, and with its entries that are larger than a message. */
export function metadataBucket(cluster: string): string {
  return `${prefixOf(cluster)}-metadata`;
}

export function shardSnapshotKey(uuid: string, shard: number | '*'): string {
  return `shard.${uuid}.${shard}`;
}

/** Object store with the segments and documents of the snapshots of an index. */
export function segmentsBucket(cluster: string, uuid: string): string {
  return `${prefixOf(cluster)}-segments-${uuid}`;
}

/** Stream of an object store. */
export function objectStream(bucket: string): string {
  return `OBJ_${bucket}`;
}

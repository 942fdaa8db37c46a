// The shard of a document, computed as by Elasticsearch's Murmur3HashFunction (murmur3 32, seed 0, over the UTF-16 units of the routing value, little-
// endian) and floorMod over a multiple of the number of shards, so that indices can be split in the same way. Source: A. Appleby, MurmurHash3.

export function shardOfRouting(routing: string, numberOfShards: number): number {
  if (numberOfShards === 1) return 0;
  // index.number_of_routing_shards: doubled while it stays within 1024 shards, at least once.
  const routingShards = numberOfShards * 2 ** Math.max(1, 10 - Math.ceil(Math.log2(numberOfShards)));
  const hash = murmur3(routing);
  const slot = ((hash % routingShards) + routingShards) % routingShards;
  return Math.floor(slot / (routingShards / numberOfShards));
}

/** Signed 32-bit murmur3 of a text's UTF-16 units. */
export function murmur3(text: string): number {
  let hash = 0;
  const bytes = text.length * 2;
  const blocks = text.length >> 1;
  for (let i = 0; i < blocks; i++) {
    hash ^= mix(text.charCodeAt(2 * i) | (text.charCodeAt(2 * i + 1) << 16));
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64;
  }
  if (text.length & 1) hash ^= mix(text.charCodeAt(text.length - 1));
  hash ^= bytes;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}

function mix(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

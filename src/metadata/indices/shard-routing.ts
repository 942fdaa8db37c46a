// The shard of a document, computed as by Elasticsearch 7.10 (OperationRouting, Murmur3HashFunction; Apache-2.0): murmur3 32, seed 0, over the UTF-16
// units of the routing value, little-endian, and floorMod over a multiple of the number of shards, so that indices can be split in the same way.
// Source: A. Appleby, MurmurHash3.

import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { isTimeSeries } from '../../mapping/core/time-series.ts';
import type { FlatSettings } from '../settings/index-settings.ts';

/** Bytes of the ids in indices of time series, which begin with the hash of the routing fields (src/mapping/document/series.ts). */
const SERIES_ID_BYTES = 20;

/** How the documents of one index are spread over its shards. */
export class ShardRouting {
  readonly numberOfShards: number;
  /** Slots of the hash; a multiple of the number of shards. */
  readonly routingShards: number;
  /** Number of neighbouring slots that one routing value is spread over, by `_id`. */
  readonly partitionSize: number;
  /** Documents are routed by fields, of which their ids contain a hash. */
  readonly isTimeSeries: boolean;
  readonly #index: string;

  /** @param index  name of the index, for messages */
  constructor(settings: FlatSettings, index = '') {
    this.#index = index;
    this.isTimeSeries = isTimeSeries(settings);
    this.numberOfShards = Number(settings['index.number_of_shards'] ?? 1);
    this.routingShards = Number(settings['index.number_of_routing_shards'] ?? defaultRoutingShards(this.numberOfShards));
    this.partitionSize = Number(settings['index.routing_partition_size'] ?? 1);
  }

  /** @param routing  null: the document is routed by its id */
  shardOf(id: string, routing: string | null): number {
    if (this.isTimeSeries) return this.#shardOfSeries(id, routing);
    if (this.numberOfShards === 1) return 0;
    const offset = this.partitionSize === 1 ? 0 : floorMod(murmur3(id), this.partitionSize);
    return this.#shardAt(murmur3(routing ?? id) + offset);
  }

  /** Every shard on which documents with this routing value are. */
  shardsOf(routing: string): number[] {
    if (this.isTimeSeries) throw this.#routingError('searching with a specified routing');
    if (this.numberOfShards === 1) return [0];
    const hash = murmur3(routing);
    return [...new Set(Array.from({ length: this.partitionSize }, (_, offset) => this.#shardAt(hash + offset)))];
  }

  /** @throws ApiError illegal_argument_exception, resource_not_found_exception */
  #shardOfSeries(id: string, routing: string | null): number {
    if (routing !== null) throw this.#routingError('specifying routing');
    const bytes = Buffer.from(id, 'base64url');
    if (bytes.length !== SERIES_ID_BYTES || bytes.toString('base64url') !== id)
      throw new ApiError('resource_not_found_exception', 404, `invalid id [${id}] for index [${this.#index}] in time series mode`);
    return this.#shardAt(bytes.readInt32BE(0));
  }

  #routingError(what: string): ApiError {
    return illegalArgumentError(`${what} is not supported because the destination index [${this.#index}] is in time series mode`);
  }

  #shardAt(hash: number): number {
    return Math.floor(floorMod(hash | 0, this.routingShards) / (this.routingShards / this.numberOfShards));
  }
}

/** The largest number of shards, up to 1024, into which an index could be split: the primaries times a power of two, doubled at least once. */
function defaultRoutingShards(numberOfShards: number): number {
  return numberOfShards * 2 ** Math.max(1, 10 - Math.ceil(Math.log2(numberOfShards)));
}

/** Checks the settings of a new index that must fit together. @throws ApiError illegal_argument_exception */
export function checkShardRouting(index: string, settings: FlatSettings): void {
  const { numberOfShards, routingShards, partitionSize } = new ShardRouting(settings);
  if (routingShards < numberOfShards)
    throw illegalArgumentError(`index.number_of_routing_shards [${routingShards}] must be >= index.number_of_shards [${numberOfShards}]`);
  if (routingShards % numberOfShards !== 0)
    throw illegalArgumentError(`the number of source shards [${numberOfShards}] must be a factor of [${routingShards}]`);
  if (partitionSize !== 1 && partitionSize >= routingShards)
    throw illegalArgumentError(
      `routing partition size [${partitionSize}] should be a positive number less than the number of shards [${routingShards}] for [${index}]`,
    );
}

/** A partitioned index needs a routing value for each document. @throws ApiError illegal_argument_exception */
export function checkPartitionedMapping(index: string, settings: FlatSettings, mappings: Readonly<Record<string, unknown>>): void {
  if (new ShardRouting(settings).partitionSize === 1 || Object.keys(mappings).length === 0) return;
  if ((mappings._routing as { required?: boolean } | undefined)?.required !== true)
    throw illegalArgumentError(`mapping type [_doc] must have routing required for partitioned index [${index}]`);
}

function floorMod(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
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

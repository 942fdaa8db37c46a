// The interface of operations and the REST API to the process's circuit breakers.

export interface RequestMemory {
  /**
   * Accounts for bytes of a request until `release`.
   * @param held  bytes that the request has already reserved. @throws ApiError circuit_breaking_exception (429)
   */
  reserve(bytes: number, label: string, held?: number): void;
  /** @param bytes  all that the request has reserved */
  release(bytes: number): void;
  /**
   * To be awaited for bytes that do not fit: resolves when the garbage of earlier requests has been collected. @returns null if there is
   * nothing to wait for
   */
  makeRoom(bytes: number): Promise<void> | null;
  /** @throws ApiError circuit_breaking_exception (429): the process has no `bytes` left */
  check(bytes: number, label: string): void;
  stats(): readonly BreakerStats[];
}

/** A circuit breaker, sizes in bytes. */
export interface BreakerStats {
  /** As in Elasticsearch: request, fielddata, in_flight_requests, parent. */
  readonly name: string;
  readonly limit: number;
  readonly estimated: number;
  readonly overhead: number;
  /** Number of refusals. */
  readonly tripped: number;
}

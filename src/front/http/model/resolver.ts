// How names of hosts are resolved while the server runs: `resolver` and `resolver_timeout`.

/** Name servers of `resolver`. */
export interface ResolverConf {
  servers: { host: string; port: number }[];
  validMs: number | null;
  ipv4: boolean;
  ipv6: boolean;
  /** zone that counts its requests and their results */
  zone?: string;
}

/** How a level of configuration finds the addresses of names at run time. */
export interface NameService {
  resolver: ResolverConf | null;
  resolver_timeout: number;
}

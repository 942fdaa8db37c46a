// What is known of a connection before its first request: the parameters of `listen`, its PROXY protocol header, and names in its ClientHello.

/** Parameters of `listen`. */
export interface ListenOptions {
  /** as written, for messages */
  text: string;
  /** stream: datagrams */
  udp?: boolean;
  host: string;
  port: number;
  path: string;
  isDefault: boolean;
  ssl: boolean;
  http2: boolean;
  proxyProtocol: boolean;
  backlog: number;
  ipv6Only: boolean;
  bind: boolean;
  reuseport: boolean;
  keepAlive: { idleSeconds: number } | null;
}

/** Addresses and further values from a PROXY protocol header. */
export interface ProxyInfo {
  addr: string;
  port: number;
  serverAddr: string;
  serverPort: number;
  tlvs: Map<string, string>;
}

/** The parts of a ClientHello that variables expose. */
export interface HelloNames {
  cipherNames(): string;
  curveNames(): string;
  groupOf(serverCurves: string): string;
}

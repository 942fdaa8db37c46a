// Directive table of the stream core. Structural directives (server, listen, server_name) are in build.ts.
import { ANY_COUNT, custom, flag, HS, HTTP, msec, num, size } from '../config/directive.ts';
import { parseResolver } from '../http/config/core.ts';
import type { BlockFrame } from '../http/config/module.ts';
import type { Value } from '../http/config/value.ts';
import type { ResolverConf } from '../http/model/resolver.ts';
import { type ContentHandler, defineStreamModule } from './model.ts';

/** In the tables of this block HTTP denotes `stream`, SERVER a server in it, and UPSTREAM an `upstream` in it. */
export const streamCore = defineStreamModule('stream_core', {
  preread_buffer_size: size(HS, '16k'),
  preread_timeout: msec(HS, '30s'),
  proxy_protocol_timeout: msec(HS, '30s'),
  resolver: custom<ResolverConf | null>(HS, [1, ANY_COUNT], null, parseResolver),
  resolver_timeout: msec(HS, '30s'),
  server_names_hash_bucket_size: num(HTTP, 64),
  server_names_hash_max_size: num(HTTP, 512),
  tcp_nodelay: flag(HS, true),
  variables_hash_bucket_size: num(HTTP, 64),
  variables_hash_max_size: num(HTTP, 1024),
  error_log_tag: custom<{ name: string; value: Value }[] | null>(
    HS,
    2,
    null,
    (f: BlockFrame, previous = []) => [...previous, { name: f.args[0], value: f.scope.value(f.args[1]) }],
    { repeats: true },
  ),
  /** set by `proxy_pass`, `return` and the like */
  content: custom<ContentHandler | null>(0, 0, null, () => null, { merge: (_, own) => own }),
});

/** Sets the content handler of the server that contains the directive. */
export function setContent(f: BlockFrame, handler: ContentHandler): void {
  const conf = f.scope.loc.confs[streamCore.index] as { content?: ContentHandler };
  if (conf.content) f.refuse('is duplicate');
  conf.content = handler;
}

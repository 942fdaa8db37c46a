// Directives that are accepted without effect. Where a user might expect an effect, a warning is logged while the configuration is read;
// the directives below need none, because the result is the same without them.
import type { DirectiveNode } from '../config/syntax.ts';

const TABLES_GROW = 'tables grow as needed';
const NODE_MEMORY = 'Node manages this memory itself';
const BUFFERS = 'data is passed on in the pieces in which it arrives, within the size of the buffers';

/** Directive -> why the result is the same. */
export const SAME_RESULT: Readonly<Record<string, string>> = {
  sendfile: 'files are sent from memory, or read and sent in pieces',
  sendfile_max_chunk: 'files are sent in pieces anyway',
  tcp_nopush: 'head and body are sent in one write anyway',
  client_body_in_single_buffer: 'a body in memory is in one buffer anyway',
  postpone_gzipping: 'a response is compressed when there is enough of it',
  gzip_no_buffer: 'a response is compressed when there is enough of it',
  ssi_ignore_recycled_buffers: NODE_MEMORY,
  ssi_min_file_chunk: 'files with commands are read into memory',
  mp4_buffer_size: 'only the tables of a film are read into memory',
  open_file_cache_events: 'changes are found by open_file_cache_valid',
  connection_pool_size: NODE_MEMORY,
  request_pool_size: NODE_MEMORY,
  ...Object.fromEntries(
    ['server_names', 'types', 'variables', 'map', 'referer', 'proxy_headers'].flatMap((name) => [
      [`${name}_hash_bucket_size`, TABLES_GROW],
      [`${name}_hash_max_size`, TABLES_GROW],
    ]),
  ),
  ...Object.fromEntries(
    ['proxy', 'fastcgi', 'uwsgi', 'scgi'].flatMap((name) => [
      [`${name}_busy_buffers_size`, BUFFERS],
      [`${name}_temp_file_write_size`, BUFFERS],
    ]),
  ),
};

export interface Ineffective {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly why: string;
}

/** All uses of such directives, in configuration order. */
export function sameResult(nodes: readonly DirectiveNode[]): Ineffective[] {
  return nodes.flatMap(({ name, file, line, args, children }) => {
    const own: Ineffective[] = [];
    if (Object.hasOwn(SAME_RESULT, name)) own.push({ file, line, name, why: SAME_RESULT[name] });
    if (name === 'listen' && args.includes('reuseport'))
      own.push({ file, line, name: 'listen ... reuseport', why: 'each event loop has a socket of its own' });
    return [...own, ...sameResult(children ?? [])];
  });
}

// autoindex, random_index, empty_gif, stub_status.
import { readdirSync, statSync } from 'node:fs';
import { again, custom, flag, HSL, LOCATION, oneOf, SERVER } from '../../../config/directive.ts';
import { fsPath } from '../../../fs-path.ts';
import { systemError } from '../../../system-error.ts';
import { defineModule } from '../../config/module.ts';
import { stats } from '../../connection/stats.ts';
import { mapUri } from '../../files/paths.ts';
import type { Request } from '../../model/types.ts';
import { internalRedirect } from '../../phases/redirect.ts';
import { sendBuffer, sendText } from '../../phases/send.ts';
import { DECLINED } from '../../request/codes.ts';
import { httpDate } from '../../request/http-date.ts';
import { escapeHtml, escapeUri, findArg } from '../../request/parse.ts';

interface Entry {
  name: string;
  dir: boolean;
  file: boolean;
  size: number;
  /** Seconds. */
  modified: number;
}

export const autoindexModule = defineModule(
  'autoindex',
  {
    autoindex: flag(HSL, false),
    autoindex_format: oneOf(HSL, ['html', 'json', 'jsonp', 'xml'], 'html'),
    autoindex_localtime: flag(HSL, false),
    autoindex_exact_size: flag(HSL, true),
    random_index: flag(LOCATION, false),
    empty_gif: again(
      custom(LOCATION, 0, false, (f) => {
        f.scope.loc.handler = emptyGif;
        return true;
      }),
    ),
    stub_status: again(
      custom(SERVER | LOCATION, [0, 1], false, (f) => {
        f.scope.loc.handler = stubStatus;
        return true;
      }),
    ),
  },
  {
    init(main) {
      main.phases.content.unshift(randomIndex);
      main.phases.content.push(autoindex);
    },
    variables: [
      { name: 'connections_active', volatile: true, get: () => String(stats.active) },
      { name: 'connections_reading', volatile: true, get: () => String(stats.reading) },
      { name: 'connections_writing', volatile: true, get: () => String(stats.writing) },
      { name: 'connections_waiting', volatile: true, get: () => String(stats.waiting) },
    ],
  },
);

const GIF = Buffer.from('R0lGODlhAQABAIABAAAAAP///yH5BAEAAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

function emptyGif(r: Request): number {
  if (r.method !== 'GET' && r.method !== 'HEAD') return 405;
  r.conn.discardBody(r);
  r.out.status = 200;
  r.out.contentType = 'image/gif';
  r.out.lastModified = 23_349_600;
  return sendBuffer(r, GIF);
}

function stubStatus(r: Request): number {
  if (r.method !== 'GET' && r.method !== 'HEAD') return 405;
  r.conn.discardBody(r);
  r.out.status = 200;
  r.out.contentType = 'text/plain';
  const lines = [
    `Active connections: ${stats.active} `,
    'server accepts handled requests',
    ` ${stats.accepted} ${stats.handled} ${stats.requests} `,
    `Reading: ${stats.reading} Writing: ${stats.writing} Waiting: ${stats.waiting} `,
  ];
  return sendText(r, `${lines.join('\n')}\n`);
}

function randomIndex(r: Request): number {
  if (!autoindexModule.conf(r.loc).random_index || !r.uri.endsWith('/') || !['GET', 'HEAD', 'POST'].includes(r.method)) return DECLINED;
  let names: string[];
  try {
    names = list(mapUri(r))
      .filter((e) => e.file && !e.name.startsWith('.'))
      .map((e) => e.name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    r.log('error', `opendir() "${mapUri(r).replace(/\/$/, '')}" failed (${systemError(error)})`);
    return code === 'EACCES' ? 403 : 404;
  }
  if (names.length === 0) return DECLINED;
  return internalRedirect(r, r.uri + names[Math.floor(Math.random() * names.length)], r.args);
}

function list(folder: string): Entry[] {
  const entries: Entry[] = [];
  for (const raw of readdirSync(fsPath(folder), { encoding: 'latin1' })) {
    const name = raw as string;
    if (name.startsWith('.')) continue;
    try {
      const stat = statSync(fsPath(`${folder}/${name}`));
      entries.push({ name, dir: stat.isDirectory(), file: stat.isFile(), size: stat.size, modified: Math.floor(stat.mtimeMs / 1000) });
    } catch {
      // Dangling links are omitted.
    }
  }
  return entries.sort((a, b) => (a.dir !== b.dir ? (a.dir ? -1 : 1) : a.name < b.name ? -1 : 1));
}

function autoindex(r: Request): number {
  const c = autoindexModule.conf(r.loc);
  if (!r.uri.endsWith('/') || (r.method !== 'GET' && r.method !== 'HEAD') || !c.autoindex) return DECLINED;
  let format: 'html' | 'json' | 'jsonp' | 'xml' = c.autoindex_format;
  let callback = '';
  if (format === 'jsonp') {
    callback = findArg(r.args, 'callback') ?? '';
    if (callback === '') format = 'json';
    else if (callback.length > 128 || !/^[A-Za-z0-9_.]+$/.test(callback)) {
      r.log('info', `client sent invalid callback name: "${callback}"`);
      return 400;
    }
  }
  let entries: Entry[];
  const folder = mapUri(r).replace(/\/+$/, '') || '/';
  try {
    entries = list(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    r.log('error', `opendir() "${folder}" failed (${systemError(error)})`);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return 404;
    return code === 'EACCES' ? 403 : 500;
  }
  r.conn.discardBody(r);
  r.out.status = 200;
  r.out.contentType = { html: 'text/html', json: 'application/json', jsonp: 'application/javascript', xml: 'text/xml' }[format];
  if (format === 'xml') r.out.charset = 'utf-8';
  // The response's charset, which the header filters determine, decides how names are truncated.
  const rc = r.sendHeader();
  if (rc !== 0 || r.headerOnly) return rc;
  return r.output([Buffer.from(listing(r, entries, c, format, callback), 'latin1')], true);
}

function listing(r: Request, entries: Entry[], c: Conf, format: 'html' | 'json' | 'jsonp' | 'xml', callback: string): string {
  if (format === 'html') return html(r, entries, c);
  if (format === 'xml') return xml(entries);
  return format === 'jsonp' ? `/* callback */\r\n${callback}(${json(entries)});` : json(entries);
}

type Conf = ReturnType<typeof autoindexModule.conf>;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const two = (n: number) => String(n).padStart(2, '0');

function html(r: Request, entries: Entry[], c: Conf): string {
  const title = escapeHtml(r.uri);
  let out = `<html>\r\n<head><title>Index of ${title}</title></head>\r\n<body>\r\n<h1>Index of ${title}</h1><hr><pre><a href="../">../</a>\r\n`;
  for (const e of entries) {
    const slash = e.dir ? '/' : '';
    const href = escapeUri(e.name, 'component') + slash;
    const utf8 = Buffer.from(e.name, 'latin1').toString('utf8');
    const isUtf8 = r.out.charset.toLowerCase() === 'utf-8' && !utf8.includes('\ufffd');
    const length = isUtf8 ? [...utf8].length : e.name.length;
    const short = isUtf8 ? Buffer.from([...utf8].slice(0, 47).join(''), 'utf8').toString('latin1') : e.name.slice(0, 47);
    const text =
      length > 50 - slash.length && length + slash.length > 50
        ? `${escapeHtml(short)}..&gt;</a>`
        : `${escapeHtml(e.name)}${slash}</a>${' '.repeat(Math.max(0, 50 - length - slash.length))}`;
    const d = new Date(e.modified * 1000);
    const local = c.autoindex_localtime;
    const date = local
      ? `${two(d.getDate())}-${MONTHS[d.getMonth()]}-${d.getFullYear()} ${two(d.getHours())}:${two(d.getMinutes())}`
      : `${two(d.getUTCDate())}-${MONTHS[d.getUTCMonth()]}-${d.getUTCFullYear()} ${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
    out += `<a href="${href}">${text} ${date} ${sizeText(e, c.autoindex_exact_size)}\r\n`;
  }
  return `${out}</pre><hr></body>\r\n</html>\r\n`;
}

function sizeText(e: Entry, exact: boolean): string {
  if (exact) return e.dir ? '                  -' : String(e.size).padStart(19);
  if (e.dir) return '      -';
  let { size } = e;
  let unit = '';
  if (size > 1073741824 - 1) {
    size = Math.round(size / 1073741824);
    unit = 'G';
  } else if (size > 1048576 - 1) {
    size = Math.round(size / 1048576);
    unit = 'M';
  } else if (size > 9999) {
    size = Math.round(size / 1024);
    unit = 'K';
  }
  return unit ? `${String(size).padStart(6)}${unit}` : String(size).padStart(7);
}

const kind = (e: Entry): string => (e.dir ? 'directory' : e.file ? 'file' : 'other');

function json(entries: Entry[]): string {
  const escape = (text: string) =>
    text.replace(/[\x00-\x1f"\\]/g, (ch) =>
      ch === '"' || ch === '\\' ? `\\${ch}` : `\\u${ch.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    );
  const rows = entries.map((e) => {
    const size = e.file ? `, "size":${e.size}` : '';
    return `{ "name":"${escape(e.name)}", "type":"${kind(e)}", "mtime":"${httpDate(e.modified)}"${size} }`;
  });
  return rows.length === 0 ? '[\r\n]' : `[\r\n${rows.join(',\r\n')}\r\n]`;
}

function xml(entries: Entry[]): string {
  let out = '<?xml version="1.0"?>\r\n<list>\r\n';
  for (const e of entries) {
    const date = new Date(e.modified * 1000).toISOString().slice(0, 19);
    const size = e.file ? ` size="${e.size}"` : '';
    out += `<${kind(e)} mtime="${date}Z"${size}>${escapeHtml(e.name)}</${kind(e)}>\r\n`;
  }
  return `${out}</list>\r\n`;
}

// log_format: compiles formats of access log lines from variables.
import { present } from '../../../../common/present.ts';
import type { BlockFrame } from '../../config/module.ts';
import { parseValue } from '../../config/value.ts';
import type { Session, VariableDef } from '../../model/types.ts';

type Escape = 'default' | 'json' | 'none' | 'w3c';

export interface LogFormat {
  name: string;
  render(r: Session): string;
  /** Written first to a new file (`#Fields` of the W3C format). */
  header?: string;
}

const DEFAULT_ESCAPED = /[\x00-\x1f"\\\x7f-\xff]/g;
const JSON_ESCAPED = /[\x00-\x1f"\\]/g;
const JSON_SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f', '"': '\\"', '\\': '\\\\' };

function escapeText(text: string, escape: Escape): string {
  if (escape === 'none') return text;
  if (escape === 'json') {
    return text.replace(JSON_ESCAPED, (c) => JSON_SHORT[c] ?? `\\u00${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  }
  if (escape === 'w3c') return text.replace(/[\s"]+/g, '+');
  return text.replace(DEFAULT_ESCAPED, (c) => `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** Variables that are evaluated again at the time of logging. */
const LIVE = new Set(['pipe', 'status', 'bytes_sent', 'body_bytes_sent', 'bytes_received']);

export function compileFormat(name: string, text: string, escape: Escape, lookup: (name: string) => VariableDef): LogFormat {
  const parts = parseValue(text, lookup, false).parts.map((part) =>
    typeof part === 'string' ? part : (part as { variable: VariableDef }).variable,
  );
  const missing = escape === 'default' || escape === 'w3c' ? '-' : '';
  return {
    name,
    render(r) {
      let line = '';
      for (const part of parts) {
        if (typeof part === 'string') {
          line += part;
          continue;
        }
        const value = LIVE.has(part.name) ? r.evaluate(part) : r.variable(part);
        line += value === null ? missing : value === '' && escape === 'w3c' ? '-' : escapeText(value, escape);
      }
      return line;
    },
  };
}

/** Variables for the standard fields of the W3C extended format. */
const W3C_FIELDS: Record<string, string> = {
  date: '$date_w3c',
  time: '$time_w3c',
  'c-ip': '$remote_addr',
  'c-port': '$remote_port',
  's-ip': '$server_addr',
  's-port': '$server_port',
  's-computername': '$hostname',
  's-sitename': '$server_name',
  'cs-method': '$request_method',
  'cs-uri': '$request_uri',
  'cs-uri-stem': '$uri',
  'cs-uri-query': '$args',
  'cs-username': '$remote_user',
  'cs-version': '$server_protocol',
  'cs-host': '$host',
  'sc-status': '$status',
  'sc-bytes': '$bytes_sent',
  'cs-bytes': '$request_length',
  'time-taken': '$request_time',
  bytes: '$body_bytes_sent',
};

/** `log_format NAME escape=w3c FIELD...`: a field list such as `date time c-ip cs-method cs(User-Agent) sc-status`. */
function compileW3c(f: BlockFrame, name: string, fields: string[], lookup: (name: string) => VariableDef): LogFormat {
  const texts = fields.map((field) => {
    const header = /^(cs|sc)\(([\w-]+)\)$/.exec(field);
    if (header) return `$${header[1] === 'cs' ? 'http' : 'sent_http'}_${header[2].toLowerCase().replace(/-/g, '_')}`;
    return W3C_FIELDS[field] ?? f.fail(`unknown W3C field "${field}"`);
  });
  const format = compileFormat(name, texts.join(' '), 'w3c', lookup);
  const now = new Date().toISOString();
  format.header = `#Version: 1.0\n#Date: ${now.slice(0, 10)} ${now.slice(11, 19)}\n#Fields: ${fields.join(' ')}\n`;
  return format;
}

export function parseFormat(f: BlockFrame): undefined {
  const { main } = f.scope;
  const [name, ...rest] = f.args;
  const key = `log_format:${name}`;
  if (main.registry.has(key)) f.fail(`duplicate "log_format" name "${name}"`);
  const lookup = (n: string) => main.variables.lookup(n);
  let escape: Escape = 'default';
  if (rest[0]?.startsWith('escape=')) {
    const word = present(rest.shift()).slice(7);
    if (word !== 'default' && word !== 'json' && word !== 'none' && word !== 'w3c') f.fail(`unknown log format escaping "${word}"`);
    escape = word;
  }
  try {
    const format =
      escape === 'w3c'
        ? compileW3c(
            f,
            name,
            rest.flatMap((w) => w.split(/\s+/)),
            lookup,
          )
        : compileFormat(name, rest.join(''), escape, lookup);
    main.registry.set(key, format);
  } catch (error) {
    if (typeof error === 'string') f.fail(error);
    throw error;
  }
  return undefined;
}

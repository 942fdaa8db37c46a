// userid: a cookie that identifies visitors.
import { present } from '../../../../common/present.ts';
import { custom, HSL, oneOf } from '../../../config/directive.ts';
import { parseTimeSec } from '../../../config/values.ts';
import { loop } from '../../../zone/memory.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { unset } from '../../config/variables.ts';
import type { Request, VariableDef } from '../../model/types.ts';
import { ipv6Bytes } from '../../request/address.ts';
import { OK } from '../../request/codes.ts';
import { findCookie } from '../../request/cookies.ts';
import { httpDate } from '../../request/http-date.ts';

interface State {
  /** The four numbers of the client's cookie. */
  got: number[] | null;
  cookie: string | null;
  set: number[] | null;
}

/** In the order in which they are written. */
const FLAGS = ['secure', 'httponly', 'samesite=strict', 'samesite=lax', 'samesite=none'];
let sequence = 0x03030302;
const startValue = Math.floor(Date.now() / 1000);

export const useridModule = defineModule(
  'userid',
  {
    userid: oneOf(HSL, ['on', 'v1', 'log', 'off'], 'off'),
    userid_name: custom<string>(HSL, 1, 'uid', (f: HttpFrame) => f.args[0]),
    userid_domain: custom<string>(HSL, 1, '', (f: HttpFrame) => (f.args[0] === 'none' ? '' : f.args[0])),
    userid_path: custom<string>(HSL, 1, '/', (f: HttpFrame) => f.args[0]),
    userid_expires: custom<number | 'max' | 'off'>(HSL, 1, 'off', (f: HttpFrame) =>
      f.args[0] === 'max' || f.args[0] === 'off' ? f.args[0] : (parseTimeSec(f.args[0]) ?? f.refuse('invalid value')),
    ),
    userid_flags: custom<string[]>(HSL, [1, 3], [], (f: HttpFrame) => {
      if (f.args[0] === 'off') return [];
      for (const word of f.args) if (!FLAGS.includes(word)) f.invalid(word);
      return FLAGS.filter((word) => f.args.includes(word));
    }),
    userid_p3p: custom<string>(HSL, 1, '', (f: HttpFrame) => (f.args[0] === 'none' ? '' : f.args[0])),
    userid_mark: custom<string>(HSL, 1, '', (f: HttpFrame) => {
      if (f.args[0] === 'off') return '';
      if (!/^[A-Za-z0-9=]$/.test(f.args[0])) f.refuse('value must be "off" or a single letter, digit or "="');
      return f.args[0];
    }),
    userid_service: custom<number | null>(HSL, 1, null, (f: HttpFrame) =>
      /^\d{1,15}$/.test(f.args[0]) ? Number(f.args[0]) : f.refuse('invalid number'),
    ),
  },
  {
    init(main) {
      // The configuration has a variable with this name.
      reset.def = main.variables.declare('uid_reset');
      if (reset.def.get === unset) reset.def.get = () => '';
      main.addHeaderFilter('userid', (r) => {
        const c = useridModule.conf(r.loc);
        if (r.isSub || c.userid === 'off' || c.userid === 'log') return OK;
        setCookie(r, state(r));
        return OK;
      });
    },
    variables: [
      { name: 'uid_got', volatile: true, get: (r) => (enabled(r) && state(r).got ? show(r, present(state(r).got)) : null) },
      {
        name: 'uid_set',
        volatile: true,
        get: (r) => {
          const mode = useridModule.conf(r.loc).userid;
          if (mode !== 'on' && mode !== 'v1') return null;
          const s = state(r);
          makeSet(r, s);
          return s.set ? show(r, s.set) : null;
        },
      },
    ],
  },
);

const reset: { def: VariableDef | null } = { def: null };

const enabled = (r: Request): boolean => useridModule.conf(r.loc).userid !== 'off';

function state(r: Request): State {
  let s = r.getMainCtx<State>(useridModule);
  if (s) return s;
  s = { got: null, cookie: null, set: null };
  r.setMainCtx(useridModule, s);
  const text = findCookie(r.headersIn, useridModule.conf(r.loc).userid_name);
  if (text === null) return s;
  s.cookie = text;
  if (text.length < 22) {
    r.log('error', `client sent too short userid cookie "${r.headerIn('cookie')}"`);
    return s;
  }
  const bytes = Buffer.from(text.slice(0, 22), 'base64');
  if (bytes.length < 16 || !/^[A-Za-z0-9+/_-]{22}$/.test(text.slice(0, 22))) {
    r.log('error', `client sent invalid userid cookie "${r.headerIn('cookie')}"`);
    return s;
  }
  s.got = [0, 4, 8, 12].map((at) => bytes.readUInt32LE(at));
  return s;
}

/** `name=` and the four numbers in hexadecimal. */
function show(r: Request, uid: readonly number[]): string {
  return `${useridModule.conf(r.loc).userid_name}=${uid.map((n) => n.toString(16).toUpperCase().padStart(8, '0')).join('')}`;
}

function makeSet(r: Request, s: State): void {
  if (s.set) return;
  const c = useridModule.conf(r.loc);
  const resetText = reset.def ? (r.variable(reset.def) ?? '') : '';
  const isReset = resetText !== '' && resetText !== '0';
  if (isReset && resetText === 'log' && s.cookie !== null)
    r.log('notice', `userid cookie "${s.got ? show(r, s.got) : s.cookie}" was reset`);
  if (s.got && !isReset) {
    if (c.userid_mark === '') return;
    if (present(s.cookie).length > 23 && present(s.cookie)[22] === c.userid_mark && present(s.cookie)[23] === '=') return;
    s.set = s.got;
    return;
  }
  const v1 = c.userid === 'v1';
  let service = c.userid_service;
  if (service === null) {
    if (v1) service = 0;
    else service = addressNumber(r.conn.localAddr);
  } else if (!v1) service = swap(service);
  const swapIf = (n: number) => (v1 ? n >>> 0 : swap(n));
  sequence += 0x100;
  if (sequence > 0xffffffff) sequence = 0x03030302;
  s.set = [
    v1 ? service >>> 0 : service,
    swapIf(Math.floor(Date.now() / 1000)),
    swapIf(((startValue + process.pid + (loop.index << 24)) & 0xffffffff) >>> 0),
    v1 ? sequence : swap(sequence),
  ];
}

/** The number in network byte order, as it is stored. */
function swap(n: number): number {
  return (((n & 255) << 24) | ((n & 0xff00) << 8) | ((n >>> 8) & 0xff00) | (n >>> 24)) >>> 0;
}

function addressNumber(address: string): number {
  if (address.includes(':')) {
    const bytes = ipv6Bytes(address);
    return (bytes[12] | (bytes[13] << 8) | (bytes[14] << 16) | (bytes[15] << 24)) >>> 0;
  }
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || parts.some(Number.isNaN)) return 0;
  return (parts[0] | (parts[1] << 8) | (parts[2] << 16) | (parts[3] << 24)) >>> 0;
}

function setCookie(r: Request, s: State): void {
  const c = useridModule.conf(r.loc);
  makeSet(r, s);
  if (!s.set) return;
  const bytes = Buffer.alloc(16);
  s.set.forEach((n, at) => bytes.writeUInt32LE(n >>> 0, at * 4));
  let value = bytes.toString('base64');
  if (c.userid_mark !== '') value = value.slice(0, 22) + c.userid_mark + value.slice(23);
  let text = `${c.userid_name}=${value}`;
  if (c.userid_expires === 'max') text += '; expires=Thu, 31-Dec-37 23:55:55 GMT';
  else if (c.userid_expires !== 'off') {
    text += `; expires=${httpDate(Math.floor(Date.now() / 1000) + c.userid_expires).replace(/(\d\d) (\w{3}) \d\d(\d\d)/, '$1-$2-$3')}`;
  }
  if (c.userid_domain) text += `; domain=${c.userid_domain}`;
  text += `; path=${c.userid_path}`;
  for (const flagText of c.userid_flags) text += `; ${flagText}`;
  r.out.add('Set-Cookie', text);
  if (c.userid_p3p) r.out.add('P3P', c.userid_p3p);
}

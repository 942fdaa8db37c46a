// return: sends a text. pass: hands the connection to another server of the configuration. set: assigns variables.

import type { Socket } from 'node:net';
import { custom, SERVER } from '../../config/directive.ts';
import { addressError, literalAddresses } from '../../http/config/addresses.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import type { Value } from '../../http/config/value.ts';
import { acceptorAt } from '../../http/connection/acceptors.ts';
import type { VariableDef } from '../../http/model/types.ts';
import { DECLINED } from '../../http/request/codes.ts';
import { setContent } from '../core.ts';
import { type ClientStream, defineStreamModule, filtered, PASS_USED, STATUS } from '../model.ts';

export const streamReturn = defineStreamModule('stream_return', {
  return: custom<undefined>(SERVER, 1, undefined, (f: BlockFrame) => {
    const text = f.scope.value(f.args[0]);
    setContent(f, (s) => {
      const data = Buffer.from(text.eval(s), 'latin1');
      for (const chunk of filtered(s, 'down', data, true)) s.send(chunk);
      s.finalize(STATUS.ok);
    });
    return undefined;
  }),
});

export const streamPass = defineStreamModule('stream_pass', {
  pass: custom<undefined>(SERVER, 1, undefined, (f: BlockFrame) => {
    const target = f.scope.value(f.args[0]);
    const wrong = target.constant === null ? null : addressError(target.constant);
    if (wrong) f.fail(`${wrong} in pass "${target.source}"`);
    f.scope.main.registry.set(PASS_USED, true);
    setContent(f, (s) => {
      const text = target.eval(s);
      if (s.udp) {
        s.log('error', 'pass of datagrams is not supported');
        s.finalize(STATUS.internalError);
        return;
      }
      const accept = acceptorOf(text);
      const client = s as ClientStream;
      if (!accept) {
        s.log('error', `port not found for "${text}"`);
        s.finalize(STATUS.ok);
      } else if (s.conn.tls && client.hasPreread) {
        // as in nginx: decrypted data cannot be put back
        s.log('error', 'cannot pass buffered data');
        s.finalize(STATUS.internalError);
      } else {
        const socket = client.release();
        accept(socket);
        socket.resume();
      }
    });
    return undefined;
  }),
});

function acceptorOf(text: string): ((socket: Socket) => void) | null {
  for (const address of literalAddresses(text, 0) ?? []) {
    const accept = acceptorAt(address);
    if (accept) return accept;
  }
  return null;
}

interface Assignment {
  variable: VariableDef;
  value: Value;
}

function parseSet(f: BlockFrame, previous: Assignment[] = []): Assignment[] {
  if (!/^\$\w+$/.test(f.args[0])) f.fail(`invalid variable name "${f.args[0]}"`);
  try {
    return [...previous, { variable: f.scope.main.variables.declare(f.args[0].slice(1)), value: f.scope.value(f.args[1]) }];
  } catch (error) {
    return f.fail(String(error));
  }
}

export const streamSet = defineStreamModule(
  'stream_set',
  { set: custom<Assignment[] | null>(SERVER, 2, null, parseSet, { repeats: true }) },
  {
    init(main) {
      main.preread.push((s) => {
        for (const { variable, value } of streamSet.conf(s.loc).set ?? []) s.assign(variable, value.eval(s));
        return DECLINED;
      });
    },
  },
);

// mqtt_preread: names in the CONNECT packet of an MQTT client. mqtt, mqtt_set_connect: changes the packet on its way to the back end.
//   mqtt_preread on; proxy_pass $by_client;        mqtt on; mqtt_set_connect username $ssl_client_s_dn;
import { buffers, custom, flag, HS, ineffective, SERVER, size } from '../../config/directive.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import type { Value } from '../../http/config/value.ts';
import type { HttpModule, VariableDef } from '../../http/model/types.ts';
import { AGAIN, DECLINED } from '../../http/request/codes.ts';
import {
  defineStreamModule,
  STATUS,
  type StreamFilter,
  type StreamMain,
  type StreamSession,
  sessionOf,
  setState,
  stateOf,
} from '../model.ts';
import { type Connect, parseConnect, writeConnect } from './mqtt-connect.ts';

const FIELDS = ['clientid', 'username', 'password'] as const;
interface Change {
  field: (typeof FIELDS)[number];
  value: Value;
}

function parseChange(f: BlockFrame, previous: Change[] = []): Change[] {
  const field = FIELDS.find((name) => name === f.args[0]) ?? f.fail(`unknown field "${f.args[0]}"`);
  if (previous.some((change) => change.field === field)) f.fail(`duplicate field "${field}"`);
  return [...previous, { field, value: f.scope.value(f.args[1]) }];
}

const table = {
  mqtt: flag(HS, false),
  mqtt_buffers: buffers(HS, '100 1k'),
  mqtt_rewrite_buffer_size: ineffective(size(SERVER, '4k')),
  mqtt_set_connect: custom<Change[] | null>(SERVER, 2, null, parseChange, { repeats: true }),
  mqtt_preread: flag(HS, false),
};

const shown = (name: string, show: (packet: Connect) => Buffer | null): VariableDef => ({
  name,
  get(r) {
    const packet = stateOf<Connect>(sessionOf(r), streamMqtt);
    return (packet && show(packet)?.latin1Slice()) ?? null;
  },
});

export const streamMqtt: HttpModule<typeof table, StreamMain> = defineStreamModule('stream_mqtt', table, {
  init(main) {
    main.preread.push(readConnect);
    main.filters.push((s) => (streamMqtt.conf(s.loc).mqtt && !s.udp ? new ConnectFilter(s) : null));
  },
  variables: [shown('mqtt_preread_clientid', (packet) => packet.clientId), shown('mqtt_preread_username', (packet) => packet.username)],
});

function readConnect(s: StreamSession, data: Buffer): number {
  if (!streamMqtt.conf(s.loc).mqtt_preread || s.udp) return DECLINED;
  const packet = parseConnect(data);
  if (packet === 'more') return AGAIN;
  if (packet)
    setState(s, streamMqtt, {
      ...packet,
      clientId: Buffer.from(packet.clientId),
      username: packet.username && Buffer.from(packet.username),
    });
  return DECLINED;
}

/** Holds the client's bytes until the CONNECT packet is complete, changes it, and lets the rest pass. */
class ConnectFilter implements StreamFilter {
  emit: StreamFilter['emit'] = null;
  readonly #s: StreamSession;
  #held: Buffer | null = Buffer.alloc(0);

  constructor(s: StreamSession) {
    this.#s = s;
  }

  handles(direction: 'up' | 'down'): boolean {
    return direction === 'up' && this.#held !== null;
  }

  pass(_direction: 'up' | 'down', data: Buffer, last: boolean): Buffer[] {
    const { mqtt_buffers: limit, mqtt_set_connect: changes } = streamMqtt.conf(this.#s.loc);
    const held = Buffer.concat([this.#held ?? Buffer.alloc(0), data]);
    this.#held = held;
    const packet = parseConnect(held);
    if (packet === 'more') {
      if (last) return [];
      return held.length < limit.count * limit.size ? [] : this.#refuse('too large an MQTT CONNECT packet');
    }
    if (!packet) return this.#refuse('an invalid MQTT CONNECT packet');
    for (const { field, value } of changes ?? [])
      packet[field === 'clientid' ? 'clientId' : field] = Buffer.from(value.eval(this.#s), 'latin1');
    this.#held = null;
    try {
      return [writeConnect(packet), held.subarray(packet.size)].filter((part) => part.length > 0);
    } catch (error) {
      this.#s.log('error', `cannot change the MQTT CONNECT packet: ${(error as Error).message}`);
      this.#s.finalize(STATUS.internalError);
      return [];
    }
  }

  #refuse(what: string): Buffer[] {
    this.#s.log('info', `client sent ${what}`);
    this.#s.finalize(STATUS.badRequest);
    return [];
  }
}

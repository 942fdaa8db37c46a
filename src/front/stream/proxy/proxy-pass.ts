// proxy_pass: the back end of a session.
import { custom, SERVER } from '../../config/directive.ts';
import type { BlockFrame } from '../../http/config/module.ts';
import type { UpstreamGroup } from '../../http/upstream/peers/group.ts';
import { GroupError, groupAt, literalGroup, realGroup } from '../../http/upstream/peers/runtime-group.ts';
import { setContent, streamCore } from '../core.ts';
import { type ClientStream, type DatagramFlow, defineStreamModule, STATUS, type StreamSession } from '../model.ts';
import { streamProxyConf } from './conf.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { UdpProxy } from './udp-proxy.ts';

export const streamProxy = defineStreamModule('stream_proxy', {
  /** the group, if it is known before there is a session */
  proxy_pass: custom<UpstreamGroup | null>(SERVER, 1, null, parsePass, { merge: (_, own) => own }),
});

function parsePass(f: BlockFrame): UpstreamGroup | null {
  const target = f.scope.value(f.args[0]);
  if (target.constant !== null) {
    const group = literalGroup(f, target.constant, 0);
    const name = target.constant;
    setContent(f, (s) => begin(s, realGroup(group), name));
    return group;
  }
  setContent(f, (s) => {
    const name = target.eval(s);
    findGroup(s, name, (group) => begin(s, group, name));
  });
  return null;
}

/** Finds the group for an address known at run time. */
function findGroup(s: StreamSession, name: string, use: (group: UpstreamGroup) => void): void {
  const { resolver, resolver_timeout } = streamCore.conf(s.loc);
  let found: UpstreamGroup | Promise<UpstreamGroup>;
  try {
    found = groupAt(s.stream, name, 0, resolver, resolver_timeout);
  } catch (error) {
    if (!(error instanceof GroupError)) throw error;
    s.log('error', error.message);
    s.finalize(STATUS.internalError);
    return;
  }
  if (!(found instanceof Promise)) {
    use(found);
    return;
  }
  found.then(
    (group) => {
      if (!s.done) use(group);
    },
    (error: Error) => {
      s.log('error', error.message);
      s.finalize(STATUS.internalError);
    },
  );
}

/** @param name  as configured, the default name for TLS */
function begin(s: StreamSession, group: UpstreamGroup, name: string): void {
  const conf = streamProxyConf.conf(s.loc);
  if (s.udp) new UdpProxy(s as DatagramFlow, conf, group).connect();
  else new TcpProxy(s as ClientStream, conf, group, name).connect();
}

// `upstream { }` of stream: the groups of http without the features that only apply to requests.
import { block, HTTP } from '../config/directive.ts';
import type { BlockFrame } from '../http/config/module.ts';
import type { GroupRules } from '../http/upstream/peers/group.ts';
import { commonGroupTable, finishGroups, readGroup, startGroups } from '../http/upstream/peers/parse-group.ts';
import { streamCore } from './core.ts';
import { defineStreamModule } from './model.ts';

const RULES: GroupRules = {
  defaultPort: 0,
  serverWords: new Set(),
  // the average for the first byte is also used for the time to connect: a group uses only one of them
  times: new Map([
    ['connect', 'header'],
    ['first_byte', 'header'],
    ['last_byte', 'last_byte'],
  ]),
};

export const streamGroups = defineStreamModule(
  'stream_upstream',
  {
    ...commonGroupTable,
    upstream: block<undefined>(HTTP, 1, undefined, (f: BlockFrame) => {
      readGroup(f, RULES);
      return undefined;
    }),
  },
  {
    init(main) {
      const { resolver, resolver_timeout } = streamCore.conf(main.loc);
      finishGroups(main, resolver, resolver_timeout);
    },
    start: startGroups,
  },
);

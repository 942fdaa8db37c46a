// `_cat`: the node's state as tables. Each table: its columns, then its rows.
import os from 'node:os';
import { clusterHealth, indexHealth, shardCounts, sumShards } from '../api/cluster.ts';
import { addressOf, diskSpace, fileDescriptors, isThisNode, osStats } from '../api/nodes.ts';
import { illegalArgument } from '../errors/catalog.ts';
import type { AliasMeta, IndexMeta } from '../metadata/cluster-state.ts';
import { type ApiHandler, defineApi, INDICES_OPTIONS, type RestContext } from './api.ts';
import { CAT_PARAMS, catTable, type Column, column, type Row } from './cat-table.ts';
import { resolveNames } from './index-expression.ts';
import type { ApiRequest } from './request.ts';
import type { ApiResponse } from './response.ts';

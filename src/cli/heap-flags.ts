// First thing in the service process, before modules of Node's are loaded.
import { forgetHeapFlags } from '../node/heap-limits.ts';

forgetHeapFlags();

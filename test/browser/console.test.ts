// The console in headless Chromium (Debian: apt-get install chromium).
import { testConsole } from './console-flows.ts';

testConsole('chromium');

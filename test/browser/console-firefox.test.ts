// The console in headless Firefox (Debian: apt-get install firefox-esr), driven by WebDriver BiDi.
import { testConsole } from './console-flows.ts';

testConsole('firefox');

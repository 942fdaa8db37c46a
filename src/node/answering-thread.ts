// Entry point of the threads that answer requests, http workers and lanes. They share almost all of their code, which is one file of the installed
// package for both.
import { workerData } from 'node:worker_threads';
import { startLaneThread } from './lanes/lane-thread.ts';
import { startHttpThread } from './reading/http-thread.ts';

if (workerData === 'lane') startLaneThread();
else startHttpThread();

export { supervise } from './supervisor.ts';
export { type WorkerSide, workerSide } from './worker-side.ts';

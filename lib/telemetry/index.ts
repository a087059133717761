export { answerMetrics } from './metrics.ts';
export { observed } from './observed.ts';
export { startTelemetry } from './start.ts';

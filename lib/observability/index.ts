export { serveMetrics } from './listener.ts';
export { countSecurityEvent, readMetrics, startMetrics } from './metrics.ts';
export { observed } from './observe.ts';
export { startTracing } from './tracing.ts';

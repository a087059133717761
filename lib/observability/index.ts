export { serveMetrics } from './listener.ts';
export { countSecurityEvent, ownMetrics, readMetrics, readMetricsFrom, startMetrics } from './metrics.ts';
export { observed } from './observe.ts';
export { type Metric, type MetricsText, metricOf, remainingMetrics, sumMetrics } from './sums.ts';
export {
  countCall,
  countRefusal,
  countSignIn,
  countToken,
  type SignInOutcome,
  startUsage,
  storeUsage,
  storeUsageIfDue,
} from './tally.ts';
export { startTracing } from './tracing.ts';
